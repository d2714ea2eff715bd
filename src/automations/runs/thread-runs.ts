import type { RunStatus as ChatStatus } from '../../assistant/runs/runs-repository.ts';
import type { Queryable } from '../../database/database.ts';
import { type RunEndingDeps, runEnded } from './run-ending.ts';
import { type RunEnd, updateOfThread } from './runs-repository.ts';

const STATUS: Readonly<Record<Exclude<ChatStatus, 'running'>, RunEnd | 'waiting'>> = {
  done: 'done',
  awaiting_approval: 'waiting',
  interrupted: 'failed',
  cancelled: 'cancelled',
  failed: 'failed',
};

/** Puts on record how an answer in the conversation of a run has ended, within the transaction that ends it. @param code of an error */
export async function answerEnded(
  deps: RunEndingDeps,
  tx: Queryable,
  thread: { userId: string; threadId: string },
  { status, code }: { status: Exclude<ChatStatus, 'running'>; code: string | null },
): Promise<void> {
  const error = status === 'interrupted' ? 'interrupted' : code;
  const ended = STATUS[status];
  const run = await updateOfThread(tx, thread, { status: ended, error, now: new Date(deps.clock.now()) });
  if (run !== undefined && ended !== 'waiting') await runEnded(deps, tx, { ...run, status: ended });
}
