import type { Limits } from '../../config/config.ts';

/** Chunks before the authentication: each costs a hundred times as much as a byte. */
const OPENING_CHUNKS = 1_024;
/** A smaller incomplete message has no time limit. */
const INCOMPLETE_BYTES = 64 * 1024;
/** What may be in transit when a socket is closed; reading stops beyond it. */
const AFTER_CLOSE_BYTES = 64 * 1024;
const AFTER_CLOSE_CHUNKS = 64;

/** Counts the bytes of one socket, including those of control frames and of incomplete messages. */
export class ReceivedBytes {
  #bytes = 0;
  #chunks = 0;
  #afterClose = { bytes: 0, chunks: 0 };
  /** Bytes since the last complete message. */
  #incomplete = 0;
  /** When the first of these was received, by the monotonic clock. */
  #incompleteSince = 0;

  /** In total. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A chunk was received. */
  add(bytes: number, now: number): void {
    this.#bytes += bytes;
    this.#chunks += 1;
    if (this.#incomplete === 0) this.#incompleteSince = now;
    this.#incomplete += bytes;
  }

  /** A message is complete. */
  completed(): void {
    this.#incomplete = 0;
  }

  /** Reading is paused: the time doesn't count. */
  paused(now: number): void {
    this.#incompleteSince = now;
  }

  /** @returns the close code for a socket that has sent too much before its authentication */
  openingViolation({ socketOpeningBytes }: Pick<Limits, 'socketOpeningBytes'>): 1008 | 1009 | undefined {
    if (this.#bytes > socketOpeningBytes) return 1009;
    return this.#chunks > OPENING_CHUNKS ? 1008 : undefined;
  }

  /** Whether a large message has been incomplete for longer than the request timeout. */
  isOverdue({ requestTimeoutMs }: Pick<Limits, 'requestTimeoutMs'>, now: number): boolean {
    return this.#incomplete > INCOMPLETE_BYTES && now - this.#incompleteSince >= requestTimeoutMs;
  }

  /** @returns false when the client sends too much after the close */
  allowsAfterClose(bytes: number): boolean {
    this.#afterClose.bytes += bytes;
    this.#afterClose.chunks += 1;
    return this.#afterClose.bytes <= AFTER_CLOSE_BYTES && this.#afterClose.chunks <= AFTER_CLOSE_CHUNKS;
  }
}
