// @ts-check

/** The pages of the sandbox, which stand in for those of others. */
export const sandbox = {
  banner: 'Sandbox: a local emulator, nothing here is real.',
  /** @param {string} page */
  title: (page) => `${page} · Sandbox`,
  startAgain: 'Go back to the app and start again.',
  cancel: 'Cancel',
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'Not copied: select it',
};

/** The workspace provider’s page of consent. */
export const workspaceConsent = {
  title: 'Connect a workspace account',
  asks: ' asks for access to a workspace account.',
  account: 'Account',
  other: 'Or another address (any is an account here)',
  example: 'name@example.com',
  may: 'Steward may',
  allow: 'Allow',
  deny: 'Deny',
  wrongAccount: 'Choose an account or type a whole mail address.',
  blocked: 'Access blocked',
  incomplete: 'The form is not complete.',
  gone: 'This request is over or was never made.',
};

/** The bank aggregator’s pages. */
export const bankLink = {
  title: 'Connect a bank',
  asks: ' asks for access to your bank accounts.',
  bank: 'Bank',
  continue: 'Continue',
  anotherBank: 'Another bank',
  /** Before and after the app’s name. */
  which: ['Which accounts may ', ' see?'],
  accounts: 'Accounts',
  /** @param {string} bank */
  accountsAt: (bank) => `Accounts at ${bank}`,
  logInAgain: 'Log in again',
  /** @param {string} bank */
  logInTo: (bank) => `Log in to ${bank} again`,
  asksAgain: ' asks you to log in to your bank again. Nothing else changes.',
  outcomes: { linked: 'Access allowed', updated: 'Logged in again', cancelled: 'Nothing was connected' },
  close: 'You can close this page.',
  closeAndStart: 'You can close this page and start again in the app.',
  token: 'The bank is connected when the app exchanges this public token, which is valid once and for 30 minutes: ',
  noBank: 'Choose a bank.',
  noAccount: 'Choose at least one account.',
  failed: 'Link can’t go on',
  unknownOrigin: 'This app’s address is not one that this service knows.',
  unknownToken: 'This link token is unknown, used or expired.',
};

/** The tracker’s sign-in and page of consent. */
export const ticketsConsent = {
  title: 'Connect Tickets',
  asks: ' asks for access to the tickets of your company.',
  who: 'Sign in as',
  may: 'It may',
  read: 'Read tickets, comments and who you are',
  write: 'Create, change and delete tickets and comments',
  allow: 'Allow',
  deny: 'Deny',
  incomplete: 'The form is not complete.',
  failed: 'Tickets can’t be connected',
};

/** The identity provider’s sign-in. */
export const identitySignIn = {
  title: 'Sign in',
  user: 'User',
  other: 'Another user',
  signIn: 'Sign in',
  failed: 'Sign-in failed',
};

/** The sandbox’s page of things that happen. */
export const sandboxEvents = {
  title: 'Let something happen',
  lead: 'What happens here, happens to the sandbox’s accounts as if somebody else had done it. Automations see it within a minute.',
  now: 'It is now',
  /** @param {string} time */
  inUtc: (time) => `${time} UTC`,
  account: 'Account',
  noAccount: 'No account is connected yet: what happens, happens to the account of demo@example.com.',
  mail: 'Mail',
  from: 'From',
  subject: 'Subject',
  text: 'Text',
  empty: 'Empty fields are filled in.',
  mailArrives: 'Let a mail arrive',
  invoiceArrives: 'Let an invoice arrive',
  newsletterArrives: 'Let a newsletter arrive',
  calendar: 'Calendar and files',
  invitation: 'Let an invitation arrive',
  meetingSoon: 'Let a meeting start in 20 minutes',
  eventMoves: 'Move the next event',
  fileShared: 'Let a file be shared',
  bank: 'Bank',
  payment: 'Make a large payment',
  posted: 'Post the pending payments',
  clock: 'Clock',
  hour: 'Advance the clock by an hour',
  tomorrow: 'Advance the clock to tomorrow, 08:00',
  moves: 'This moves the clock of the service, too. A restart sets it right again.',
  /** @param {string} what */
  done: (what) => `Done: ${what}.`,
  notifications: 'What Steward has sent',
};

/** The sandbox’s page of what the service has sent. */
export const sandboxNotifications = {
  title: 'What Steward has sent',
  /** @param {string} time */
  inUtc: (time) => `${time} UTC`,
  lead: 'Mail, push messages and webhooks that reach nobody but this page. The newest is first; a restart empties it.',
  mails: 'Mails',
  pushes: 'Push messages',
  webhooks: 'Webhooks',
  none: 'None yet.',
  /** @param {boolean | null} verified */
  signature: (verified) => (verified === null ? 'signature not checked' : verified ? 'signature valid' : 'signature wrong'),
};
