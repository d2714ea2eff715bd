import type { UIMessageChunk } from 'ai';
import { AppError } from '../errors.ts';
import type { ChunkStore } from './chunk-store.ts';
import { failedCall, OpenParts } from './open-parts.ts';
import { endAbandoned, type StoredRun, selectRun } from './runs-repository.ts';
import { storeAnswer } from './store-answer.ts';
import type { Threads } from './threads.ts';
import { messageOf } from './ui-message.ts';

const UNKNOWN = 'outcome_unknown: Interrupted: it is not known whether it ran. It is not repeated.';
const NOT_CALLED = 'aborted: Interrupted before the call was made.';

/**
 * Ends a run whose replica is gone: what it had sent becomes its message, and nothing of it is repeated. Several replicas may
 * find it at the same time.
 */
export async function endInterrupted(threads: Threads, store: ChunkStore, run: StoredRun): Promise<void> {
  await threads
    .write(run.userId, async (tx) => {
      const current = await selectRun(tx, run.id);
      if (current?.isAbandoned !== true) return;
      const sent = await store.read(tx, run, 0);
      const ends = endsOf(run, sent);
      await store.storeWithin(tx, run, sent.length, ends);
      await storeAnswer(threads, tx, run, await messageOf(run.messageId, [...sent, ...ends]));
      await endAbandoned(tx, run.id);
    })
    .catch((error: unknown) => {
      // Its user is gone, and everything with it.
      if (!(error instanceof AppError) || error.code !== 'invalid_token') throw error;
    });
}

function endsOf({ id, model }: StoredRun, sent: readonly UIMessageChunk[]): UIMessageChunk[] {
  const parts = new OpenParts();
  for (const chunk of sent) parts.add(chunk);
  const calls = parts.calls.map((call) => failedCall(call, call.isComplete ? UNKNOWN : NOT_CALLED));
  return [...parts.endsOfTexts(), ...calls, { type: 'finish', messageMetadata: { runId: id, model, status: 'interrupted' } }];
}
