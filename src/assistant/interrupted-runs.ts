import type { UIMessage, UIMessageChunk } from 'ai';
import type { Queryable } from '../database/database.ts';
import { ignoreUserDeleted } from '../database/database-errors.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import type { ToolFailure } from '../tools/tool-error.ts';
import { ignoreDecryptionFailure } from '../vault/keys/ignore-decryption-failure.ts';
import type { ChatDeps } from './chat-deps.ts';
import { endAbandoned, lockAbandoned, type StoredRun } from './runs/runs-repository.ts';
import { storeAnswer } from './store-answer.ts';
import type { ChunkStore } from './stream/chunk-store.ts';
import { deleteChunks } from './stream/chunks-repository.ts';
import { failedCall, OpenParts } from './stream/open-parts.ts';
import { chunksOf, messageOf } from './stream/ui-message.ts';
import type { Threads } from './threads/threads.ts';

export interface InterruptionDeps {
  threads: Threads;
  logger: Logger;
  runEnded: ChatDeps['runEnded'];
}

const UNKNOWN: ToolFailure = { code: 'outcome_unknown', message: 'Interrupted: it is not known whether it ran. It is not repeated.' };
const NOT_CALLED: ToolFailure = { code: 'aborted', message: 'Interrupted before the call was made.' };

/**
 * Ends a run whose replica is gone: what it had sent becomes its message, and nothing of it is repeated. Several replicas may
 * find it at the same time. It ends also if what it had sent can't be read: otherwise its thread, and the sweep of the others,
 * would fail for ever.
 */
export async function endInterrupted({ threads, logger, runEnded }: InterruptionDeps, store: ChunkStore, run: StoredRun): Promise<void> {
  await threads
    .write(run.userId, async (tx) => {
      // Locked, so that its replica, which may be slow only, doesn't renew the lease meanwhile.
      if (!(await lockAbandoned(tx, run.userId, run.id))) return;
      const sent = (await ignoreDecryptionFailure(() => store.read(tx, run, 0))) ?? [];
      const ends = endsOf(run, sent);
      const message = await messageOf(run.messageId, [...sent, ...ends]).catch((error: unknown) => {
        logger.error({ run: run.id, err: describeError(error) }, 'the chunks of an interrupted run do not form a message');
        return undefined;
      });
      const earlier = await earlierState(threads, tx, run);
      if (earlier !== undefined && !goesOn(message, earlier)) {
        // What it had sent doesn't reach beyond what the message had when it began, such as results that are told once only.
        const replay = [...startOf(run), ...chunksOf(earlier), finishOf(run)];
        await deleteChunks(tx, run.userId, run.id);
        await store.storeWithin(tx, run, 0, replay);
        await storeAnswer(threads, tx, run, await messageOf(run.messageId, replay));
      } else if (message !== undefined) {
        await store.storeWithin(tx, run, sent.length, ends);
        await storeAnswer(threads, tx, run, message);
      }
      await endAbandoned(tx, run.userId, run.id);
      await runEnded(tx, run, 'interrupted', null);
    })
    .catch(ignoreUserDeleted);
}

/** The message that the run continues, as it was stored when the run began. */
async function earlierState(threads: Threads, tx: Queryable, { userId, threadId, messageId }: StoredRun): Promise<UIMessage | undefined> {
  return (await threads.messages(tx, userId, threadId)).find(({ message }) => message.id === messageId)?.message;
}

/** Whether a message begins with the parts of its earlier state. */
function goesOn(message: UIMessage | undefined, earlier: UIMessage): boolean {
  return message !== undefined && earlier.parts.every((part, index) => isSame(part, message.parts[index]));
}

function isSame(one: UIMessage['parts'][number], other: UIMessage['parts'][number] | undefined): boolean {
  if (one.type === 'dynamic-tool') return other?.type === one.type && other.toolCallId === one.toolCallId && other.state === one.state;
  if (one.type === 'text' || one.type === 'reasoning') return other?.type === one.type && other.text === one.text;
  return other?.type === one.type;
}

function startOf({ messageId }: StoredRun): UIMessageChunk[] {
  return [{ type: 'start', messageId }];
}

function finishOf({ id, model }: StoredRun): UIMessageChunk {
  return { type: 'finish', messageMetadata: { runId: id, model, status: 'interrupted' } };
}

function endsOf(run: StoredRun, sent: readonly UIMessageChunk[]): UIMessageChunk[] {
  // Its process ended before anything was stored.
  const start = sent.length === 0 ? startOf(run) : [];
  const parts = new OpenParts();
  for (const chunk of sent) parts.add(chunk);
  const calls = parts.calls.map((call) => failedCall(call, call.isComplete ? UNKNOWN : NOT_CALLED));
  return [...start, ...parts.endsOfTexts(), ...calls, finishOf(run)];
}
