/** Texts of Notifications. */
export const notificationsView = {
  title: 'Notifications',
  about:
    'Where Steward tells you that something needs you while this page is closed. A message says what waits and leads here; nothing can be decided in it.',
  list: 'Where you are told',
  none: 'You are told nowhere but on this page yet.',
  types: { mail: 'Mail', push: 'Browser', webhook: 'Webhook' },
  states: {
    unconfirmed: 'Not confirmed yet',
    off: 'Switched off',
  },
  unconfirmed: 'Open the link in the mail that was sent there. It can be used once, within 24 hours.',
  off: 'Nothing is sent there any more, because it failed. Remove it and add it again.',
  errors: {
    unreachable: 'it could not be reached',
    timed_out: 'it did not answer in time',
    forbidden_address: 'its address is not in the public internet',
    rejected: 'it was refused there',
    gone: 'it does not exist any more',
  },
  failed: (reason) => `The last message was not delivered: ${reason}.`,
  lastSent: (time) => `last message ${time}`,
  neverSent: 'nothing was sent yet',
  test: 'Send a test',
  tested: (name) => `A test was sent to ${name}.`,
  linkAgain: 'Send the link again',
  linkSent: (name) => `A new link was sent to ${name}.`,
  remove: 'Remove',
  removeQuestion: (name) => `Remove ${name}?`,
  removeMeans: 'Nothing more is sent there. What waits for it is dropped.',
  removed: (name) => `${name} is removed.`,
  told: (kinds) => `told of ${kinds}`,
  kindWords: { 'approval.waits': 'questions', 'run.finished': 'finished runs', 'needs.attention': 'what needs attention' },
  withSummaries: 'says what a question is about',
};

/** The form that adds a channel. */
export const newChannel = {
  title: 'Add another',
  where: 'Where',
  wheres: {
    mail: ['Mail', 'an address that you confirm by a link'],
    push: ['This browser', 'also while this page is closed'],
    webhook: ['Webhook', 'an address of your own program: ids and kinds only, signed'],
  },
  unavailable: {
    mail: 'Mail is not set up on this server.',
    webhook: 'Webhooks are not set up on this server.',
    push: 'This browser can’t receive messages here.',
    denied: 'You have forbidden messages of this page in the browser’s settings.',
  },
  address: 'Mail address',
  url: 'Address (https)',
  urlExample: 'https://',
  kinds: 'What you are told',
  kindNames: {
    'approval.waits': 'A question waits for your decision',
    'run.finished': 'A run of an automation has finished',
    'needs.attention': 'Something needs attention',
  },
  kindsAbout: { 'needs.attention': 'an account to reconnect, an automation that was paused' },
  summaries: 'Also say which action a question is about',
  summariesAbout: 'never what others wrote',
  add: { mail: 'Send the link', push: 'Turn on for this browser', webhook: 'Add' },
  added: {
    mail: (address) => `A link was sent to ${address}. Open it in this browser to confirm the address.`,
    push: () => 'This browser will be told.',
    webhook: (host) => `Messages go to ${host} from now on.`,
  },
  secret: 'Check the signatures with this secret. It is shown only once: ',
  copySecret: 'the secret',
  notAllowed: 'The browser did not allow messages.',
  notSubscribed: 'The browser could not reach its push service. Try again later.',
  /** How a browser is called in the list. */
  browser: (name, platform) => (platform === '' ? name : `${name} on ${platform}`),
  someBrowser: 'Browser',
};

/** When nothing but what can’t wait is told. */
export const quietHours = {
  title: 'Quiet hours',
  about: (zone) => `Nothing is sent meanwhile, by ${zone}, except questions that would expire.`,
  on: 'Keep quiet hours',
  from: 'From',
  to: 'To',
  save: 'Save',
  saved: 'Your quiet hours are saved.',
};
