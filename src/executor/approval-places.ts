import type { DataKey } from '../crypto/envelope.ts';
import type { Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { rateLimited } from '../rate-limit/sliding-window.ts';
import { type ApprovalPreview, preview, unseal } from './approval-preview.ts';
import {
  type ApprovalRow,
  countAsked,
  countOpenApprovals,
  insertApproval,
  type NewApproval,
  selectLikeApprovals,
} from './approvals-repository.ts';
import type { Call } from './call.ts';

/** More at a time nobody reads: an agent could bury one request among others. */
const OPEN_MAX = 50;

/**
 * Finds the question that a call is asked under already, or makes room for another. The caller has locked the user, so
 * that there is one for each call and a rate is kept exactly, over all replicas.
 *
 * @param key the user's
 * @returns what the user is asked already, or the id of the question that is still to be shown
 * @throws AppError `forbidden` when this was denied, `conflict` when the key's call has other arguments, `rate_limited`
 * when it was asked too often or too much waits
 */
export async function takePlace(tx: Queryable, call: Call, row: NewApproval, key: DataKey): Promise<ApprovalPreview | string> {
  const open = openOf(await selectLikeApprovals(tx, row), row);
  for (const waiting of open) {
    if (waiting.status === 'preparing') return waiting.id;
    const shown = unseal(key, waiting);
    // As it was shown: its summary may be told differently by now.
    if (shown !== undefined) return preview(waiting, shown);
  }
  await assertRoom(tx, call);
  await insertApproval(tx, row);
  return row.id;
}

/** A user is asked no more often than the action may run, and never about too many calls at once. @throws AppError `rate_limited` */
async function assertRoom(tx: Queryable, { userId, revision, configured: { name, policy } }: Call): Promise<void> {
  if ((await countOpenApprovals(tx, userId, revision)) >= OPEN_MAX) {
    throw new AppError('rate_limited', 'Too many calls wait for approval. Decide on some of them first.', { retryAfter: 60 });
  }
  const asked = await countAsked(tx, userId, name, policy.rate.perMs);
  if (asked.calls >= policy.rate.calls) throw rateLimited(asked.seconds);
}

/**
 * Under whichever key: a client that makes one up for every try must not make the user read the same question again
 * and again.
 *
 * @throws AppError `forbidden`, `conflict`
 */
function openOf(rows: readonly ApprovalRow[], row: NewApproval): ApprovalRow[] {
  const isOpen = ({ status, expired }: ApprovalRow) => (status === 'pending' || status === 'preparing') && !expired;
  const ofKey = rows.filter(({ idempotencyKey }) => idempotencyKey !== null && idempotencyKey === row.idempotencyKey);
  if (ofKey.some((one) => isOpen(one) && one.argumentsHash !== row.argumentsHash)) {
    throw new AppError('conflict', 'idempotencyKey: was used for other arguments.');
  }
  const alike = rows.filter(({ inputHash }) => inputHash === row.inputHash);
  assertNotDenied(ofKey, alike);
  return alike.filter((one) => isOpen(one) && one.revision === row.revision);
}

/** Asking until someone slips is no way round a denial. */
function assertNotDenied(ofKey: readonly ApprovalRow[], alike: readonly ApprovalRow[]): void {
  if (ofKey.some(({ status }) => status === 'denied')) throw new AppError('forbidden', 'The user has refused this.');
  const until = alike.find(({ deniedUntil }) => deniedUntil !== null)?.deniedUntil;
  if (until == null) return;
  const details = { deniedUntil: until.toISOString() };
  throw new AppError('forbidden', 'The user has denied this. It is not asked again within an hour.', { details });
}
