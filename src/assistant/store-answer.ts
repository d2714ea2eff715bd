import type { UIMessage } from 'ai';
import type { Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { withoutResults } from './loop/model-messages.ts';
import type { RunIdentity } from './runs/run.ts';
import { deleteChunks } from './stream/chunks-repository.ts';
import type { Threads } from './threads/threads.ts';

/**
 * Stores a run's message, within a transaction that has locked the user: the thread's last one, or in place of its former
 * state. If the thread was deleted meanwhile, what the run has sent since is deleted, too.
 */
export async function storeAnswer(threads: Threads, tx: Queryable, run: RunIdentity, message: UIMessage): Promise<void> {
  // If even the second is too large, what is stored of it already stays: the run has to end.
  for (const form of [message, withoutResults(message)]) {
    try {
      return await store(threads, tx, run, form);
    } catch (error) {
      if (codeOf(error) === 'not_found') return await deleteChunks(tx, run.userId, run.id);
      if (codeOf(error) !== 'too_large') throw error;
    }
  }
}

async function store(threads: Threads, tx: Queryable, { userId, threadId }: RunIdentity, message: UIMessage): Promise<void> {
  try {
    await threads.replace(tx, userId, threadId, message);
  } catch (error) {
    if (codeOf(error) !== 'not_found') throw error;
    await threads.append(tx, userId, threadId, message);
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof AppError ? error.code : undefined;
}
