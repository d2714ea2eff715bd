/** Texts of the console's frame: navigation, addresses, sign-in, session. */
export const frame = {
  waiting: (count) => (count === 1 ? ' thing needs you' : ' things need you'),
  pending: ' pending',
  signInTitle: 'Sign in',
  signIn: 'Sign in',
  signInAs: (name) => `Sign in as ${name}`,
  signInAgain: 'Sign in again',
  signInAgainAs: (name) => `Sign in again as ${name}`,
  sandboxUsers: 'Users of the sandbox. No password is needed.',
  anotherName: 'Another user',
  nameHint: 'Lower-case letters, digits, dot, hyphen and underscore.',
  pasteToken: 'Paste an ID token',
  useToken: 'Use this token',
  noSignIn: 'Nobody can sign in yet: the operator of this service has to set up OIDC_CLIENT_ID or SIGN_IN_URL.',
  until: (time) => `signed in until ${time}`,
  ending: (time) => `You are signed in until ${time}. What you have typed is kept in this browser.`,
  staySignedIn: 'Stay signed in',
  why: {
    ended: 'Your sign-in has ended. Sign in again to go on where you are.',
    ending: 'Your sign-in ends soon. Sign in again to go on where you are.',
    recent: 'This requires a sign-in within the last five minutes. Then it goes on by itself.',
  },
  ended: 'Your sign-in has ended. Sign in again. What you have typed is kept in this browser.',
  signedOut: 'You are signed out.',
  signedOutElsewhere: 'You have signed out in another tab.',
  anotherUser: (label) => `You are signed in as ${label} now, by a sign-in in another tab.`,
  noLongerSignedIn: 'You are no longer signed in.',
  needAttention: (count) => (count === 1 ? ' needs attention' : ' need attention'),
};

/** What stands where something is not there any more, and the way on. */
export const gone = {
  conversation: { text: 'This conversation does not exist any more.', way: 'New conversation' },
  action: { text: 'There is no action of this name.', way: 'All actions' },
  run: 'This run is not kept any more: runs are kept until the page is loaded again.',
  account: { text: 'This account is not connected any more.', way: 'All accounts' },
  client: { text: 'This app is not connected any more.', way: 'All connected apps' },
};

export const dialogTexts = { cancel: 'Cancel' };

/** Of what is loaded, copied and sent. */
export const kit = {
  loading: 'Loading …',
  notLoaded: 'This could not be loaded. ',
  tryAgain: 'Try again',
  request: 'Request ',
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'Not copied: select it',
  dismiss: 'Dismiss this message',
  stopped: 'Stopped.',
  status: (status) => `The server responded with status ${status}.`,
  unreachable: 'Steward can’t be reached. Try again when the connection is back.',
};

export const checklist = {
  title: 'First steps ',
  hide: 'Hide',
  name: 'first steps',
  done: ' (done)',
  count: (done, all) => `You did ${done} of ${all}`,
  steps: {
    workspace: 'Connect a workspace',
    bank: 'Connect a bank',
    ask: 'Ask the assistant',
    attack: 'See an attack fail',
    action: 'Try an action',
    app: 'Connect an app',
  },
  /** What each is for, and what ticks it. */
  about: {
    workspace: 'Mail, calendar and files, which the assistant uses for you.',
    bank: 'Balances and transactions, which nothing can change.',
    ask: 'In your own words, in a conversation.',
    attack: 'A mail orders the assistant to send your data away. See what Steward does.',
    action: 'Run one yourself: what the assistant runs doesn’t count.',
    app: 'Another assistant, or a script, that acts for you.',
  },
};
