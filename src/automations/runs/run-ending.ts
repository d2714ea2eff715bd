import type { Clock } from '../../clock/clock.ts';
import type { Queryable } from '../../database/database.ts';
import type { RecordEvent } from '../../events/events.ts';
import { ensureWatches } from '../looking/ensure-watches.ts';
import { countFailure, pauseFailing } from './planning-repository.ts';
import { deleteRun, type RunEnd, type RunRow, selectBeyond } from './runs-repository.ts';

export interface RunEndingDeps {
  clock: Clock;
  emit: RecordEvent;
  /** Deletes a conversation with all that belongs to it. */
  removeThread(tx: Queryable, userId: string, threadId: string): Promise<void>;
}

type EndedRun = Pick<RunRow, 'id' | 'userId' | 'automationId' | 'threadId'> & { status: RunEnd };

/** After so many failures in a row, an automation is paused. */
const MOST_FAILURES = 5;
/** Runs of an automation that are kept, with their conversations. */
export const KEPT_RUNS = 200;
/** All runs of this time are kept: where an account's changes are read again, their rows tell what has been started already. */
const KEPT_MS = 4 * 24 * 3_600_000;
/** Deleted at the end of one run: each brings one, so that the others are left of a failure. */
const REMOVED_AT_ONCE = 5;

/**
 * What follows from the end of a run, within the transaction that ends it and has locked the user: the user's front ends are told, an
 * automation that keeps failing is paused, and its oldest runs are deleted.
 */
export async function runEnded(deps: RunEndingDeps, tx: Queryable, run: EndedRun): Promise<void> {
  const { userId, automationId: automation, status, id, threadId } = run;
  await deps.emit(tx, userId, 'run.finished', { automation, run: id, status, thread: threadId });
  if (status === 'done' || status === 'failed') await countEnd(deps, tx, run);
  const before = new Date(deps.clock.now() - KEPT_MS);
  for (const old of await selectBeyond(tx, userId, automation, { kept: KEPT_RUNS, before, limit: REMOVED_AT_ONCE })) {
    await removeRun(deps, tx, { userId, ...old });
  }
}

/** Deletes a run with its conversation. */
export async function removeRun(
  { removeThread }: Pick<RunEndingDeps, 'removeThread'>,
  tx: Queryable,
  { userId, id, threadId }: Pick<RunRow, 'userId' | 'id' | 'threadId'>,
): Promise<void> {
  if (threadId !== null) await removeThread(tx, userId, threadId);
  await deleteRun(tx, userId, id);
}

async function countEnd({ emit, clock }: RunEndingDeps, tx: Queryable, { userId, automationId, status }: EndedRun): Promise<void> {
  const failures = await countFailure(tx, userId, automationId, status === 'failed');
  if (failures === undefined || failures < MOST_FAILURES) return;
  if (!(await pauseFailing(tx, userId, automationId))) return;
  await ensureWatches(tx, userId, clock);
  await emit(tx, userId, 'automation.paused', { automation: automationId, reason: 'failures' });
}
