/** The providers, as people know them. */
const PROVIDERS = { workspace: 'Google', bank: 'The bank' };

/** Texts about accounts. */
export const accounts = {
  connect: { workspace: 'Connect a workspace account', bank: 'Connect a bank' },
  reconnect: 'Reconnect',
  tryAgain: 'Try again',
  details: 'Details',
  none: {
    workspace: 'No workspace account is connected. The assistant needs one for this.',
    bank: 'No bank is connected. The assistant needs one for this.',
  },
  ended: (name) => `Access to ${name} has ended.`,
  loginAsked: (name) => `${name} asks you to sign in again.`,
  gone: (name) => `${name} no longer knows this connection. Connect it again.`,
  denied: (name, missing) => `${name} does not permit this. ${missing}`.trim(),
  worksAgain: (name) => `${name} works again.`,
  stillLoading: (name) => `${name} is still loading.`,
  noAnswer: (provider, name) =>
    `${provider === 'bank' && name !== undefined ? name : (PROVIDERS[provider] ?? 'The provider')} did not answer. Try again.`,
  reconnected: (name) => `${name} is reconnected.`,
  unchanged: (name) => `${name} is unchanged.`,
  bankConnected: 'The bank is connected.',
  bankBeside: ' Another connection to this bank may include the same account. Both are kept.',
  noBank: 'No bank was connected.',
};
