import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UIMessageChunk } from 'ai';
import { WorkTurns } from '../../concurrency/work-turns.ts';

/** A chunk as it is sent: JSON. */
export type ChunkText = string;

/** Most of what is sent in one turn of the event loop. */
const BATCH = { chunks: 500, bytes: 256 * 1024 };

/** What a run has sent so far, in memory. Its readers on this replica follow it, each at its own pace. */
export class ChunkLog {
  readonly #chunks: ChunkText[] = [];
  readonly #waiting = new Set<() => void>();
  #bytes = 0;
  #isEnded = false;

  get bytes(): number {
    return this.#bytes;
  }

  /** What was sent so far. There may be some 100,000 chunks, so that reading them takes several turns of the event loop. */
  async chunks(): Promise<UIMessageChunk[]> {
    const chunks: UIMessageChunk[] = [];
    const turns = new WorkTurns();
    for (const text of this.#chunks) {
      chunks.push(JSON.parse(text));
      await turns.done(text.length);
    }
    return chunks;
  }

  append(chunk: UIMessageChunk): void {
    const text = JSON.stringify(chunk);
    this.#chunks.push(text);
    this.#bytes += text.length;
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /**
   * Batches of chunks from the first one on, until the run or the reading ends.
   *
   * @param skip chunks after the first one that this reader has already: those that rebuild an earlier part of the message
   */
  async *read(signal: AbortSignal, skip = 0): AsyncGenerator<readonly ChunkText[]> {
    if (this.#chunks.length === 0) await this.#more(signal, 0);
    if (skip > 0 && this.#chunks.length > 0) yield this.#chunks.slice(0, 1);
    let next = skip > 0 ? 1 + skip : 0;
    while (!signal.aborted) {
      if (next < this.#chunks.length) {
        const batch = this.#batch(next);
        next += batch.length;
        yield batch;
        // A reader that comes late would take all of a long answer in one turn.
        if (next < this.#chunks.length) await nextTurn();
      } else if (this.#isEnded) return;
      else await this.#more(signal, next);
    }
  }

  #batch(from: number): ChunkText[] {
    let to = from;
    for (let bytes = 0; to < this.#chunks.length && to - from < BATCH.chunks && bytes < BATCH.bytes; to += 1) {
      bytes += this.#chunks[to]?.length ?? 0;
    }
    return this.#chunks.slice(from, to);
  }

  #more(signal: AbortSignal, next: number): Promise<void> {
    if (this.#isEnded || signal.aborted || next < this.#chunks.length) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }
}
