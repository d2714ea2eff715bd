import { counted, english } from '../english.js';

/** The providers, as people know them. */
const PROVIDERS = { workspace: 'Google', bank: 'The bank' };

/** What may be done in an account, and with it. */
export const access = {
  permit: 'Permit changes',
  permitted: (name) => `Assistants can change ${name} again.`,
  setReadOnly: 'Set to read-only',
  isReadOnly: (name) => `${name} is read-only. Assistants can change nothing in it.`,
  readOnly: 'Read only',
  disconnect: 'Disconnect',
  disconnectQuestion: (name) => `Disconnect ${name}?`,
  disconnected: (name) => `${name} is disconnected.`,
};

/** The card of the workspace accounts. */
export const workspace = {
  title: 'Workspace accounts',
  about:
    'Mail, calendar, documents, drive, spreadsheets and presentations. Assistants use the default account unless a call names another one.',
  none: 'No workspace account is connected yet.',
  default: 'Default',
  ended: 'Reconnect required',
  makeDefault: 'Make default',
  isDefault: (address) => `${address} is now the default.`,
  disconnectMeans: 'Assistants lose access to it immediately, and access is revoked at the provider.',
  address: 'Mail address of the account',
  connect: 'Connect',
  connectAddress: (address) => `Connect ${address}`,
  inSandbox: 'In the sandbox, try ',
};

/** The card of the banks. */
export const bank = {
  title: 'Bank accounts',
  about: 'Balances and transactions, read only.',
  none: 'No bank is connected yet.',
  select: 'Select accounts',
  disconnectMeans: 'Assistants lose access to its accounts immediately, and access is revoked at the aggregator.',
  states: { relink_required: 'Reconnect required', item_gone: 'No longer available' },
  warnings: { pending_disconnect: 'Access ends', pending_expiration: 'Consent ends' },
  /** @param day left out: it is not known */
  ends: (warning, day) => `${warning} ${day ?? 'soon'}`,
  newAccounts: 'New accounts available',
  blocked: 'The browser blocked the pop-up window. Allow pop-ups for this page and try again.',
  notConnected: 'The bank could not be connected.',
  noWidget: 'The aggregator’s widget could not be loaded.',
};

/** The card of the sources. */
export const sources = {
  title: 'Other servers',
  about:
    'Servers of others, such as a tracker or your notes, that assistants may use for you. What an assistant asks one of them, it learns: Steward asks you before anything else you have could reach it.',
  none: 'No other server is connected yet.',
  connect: (name) => `Connect ${name}`,
  connectAnother: (name) => `Connect another account of ${name}`,
  default: 'Default',
  makeDefault: 'Make default',
  isDefault: (name) => `${name} is now the default.`,
  ended: 'Reconnect required',
  answeredFor: 'the operator of this service answers for it',
  reading: 'its tools are being read',
  allowed: (count) => counted(count, '1 tool', (number) => `${number} tools`),
  /** @param scopes as the server calls them */
  wantsMore: (name, scopes) => `${name} asks for more access (${scopes}). Reconnect it to give that.`,
  unread: (why) => `its tools could not be read: ${why}; Steward tries again`,
  /** By the code of the error. */
  problems: {
    provider_error: 'the server sent something that is no list of tools, or reported a fault',
    provider_timeout: 'the server did not answer in time',
    too_large: 'the list is too long',
  },
  held: (count) => counted(count, '1 tool to look at', (number) => `${number} tools to look at`),
  tools: 'Tools',
  disconnectMeans: 'Assistants lose access to it immediately, and its access is revoked where the server can do that.',
};

/** The tools of a connection. */
export const sourceTools = {
  title: (name) => `Tools of ${name}`,
  about:
    'What the server says of its tools, as it was when you connected. A tool that the server changes or adds afterwards can’t be used until you allow it.',
  none: 'None of its tools is listed yet.',
  states: { allowed: 'Allowed', held: 'Held', blocked: 'Blocked', gone: 'Not offered' },
  unusable: (why) => `The server offers it, but it can’t be used, because ${why}.`,
  isNew: 'This tool is new.',
  changed: (fields) => `Changed since it was allowed: ${english.list(fields)}.`,
  fields: {
    name: 'name',
    title: 'title',
    description: 'description',
    inputSchema: 'what it takes',
    outputSchema: 'what it returns',
    annotations: 'what it says about its effects',
    _meta: 'further details',
  },
  before: 'Allowed',
  now: 'Now',
  nothing: 'Nothing',
  byOperator: 'The operator of this service decides on this tool.',
  look: 'See what has changed',
  allow: 'Allow',
  block: 'Block',
  isAllowed: (tool) => `${tool} may be used.`,
  isBlocked: (tool) => `${tool} is blocked.`,
  close: 'Close',
};

/** How connecting a source ended, by the code of the result. */
export const sourceFlow = {
  access_denied: 'Access was denied. Nothing was connected.',
  account_mismatch: 'A different account was selected. Nothing was connected.',
  expired: 'The request expired. Connect again.',
  provider_error: 'The server sent an unexpected response. Try again later.',
  other: 'The server could not be connected.',
  connected: 'The server is connected. Its tools are being read.',
};

/** How connecting a workspace account ended, by the code of the result. */
export const flow = {
  access_denied: 'Access was denied. No account was connected.',
  account_mismatch: 'A different account was selected. No account was connected.',
  expired: 'The request expired. Connect again.',
  no_refresh_token: 'The provider issued no refresh token. Remove Steward from the connected apps of the account, then connect again.',
  missing_scopes: 'Access to the mail address is required. Connect again and allow it.',
  provider_error: 'The provider sent an unexpected response. Try again later.',
  other: 'The account could not be connected.',
  connected: 'The workspace account is connected.',
  connectedWithout: (missing) => `The workspace account is connected. ${missing}`,
};

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
  noSource: (name) => `${name} is not connected. The assistant needs it for this.`,
  heldTool: (name) => `A tool of ${name} has changed. It is not used until you have looked at it.`,
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
  bankBeside: 'The bank is connected. Another connection to it may include the same account. Both are kept.',
  noBank: 'No bank was connected.',
};

/** The view of the accounts. */
export const accountsView = {
  title: 'Accounts',
  about: 'Connected once, used by every assistant. The tokens never leave this service and are encrypted with your own key.',
};
