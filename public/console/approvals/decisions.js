const DAY_MS = 24 * 60 * 60 * 1000;
const DECIDED = new Set(['approved', 'edited', 'denied']);
/** Rows that are there before the call has ended. */
const BEFORE = new Set(['approved', 'edited', 'allowance_created', 'started']);
/** A call that has left no end by then was cut off. */
const LONGEST_MS = 15 * 60 * 1000;
const EVENTS = { 'approval.expired': 'expired', 'approval.ended': 'ended' };

/**
 * How the questions of the last day ended, wherever they were decided, newest first: `{id, at, action, accountId, surface,
 * status, outcome}`. `status` is `approved`, `edited`, `denied`, `expired` or `ended`; `outcome` that of the call: `ok`, the
 * code of an error, or undefined while it runs.
 *
 * @param session has the audit log of the last day, and the events, which alone know of those that nobody decided
 */
export function decisionsOf({ audit, events }) {
  const rows = Map.groupBy(audit.value?.entries ?? [], ({ call_id: id }) => id);
  const decided = [...rows].flatMap(([id, [last, ...before]]) => ofCall(id, [last, ...before]));
  const others = events.list.flatMap(({ event, data, at }) =>
    EVENTS[event] === undefined ? [] : [{ id: data.approvalId, at, action: data.action, accountId: data.account, status: EVENTS[event] }],
  );
  const known = new Set(decided.map(({ id }) => id));
  return [...decided, ...others.filter(({ id }) => !known.has(id))]
    .filter(({ at }) => Date.now() - at < DAY_MS)
    .sort((one, other) => other.at - one.at);
}

/** @param rows newest first */
function ofCall(id, rows) {
  const decision = rows.find((row) => DECIDED.has(row.decision));
  if (decision === undefined) return [];
  const status = rows.some((row) => row.decision === 'edited') ? 'edited' : decision.decision;
  const { decision: step, outcome } = rows[0];
  const { action, account_id: accountId, surface, at } = decision;
  return [{ id, at: Date.parse(at), action, accountId, surface, status, outcome: BEFORE.has(step) ? missing(at) : outcome }];
}

/** The outcome of a call that has none. */
const missing = (at) => (Date.now() - Date.parse(at) > LONGEST_MS ? 'outcome_unknown' : undefined);
