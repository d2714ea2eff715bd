import { isolated, visibleText } from '../page/page-text.js';

const PROVIDERS = { workspace: 'workspace account', bank: 'bank' };
const STATUS = {
  active: 'works again',
  reauth_required: 'has to be connected again',
  relink_required: 'has to be connected again',
  item_gone: 'is no longer available',
};
const REASONS = {
  disconnected: 'because its account was disconnected',
  reconfigured: 'because the configuration of its action changed',
  exposed: 'because more people would see it by now',
  revoked: 'because the app that asked was disconnected',
  read_only: 'because its account is read-only now',
  thread_deleted: 'because its conversation was deleted',
};
/** Where a call came from, if not from this page or another front end of the user's. */
const SURFACES = { mcp: 'over MCP', http: 'over HTTP' };
const ASSISTANT = 'The assistant';
/** Rows that are not about the call itself. */
const SIDE = new Set(['allowance_created']);

/**
 * What happened, newest first: `{at, kind, tone, text, detail}`, `at` in milliseconds. `kind` is `call`, `approval` or
 * `account`; `tone` is `good`, `attention`, `bad` or empty.
 *
 * @param entries of the audit log, newest first
 * @param session names accounts and clients, and has the events of which the audit log knows nothing
 */
export function sentencesOf(entries, session) {
  const calls = [...Map.groupBy(entries, ({ call_id: id }) => id).values()];
  const told = [...calls.map((rows) => ofCall(rows, session)), ...session.events.list.map((event) => ofEvent(event, session))];
  return told.filter((one) => one !== undefined).sort((one, other) => other.at - one.at);
}

/** One sentence for all rows of a call. */
function ofCall(rows, session) {
  const [last] = rows.filter(({ decision }) => !SIDE.has(decision));
  if (last === undefined) return undefined;
  const [text, kind, tone] = told(last, rows, namesOf(last, session));
  const took = last.milliseconds > 0 && last.outcome === 'ok' && kind === 'call' ? `${last.milliseconds} ms` : undefined;
  const from = kind === 'account' ? undefined : SURFACES[last.surface];
  const detail = [from, took].filter((one) => one !== undefined).join(', ');
  return { at: Date.parse(last.at), text, kind, tone, detail };
}

function namesOf({ action, account_id: accountId, client_id: clientId, surface }, session) {
  const account = accountId === null ? undefined : (session.nameOf(accountId) ?? 'a disconnected account');
  const client = session.clients.value?.find(({ id }) => id === clientId);
  const user = surface === 'assistant' ? ASSISTANT : 'You';
  const who = clientId === null ? user : `“${client === undefined ? 'A disconnected app' : isolated(visibleText(client.name))}”`;
  return { who, action, account, call: account === undefined ? action : `${action} for ${account}` };
}

/** The sentence, its kind and its tone. */
function told(last, rows, names) {
  const { decision, outcome } = last;
  const failed = outcome === 'ok' ? '' : `, which failed: ${outcome}`;
  const { who, call, account } = names;
  const asked = who === ASSISTANT ? `the assistant’s ${call}` : call;
  const approval = rows.find((row) => row.decision === 'approved' || row.decision === 'edited');
  if (approval !== undefined && decision !== 'denied') {
    const changed = rows.some((row) => row.decision === 'edited') ? ', with changed details' : '';
    return [`You approved ${asked}${changed}${failed}`, 'approval', failed === '' ? 'good' : 'bad'];
  }
  const sentences = {
    denied: [`You denied ${asked}`, 'approval', 'bad'],
    approval_required: [`${who} asked to run ${call}`, 'approval', 'attention'],
    allowance_used: [`${who} ran ${call}, which you had allowed in advance${failed}`, 'call', failed === '' ? 'good' : 'bad'],
    allowance_revoked: [`You revoked what you had allowed: ${call}`, 'approval', ''],
    read_only_set: [`You set ${account} to read-only`, 'account', ''],
    read_only_lifted: [`You permitted changes in ${account} again`, 'account', ''],
    token_created: [`You made the token ${names.who}`, 'account', ''],
    token_revoked: [`You disconnected the token ${names.who}`, 'account', ''],
    client_connected: [`You connected the app ${names.who}`, 'account', 'good'],
    client_revoked: [`You disconnected the app ${names.who}`, 'account', ''],
    refused: [`${who} tried ${call}, which was refused: ${outcome}`, 'call', 'bad'],
    started: [`${who} started ${call}`, 'call', ''],
  };
  return sentences[decision] ?? [`${who} ran ${call}${failed}`, 'call', failed === '' ? 'good' : 'bad'];
}

/** Events that are not in the audit log. */
function ofEvent({ event, data, at }, session) {
  const provider = PROVIDERS[data.provider] ?? 'account';
  const name = session.nameOf(data.account);
  const account = name === undefined ? `a ${provider}` : `the ${provider} ${name}`;
  const capital = `${account.charAt(0).toUpperCase()}${account.slice(1)}`;
  const sentences = {
    'account.connected': [`You connected ${account}`, 'account', 'good'],
    'account.disconnected': [`You disconnected ${account}`, 'account', ''],
    'account.status': [
      `${capital} ${STATUS[data.status] ?? `is ${data.status}`}`,
      'account',
      data.status === 'active' ? 'good' : 'attention',
    ],
    'account.warning': [
      data.warning === null ? `Access to ${account} no longer ends soon` : `Access to ${account} ends soon`,
      'account',
      data.warning === null ? 'good' : 'attention',
    ],
    'account.new_accounts': [`${capital} has further accounts to share`, 'account', 'attention'],
    'account.changed': [`${capital} shares fewer accounts`, 'account', ''],
    'account.transactions': [`${capital} has new transactions`, 'account', ''],
    'approval.expired': [`Nobody decided about ${data.action} in time`, 'approval', 'bad'],
    'approval.ended': [`The question about ${data.action} ended, ${REASONS[data.reason] ?? `because of ${data.reason}`}`, 'approval', ''],
    'integrations.updated': ['The integrations were reloaded', 'account', ''],
  };
  const [text, kind, tone] = sentences[event] ?? [];
  return text === undefined ? undefined : { at: Date.parse(at), text, kind, tone };
}
