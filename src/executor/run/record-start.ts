import type { Database, Queryable } from '../../database/database.ts';
import { isTransient } from '../../database/database-errors.ts';
import { lockExistingUser } from '../../database/user-lock.ts';
import type { AppError } from '../../errors.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import { rateLimited } from '../../rate-limit/sliding-window.ts';
import { approvedAlready } from '../approvals/approval-checks.ts';
import { selectUnreceived } from '../approvals/approval-outcomes-repository.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { ApprovalRow, ApprovalSubject } from '../approvals/approvals-repository.ts';
import type { AuditEntryBuilder } from '../audit/audit-log.ts';
import { insertAuditRows } from '../audit/audit-repository.ts';
import { STORING_MS } from '../audit/storing.ts';
import { type Call, changesSomething, isPaid } from '../call/call.ts';
import { askerEnded, notAClient } from '../call/client-grant.ts';
import { setReadOnly } from '../call/select-account.ts';
import type { IdempotencyKeys } from '../idempotency/idempotency.ts';
import type { NewAllowance } from '../policy/allowance.ts';
import type { Allowances } from '../policy/allowances.ts';
import { threadDeleted } from '../taint/taint.ts';
import { selectCallStart } from './call-start-repository.ts';
import { assertAffordable } from './paid-calls.ts';

export interface StartDeps {
  db: Database;
  catalog(): Catalog;
  /** Paid calls that a user may make within 24 hours. */
  livePerDay: number;
  allowances: Allowances;
  approvals: Approvals;
  keys: IdempotencyKeys;
}

/** On what basis a call runs that would ask the user: the user's approval, or an allowance. */
export interface RunAuthorization {
  approval?: ApprovalRow;
  /** What the user allows in advance with the approval. */
  allowing?: NewAllowance | undefined;
  /** Id of the allowance. */
  allowance?: string;
  /** Of a call by a client or in a thread that runs unasked: not if the user has approved an equal one meanwhile. */
  subject?: ApprovalSubject | undefined;
}

/** The allowance of a call ended before the call started. */
export class AllowanceEnded extends Error {}

/**
 * Records what must be on record before a change, a paid call or an approved call is sent, in one transaction: the
 * approval, the claimed idempotency key, the start itself. The user's lock makes the rate limit exact.
 *
 * @returns undefined; or `unavailable` if the commit was lost: it may be on record, and must not be sent
 * @throws AppError `invalid_token`, `forbidden`, `conflict`, `rate_limited`, `not_found`, `unavailable`, `aborted`; AllowanceEnded
 */
export async function journalStart(
  deps: StartDeps,
  call: Call,
  entry: AuditEntryBuilder,
  basis: RunAuthorization,
): Promise<AppError | undefined> {
  let isCommitting = false;
  try {
    await deps.db.transaction(async (tx) => {
      await writeStart(deps, tx, call, entry, basis);
      isCommitting = true;
    }, call.userId);
  } catch (error) {
    if (isCommitting && isTransient(error)) return error;
    throw error;
  }
  return undefined;
}

async function writeStart(deps: StartDeps, tx: Queryable, call: Call, entry: AuditEntryBuilder, basis: RunAuthorization): Promise<void> {
  const { userId, configured } = call;
  await lockExistingUser(tx, userId);
  const start = await selectCallStart(tx, call, basis.allowance);
  if (!start.isClientActive) throw basis.approval === undefined ? notAClient() : askerEnded();
  if (!start.isThreadKept) throw threadDeleted();
  if (start.isReadOnly && changesSomething(configured)) throw setReadOnly(call.account);
  if (!start.isAllowed) throw new AllowanceEnded();
  const approved = basis.subject && (await selectUnreceived(tx, basis.subject));
  if (approved !== undefined) throw approvedAlready(approved.id);
  if (basis.approval !== undefined) await recordApproval(deps, tx, call, entry, basis.approval, basis.allowing);
  if (isPaid(call)) await assertAffordable(tx, call, deps.catalog(), deps.livePerDay);
  else if (!changesSomething(configured)) return;
  if (changesSomething(configured)) {
    await deps.keys.claim(tx, call, entry.callId, basis.approval?.askedArgumentsHash ?? undefined);
    const { rate } = configured.policy;
    if (start.calls >= rate.calls) throw rateLimited(start.seconds);
  }
  await insertAuditRows(tx, [entry.row('ok', 'started')]);
}

async function recordApproval(
  { approvals, allowances }: StartDeps,
  tx: Queryable,
  call: Call,
  entry: AuditEntryBuilder,
  approval: ApprovalRow,
  allowing: NewAllowance | undefined,
): Promise<void> {
  await approvals.decide(tx, approval, call.configured.policy.timeoutMs + STORING_MS);
  await insertAuditRows(tx, [entry.row('ok', 'approved')]);
  if (allowing === undefined) return;
  await allowances.store(tx, call, allowing);
  await insertAuditRows(tx, [entry.row('ok', 'allowance_created')]);
}
