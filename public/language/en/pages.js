// @ts-check

/** What is on each of Steward's own pages. */
export const pages = {
  name: 'Steward',
  at: ' at ',
  signedInAs: 'Signed in as ',
  signOut: 'Sign out',
  signedOut: 'Signed out',
  youAreSignedOut: 'You are signed out',
  signInAgain: 'Sign in again',
  youSignedInAs: 'You have just signed in as ',
  signedIn: 'Signed in',
  youAreSignedIn: 'You are signed in',
  lead: 'Continue',
  leadHint: 'If this page doesn’t lead on by itself: ',
  /** @param {string} page @param {string} host */
  title: (page, host) => `${page} · Steward at ${host}`,
  goHome: 'Go to Steward',
  /** @param {string} host */
  backTo: (host) => `Back to ${host}`,
  backToApp: 'Back to the app',
  close: 'You can close this window.',
};

/** Pages of errors, by code. @type {{ headings: Record<string, string>, otherHeading: string, code: string, request: string, sentences: Record<string, string> }} */
export const errors = {
  headings: {
    not_found: 'Page not found',
    method_not_allowed: 'Nothing to see here',
    rate_limited: 'Too many requests',
    unavailable: 'Not available now',
    internal: 'Something went wrong',
  },
  otherHeading: 'This did not work',
  code: 'Code ',
  request: ', request ',
  /** In place of the message, which is for programs. */
  sentences: {
    not_found: 'There is no page at this address.',
    method_not_allowed: 'This address is not a page that a browser can open.',
  },
};

/** The page that asks whether the user of this browser began to connect an account. */
export const confirmation = {
  title: 'Confirm access',
  heading: 'Connect this account?',
  connect: 'Connect the workspace account ',
  connectSource: 'Connect the account ',
  toSame: ' to the Steward user with the same address?',
  toUser: ' to the Steward user ',
  only: 'Continue only if you started this.',
  yes: 'Yes, I started this',
  no: 'Cancel',
  until: 'Nothing is connected until you confirm.',
};

/** The page on which a user connects a source that has no sign-in of its own. */
export const sourceEntry = {
  title: 'Connect a source',
  heading: 'Connect this source?',
  connect: 'Connect ',
  at: ' at ',
  to: ' to the Steward user ',
  sees: 'Who runs it sees what your assistant sends there, and your assistant reads what it answers.',
  value: 'Key or token',
  /** @param {string} host */
  hint: (host) => `It is stored encrypted, sent to ${host} only, and never shown again.`,
  yes: 'Connect',
  no: 'Cancel',
};
