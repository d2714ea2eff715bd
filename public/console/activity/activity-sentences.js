import { actionName } from '../../language/en/actions.js';
import { accountWords, CALLS, EVENTS, NAMES } from '../../language/en/activity.js';
import { reasonOf } from '../../language/en/failures.js';
import { quotedName, visibleText } from '../page/page-text.js';

/** Rows that are not about the call itself. */
const SIDE = new Set(['allowance_created']);

/**
 * What happened, newest first: `{at, kind, tone, text, detail, action, code}`, `at` in milliseconds. `kind` is `call`, `approval` or
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
  const took = last.milliseconds > 0 && last.outcome === 'ok' && kind === 'call' ? NAMES.took(last.milliseconds) : undefined;
  // Not of calls from this page, or another front end of the user's.
  const from = kind === 'account' ? undefined : NAMES.surfaces[last.surface];
  const detail = [from, took].filter((one) => one !== undefined).join(', ');
  const code = last.outcome === 'ok' ? undefined : last.outcome;
  return { at: Date.parse(last.at), text, kind, tone, detail, action: last.action, code };
}

function namesOf({ action, account_id: accountId, client_id: clientId, surface }, session) {
  const account = accountId === null ? undefined : (session.nameOf(accountId) ?? NAMES.goneAccount);
  const client = session.clients.value?.find(({ id }) => id === clientId);
  const isAssistant = clientId === null && surface === 'assistant';
  const app = () => (client === undefined ? NAMES.goneApp : NAMES.app(quotedName(client.name), client.redirect_host));
  const who = isAssistant ? NAMES.assistant : clientId === null ? NAMES.you : app();
  const call = NAMES.call(visibleText(actionName(action)), account);
  // Of a decision on a tool, the action is its source and its name there.
  const tool = quotedName(action.slice(action.indexOf('/') + 1));
  return { who, account, call, tool, asked: isAssistant ? NAMES.ofAssistant(call) : call };
}

/** The sentence, its kind and its tone. */
function told(last, rows, names) {
  const { decision, outcome } = last;
  const isFailed = outcome !== 'ok';
  const about = { ...names, reason: reasonOf(outcome), ended: isFailed ? failed(outcome) : '' };
  const result = isFailed ? 'bad' : 'good';
  if (rows.some((row) => row.decision === 'approved' || row.decision === 'edited') && decision !== 'denied') {
    return [CALLS.approved({ ...about, edited: rows.some((row) => row.decision === 'edited') }), 'approval', result];
  }
  const [kind, tone = result] = Object.hasOwn(KINDS, decision) ? KINDS[decision] : ['call'];
  return [(Object.hasOwn(KINDS, decision) ? CALLS[decision] : CALLS.ran)(about), kind, tone];
}

const failed = (outcome) => (outcome === 'outcome_unknown' ? NAMES.unknown : NAMES.failed(reasonOf(outcome)));

/** By the decision: the kind, and the tone unless it is that of the outcome. Any other decision is a call that ran. */
const KINDS = {
  denied: ['approval', 'bad'],
  approval_required: ['approval', 'attention'],
  allowance_used: ['call'],
  allowance_revoked: ['approval', ''],
  read_only_set: ['account', ''],
  read_only_lifted: ['account', ''],
  token_created: ['account', ''],
  token_revoked: ['account', ''],
  client_connected: ['account', 'good'],
  client_revoked: ['account', ''],
  tool_allowed: ['account', ''],
  tool_blocked: ['account', ''],
  refused: ['call', 'bad'],
  started: ['call', ''],
};

/** Events that are not in the audit log. */
function ofEvent({ event, data, at }, session) {
  if (!Object.hasOwn(EVENT_KINDS, event)) return undefined;
  const account = accountWords(data.provider, session.nameOf(data.account));
  const action = data.action === undefined ? undefined : NAMES.call(visibleText(actionName(data.action)));
  const [kind, tone] = EVENT_KINDS[event](data);
  return { at: Date.parse(at), text: EVENTS[event]({ ...data, account, action }), kind, tone };
}

const EVENT_KINDS = {
  'account.connected': () => ['account', 'good'],
  'account.disconnected': () => ['account', ''],
  'account.status': ({ status }) => ['account', status === 'active' ? 'good' : 'attention'],
  'account.warning': ({ warning }) => ['account', warning === null ? 'good' : 'attention'],
  'account.new_accounts': () => ['account', 'attention'],
  'account.changed': () => ['account', ''],
  'account.transactions': () => ['account', ''],
  'approval.expired': () => ['approval', 'bad'],
  'approval.ended': () => ['approval', ''],
  'integrations.updated': () => ['account', ''],
};
