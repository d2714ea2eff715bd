/** Texts of Activity. */
export const ACTIVITY = {
  title: 'Activity',
  about: 'Every call of an action and every change of your accounts. The last day is loaded; no content is recorded.',
  happened: 'What happened',
  show: 'Show',
  kinds: [
    ['', 'Everything'],
    ['call', 'Calls'],
    ['approval', 'Approvals'],
    ['account', 'Accounts and apps'],
  ],
  older: 'Load older',
  empty: 'Nothing has happened yet.',
  noneOfKind: 'Nothing of this kind is in what is loaded.',
  today: 'Today',
  yesterday: 'Yesterday',
};

/** Who did it, and to what. */
export const NAMES = {
  you: 'You',
  assistant: 'The assistant',
  /** The name is the app's own word; its host can be checked. */
  app: (name, host) => (host === null ? `“${name}”` : `“${name}” (${host})`),
  goneApp: 'A disconnected app',
  goneAccount: 'a disconnected account',
  call: (action, account) => (account === undefined ? `“${action}”` : `“${action}” for ${account}`),
  ofAssistant: (call) => `the assistant’s ${call}`,
  surfaces: { mcp: 'over MCP', http: 'over HTTP' },
  took: (ms) => `${ms} ms`,
  failed: (reason) => `, which failed: ${reason}`,
  unknown: ', but whether it was done is not known',
};

/** What became of a call. `ended`: that it failed, or nothing. */
export const CALLS = {
  approved: ({ asked, edited, ended }) => `You approved ${asked}${edited ? ', with changed details' : ''}${ended}`,
  denied: ({ asked }) => `You denied ${asked}`,
  approval_required: ({ who, call }) => `${who} asked to run ${call}`,
  allowance_used: ({ who, call, ended }) => `${who} ran ${call}, which you had allowed in advance${ended}`,
  allowance_revoked: ({ call }) => `You revoked what you had allowed: ${call}`,
  read_only_set: ({ account }) => `You set ${account} to read-only`,
  read_only_lifted: ({ account }) => `You permitted changes in ${account} again`,
  token_created: ({ who }) => `You made the token ${who}`,
  token_revoked: ({ who }) => `You disconnected the token ${who}`,
  client_connected: ({ who }) => `You connected the app ${who}`,
  client_revoked: ({ who }) => `You disconnected the app ${who}`,
  tool_allowed: ({ tool, account }) => `You allowed the tool “${tool}” of ${account}`,
  tool_blocked: ({ tool, account }) => `You blocked the tool “${tool}” of ${account}`,
  refused: ({ who, call, reason }) => `${who} tried ${call}, which was refused: ${reason}`,
  started: ({ who, call }) => `${who} started ${call}`,
  ran: ({ who, call, ended }) => `${who} ran ${call}${ended}`,
};

const ACCOUNT_STATUS = {
  active: 'works again',
  reauth_required: 'has to be connected again',
  relink_required: 'has to be connected again',
  item_gone: 'is no longer available',
};
const END_REASONS = {
  disconnected: 'because its account was disconnected',
  reconfigured: 'because the configuration of its action changed',
  exposed: 'because more people would see it by now',
  revoked: 'because the app that asked was disconnected',
  read_only: 'because its account is read-only now',
  thread_deleted: 'because its conversation was deleted',
};
const PROVIDERS = { workspace: 'workspace account', bank: 'bank', mcp: 'source' };

/** “the bank First Platypus Bank”; without a name “a bank”. */
export function accountWords(provider, name) {
  const kind = PROVIDERS[provider] ?? 'account';
  return name === undefined ? `a ${kind}` : `the ${kind} ${name}`;
}

const capital = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** What the audit log does not hold. */
export const EVENTS = {
  'account.connected': ({ account }) => `You connected ${account}`,
  'account.disconnected': ({ account }) => `You disconnected ${account}`,
  'account.status': ({ account, status }) => `${capital(account)} ${ACCOUNT_STATUS[status] ?? `is ${status}`}`,
  'account.warning': ({ account, warning }) => `Access to ${account} ${warning === null ? 'no longer ends soon' : 'ends soon'}`,
  'account.new_accounts': ({ account }) => `${capital(account)} has further accounts to share`,
  'account.changed': ({ account }) => `${capital(account)} shares fewer accounts`,
  'account.transactions': ({ account }) => `${capital(account)} has new transactions`,
  'approval.expired': ({ action }) => `Nobody decided about ${action} in time`,
  'approval.ended': ({ action, reason }) => `The question about ${action} ended, ${END_REASONS[reason] ?? `because of ${reason}`}`,
  'integrations.updated': () => 'The integrations were reloaded',
};
