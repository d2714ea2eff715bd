import type { DataKey } from '../../crypto/envelope.ts';
import type { Queryable } from '../../database/database.ts';
import { AppError } from '../../errors.ts';
import { rateLimited } from '../../rate-limit/sliding-window.ts';
import type { Call } from '../call/call.ts';
import { otherArguments } from '../idempotency/idempotency.ts';
import { approvedAlready } from './approval-checks.ts';
import { selectUnreceived } from './approval-outcomes-repository.ts';
import { type ApprovalPreview, preview, unseal } from './approval-preview.ts';
import {
  type ApprovalRow,
  type ApprovalSubject,
  countAsked,
  countOpenApprovals,
  insertApproval,
  type NewApproval,
  selectLikeApprovals,
} from './approvals-repository.ts';

/** Approvals that wait at once of the user in person. */
const MAX_OPEN = 50;
/** Of a user's runs of automations, beside what people wait for. */
const MAX_PARKED = 50;
/** Of one client or thread: it could hide one approval among many. None takes the places of another, and the user has permitted each. */
const MAX_OPEN_OF_ASKER = 10;

/**
 * Returns the open approval of an equal call, or inserts a new one. The caller has locked the user, so that there is one
 * for each call and the rate limit is exact over all replicas.
 *
 * @param key the user's
 * @returns the approval that the user sees already, or the id of one that is still to be shown
 * @throws AppError `forbidden` when this was denied, `conflict` when the key's call has other arguments, `rate_limited`
 * when approval was requested too often or too many approvals are open
 */
export async function reserveSlot(tx: Queryable, call: Call, row: NewApproval, key: DataKey): Promise<ApprovalPreview | string> {
  const [like = []] = await selectLikeApprovals(tx, [row]);
  const open = openApprovals(like, row);
  const preparing = open.find(({ status }) => status === 'preparing');
  const shown = (await shownAmong(open, key)) ?? preparing?.id;
  if (shown !== undefined) return shown;
  // Decided since the call was checked.
  const decided = row.clientId === null && row.threadId === null ? undefined : await selectUnreceived(tx, row);
  if (decided !== undefined) throw approvedAlready(decided.id);
  await assertFreeSlot(tx, call, row);
  await insertApproval(tx, row);
  return row.id;
}

/** As it was shown: a new summary could differ. */
export async function shownAmong(open: readonly ApprovalRow[], key: DataKey): Promise<ApprovalPreview | undefined> {
  for (const waiting of open) {
    const shown = unseal(key, waiting);
    if (shown !== undefined) return preview(waiting, shown);
  }
  return undefined;
}

/** Each asker requests approval no more often than the action may run. @throws AppError `rate_limited` */
async function assertFreeSlot(tx: Queryable, { configured: { policy } }: Call, row: NewApproval): Promise<void> {
  const isInPerson = row.clientId === null && row.threadId === null;
  const open = await countOpenApprovals(tx, row);
  if (open.ofAsker >= (isInPerson ? MAX_OPEN : MAX_OPEN_OF_ASKER) || (row.parked && open.parked >= MAX_PARKED)) {
    throw new AppError('rate_limited', 'Too many calls wait for approval. Decide on some of them first.', { retryAfter: 60 });
  }
  const asked = await countAsked(tx, row, policy.rate.perMs);
  if (asked.calls >= policy.rate.calls) throw rateLimited(asked.seconds);
}

/**
 * The open approvals of a client's equal calls, under any idempotency key: a client with a new key for each attempt must
 * not make the user read the same approval again. Other clients, and each thread, have theirs, since each learns how its own ends.
 *
 * @throws AppError `forbidden`, `conflict`
 */
export function openApprovals(rows: readonly ApprovalRow[], row: ApprovalSubject): ApprovalRow[] {
  const isOpen = ({ status, expired }: ApprovalRow) => (status === 'pending' || status === 'preparing') && !expired;
  const isOfAsker = ({ clientId, threadId }: ApprovalRow) => clientId === row.clientId && threadId === row.threadId;
  const ofKey = rows.filter((one) => one.idempotencyKey !== null && one.idempotencyKey === row.idempotencyKey && isOfAsker(one));
  // A caller doesn't know what the user has changed, and repeats what it asked for.
  const asked = ({ askedArgumentsHash, argumentsHash }: ApprovalRow) => askedArgumentsHash ?? argumentsHash;
  if (ofKey.some((one) => isOpen(one) && asked(one) !== row.argumentsHash)) throw otherArguments();
  const alike = rows.filter((one) => [one.normalizedHash, one.askedNormalizedHash].includes(row.normalizedHash));
  assertNotDenied(ofKey, alike);
  return alike.filter((one) => isOpen(one) && one.revision === row.revision && isOfAsker(one));
}

/** A denial holds for a while, whatever the idempotency key. */
function assertNotDenied(ofKey: readonly ApprovalRow[], alike: readonly ApprovalRow[]): void {
  if (ofKey.some(({ status }) => status === 'denied')) throw new AppError('forbidden', 'This was denied.');
  const until = alike.find(({ deniedUntil }) => deniedUntil !== null)?.deniedUntil;
  if (until == null) return;
  const details = { deniedUntil: until.toISOString() };
  throw new AppError('forbidden', 'This was denied, and is not asked about again within an hour.', { details });
}
