// @ts-check

/** What stands in the console's document (public/console/index.html), under the names that it has there. @type {Record<string, string>} */
export const shell = {
  skip: 'Skip to content',
  menu: 'Menu',
  environment: 'Environment',
  connections: 'Connections',
  thisPage: 'This page',
  signOut: 'Sign out',
  navigation: 'Console',
  reference: 'API reference',
  noScript: 'This page needs JavaScript.',
  title: 'Accounts for your assistants',
  pitch:
    'Steward is a self-hosted back end for personal assistants. Connect your workspace and bank accounts once, and assistants can use them. The tokens never leave this service and are encrypted with a key per user.',
  signIn: 'Sign in',
  messages: 'Messages',
  sure: 'Are you sure?',
  cancel: 'Cancel',
  yes: 'Yes',
};
