// @ts-check

/** The page on which a user decides what an app may do. */
export const consent = {
  title: 'Connect an app',
  heading: 'Connect an app?',
  nameless: 'An app without a name',
  asks: ' asks for access to your accounts.',
  runsHere: 'It runs on this computer',
  runsAt: 'Access goes to ',
  unreachable: 'Its publisher could not be reached, so nothing about the app has been verified.',
  selfRegistered: 'The app registered itself. It chose its own name, which is not verified.',
  publishedAt: 'Published at ',
  verified: ', which has been verified. The app chose its own name.',
  localWarning: 'Any program on this computer could use this name. Continue only if you have just started this yourself.',
  agents: 'What it may use',
  access: 'What it may do',
  readsOnly: 'It asks to read only, and may change nothing.',
  read: 'Read only',
  readMeans: 'It can’t create, change or send anything.',
  write: 'Read, and make changes',
  accounts: 'With which accounts',
  /** @type {Record<string, string>} */
  kinds: { workspace: 'workspace account', bank: 'bank' },
  later: 'Also accounts that you connect later',
  duration: 'For how long',
  /** @param {number} count */
  days: (count) => (count === 1 ? '1 day' : `${count} days`),
  allow: 'Allow',
  deny: 'Deny',
  afterwards: 'You can disconnect the app at any time. Calls that others would see, or that delete, still wait for your approval.',
  noAgent: 'Tick at least one thing that the app may use, or deny it.',
  noAccount: 'Tick at least one account, or deny it.',
  decided: 'Decided',
  decidedAlready: 'You have decided this already.',
};
