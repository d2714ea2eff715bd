import { setImmediate as nextTurn } from 'node:timers/promises';

/** Bytes parsed, written, encrypted or decrypted in one turn of the event loop: some three milliseconds of work. */
const BYTES = 256 * 1024;
/** Each value costs as much as some bytes, however short it is. */
const BYTES_OF_VALUE = 64;

/** Divides work of this thread into turns of the event loop, between which other requests are served. */
export class WorkTurns {
  #left = BYTES;

  /**
   * Counts work that has been done.
   *
   * @returns resolves in the next turn; undefined: this turn has time for more
   */
  done(bytes: number): Promise<void> | undefined {
    this.#left -= bytes + BYTES_OF_VALUE;
    if (this.#left > 0) return undefined;
    this.#left = BYTES;
    return nextTurn();
  }
}
