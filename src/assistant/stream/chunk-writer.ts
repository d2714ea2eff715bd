import type { UIMessageChunk } from 'ai';
import type { Clock, Timer } from '../../clock/clock.ts';
import { describeError, type Logger } from '../../observability/logger.ts';
import type { ChunkStore } from './chunk-store.ts';
import { mergedDeltas } from './ui-message.ts';

const FLUSH_MS = 150;
const FLUSH_BYTES = 8 * 1024;

/** Stores the chunks of one run in small parts, in order. While the database is unavailable they wait. */
export class ChunkWriter {
  readonly #run: { id: string; userId: string };
  readonly #store: Pick<ChunkStore, 'store'>;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #lost: () => void;
  #added: UIMessageChunk[] = [];
  /** Merged, and not stored yet: they keep their numbers, because some may have been stored. */
  #waiting: UIMessageChunk[] = [];
  #bytes = 0;
  /** Of the next chunk to be stored. */
  #sequence = 0;
  #timer: Timer | undefined;
  #writing: Promise<boolean> | undefined;
  #isLost = false;

  /** @param lost called once when the run is not running any more, by the database */
  constructor(
    run: { id: string; userId: string },
    store: Pick<ChunkStore, 'store'>,
    { logger, clock }: { logger: Logger; clock: Clock },
    lost: () => void,
  ) {
    this.#run = run;
    this.#store = store;
    this.#logger = logger;
    this.#clock = clock;
    this.#lost = lost;
  }

  add(chunk: UIMessageChunk, bytes: number): void {
    if (this.#isLost) return;
    this.#added.push(chunk);
    this.#bytes += bytes;
    if (this.#bytes >= FLUSH_BYTES) void this.flush();
    else this.#timer ??= this.#clock.after(FLUSH_MS, () => void this.flush());
  }

  /** Stores what was added so far. Never rejects. @returns false when it isn't stored */
  async flush(): Promise<boolean> {
    this.#timer?.cancel();
    this.#timer = undefined;
    while (this.#writing !== undefined) await this.#writing;
    this.#waiting.push(...mergedDeltas(this.#added));
    this.#added = [];
    this.#bytes = 0;
    if (this.#waiting.length === 0 || this.#isLost) return !this.#isLost;
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #write(): Promise<boolean> {
    const chunks = this.#waiting;
    try {
      const isStored = await this.#store.store(this.#run, this.#sequence, chunks);
      this.#waiting = [];
      this.#sequence += chunks.length;
      if (!isStored) this.#end();
      return isStored;
    } catch (error) {
      this.#logger.warn({ err: describeError(error) }, 'what a run has sent could not be stored; it waits');
      return false;
    }
  }

  #end(): void {
    this.#isLost = true;
    this.#lost();
  }
}
