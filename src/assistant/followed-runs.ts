import { setTimeout as sleep } from 'node:timers/promises';
import type { UIMessageChunk } from 'ai';
import { ChunkLog } from './chunk-log.ts';

const POLL_MS = 100;

/** What a run has stored since a reader last looked. */
export interface StoredPart {
  chunks: readonly UIMessageChunk[];
  /** There is no more. */
  isOver: boolean;
}

interface Followed {
  log: ChunkLog;
  readers: number;
  failure?: { error: unknown };
}

/** Runs that are read from the database, which is asked once at a time for each run, however many read it here. */
export class FollowedRuns<Run extends { id: string }> {
  readonly #runs = new Map<string, Followed>();
  readonly #load: (run: Run, from: number) => Promise<StoredPart>;

  constructor(load: (run: Run, from: number) => Promise<StoredPart>) {
    this.#load = load;
  }

  /** Batches of chunks from the first one on, until the run or the reading ends. */
  async *read(run: Run, signal: AbortSignal): AsyncGenerator<readonly string[]> {
    const followed = this.#runs.get(run.id) ?? this.#begin(run);
    followed.readers += 1;
    try {
      yield* followed.log.read(signal);
    } finally {
      followed.readers -= 1;
    }
    if (followed.failure !== undefined) throw followed.failure.error;
  }

  #begin(run: Run): Followed {
    const followed: Followed = { log: new ChunkLog(), readers: 0 };
    this.#runs.set(run.id, followed);
    void this.#follow(run, followed);
    return followed;
  }

  async #follow(run: Run, followed: Followed): Promise<void> {
    try {
      for (let next = 0, isOver = false; !isOver; ) {
        const part = await this.#load(run, next);
        for (const chunk of part.chunks) followed.log.append(chunk);
        next += part.chunks.length;
        isOver = part.isOver || followed.readers === 0;
        if (!isOver) await sleep(POLL_MS);
      }
    } catch (error) {
      followed.failure = { error };
    }
    // At once: whoever comes after the last look begins anew.
    this.#runs.delete(run.id);
    followed.log.end();
  }
}
