import type { UIMessageChunk } from 'ai';
import type { Clock } from '../../clock/clock.ts';
import { pollUntil } from '../../clock/poll-until.ts';
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
  readonly #clock: Clock;

  constructor(load: (run: Run, from: number) => Promise<StoredPart>, clock: Clock) {
    this.#load = load;
    this.#clock = clock;
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
    let next = 0;
    const look = async () => {
      const { chunks, isOver } = await this.#load(run, next);
      for (const chunk of chunks) followed.log.append(chunk);
      next += chunks.length;
      const isLast = isOver || followed.readers === 0;
      // At once: a reader that comes after the last look begins again.
      if (isLast) this.#runs.delete(run.id);
      return isLast;
    };
    try {
      await pollUntil(this.#clock, look, (isLast) => isLast, { everyMs: POLL_MS, limitMs: Number.POSITIVE_INFINITY });
    } catch (error) {
      followed.failure = { error };
      this.#runs.delete(run.id);
    }
    followed.log.end();
  }
}
