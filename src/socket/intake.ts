import type { Limits } from '../config/config.ts';

/** Before the sign-in nothing needs more pieces: each costs a hundred times a byte. */
const OPENING_PIECES = 1_024;
/** Less of an unfinished message is no burden. */
const UNFINISHED_BYTES = 64 * 1024;
/** What may still be on its way when a socket is closed; whoever sends more is no longer listened to. */
const AFTER_END_BYTES = 64 * 1024;
const AFTER_END_PIECES = 64;

/** Counts the bytes of one socket, also those that make no message: frames of control, pieces of a message that never ends. */
export class Intake {
  #bytes = 0;
  #pieces = 0;
  #afterEnd = { bytes: 0, pieces: 0 };
  /** Since the last message that was complete. */
  #unfinished = 0;
  /** When these began, milliseconds since 1970. */
  #unfinishedSince = 0;

  /** In all. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A piece came. */
  add(bytes: number, now: number): void {
    this.#bytes += bytes;
    this.#pieces += 1;
    if (this.#unfinished === 0) this.#unfinishedSince = now;
    this.#unfinished += bytes;
  }

  /** A message was complete. */
  completed(): void {
    this.#unfinished = 0;
  }

  /** Nothing was read for a while: that is not the client's fault. */
  waited(now: number): void {
    this.#unfinishedSince = now;
  }

  /** @returns the close code for a socket that has sent too much without signing in */
  openingFault({ socketOpeningBytes }: Pick<Limits, 'socketOpeningBytes'>): 1008 | 1009 | undefined {
    if (this.#bytes > socketOpeningBytes) return 1009;
    return this.#pieces > OPENING_PIECES ? 1008 : undefined;
  }

  /** Whether a large message has been on its way for longer than a whole request may be. */
  isOverdue({ requestTimeoutMs }: Pick<Limits, 'requestTimeoutMs'>, now: number): boolean {
    return this.#unfinished > UNFINISHED_BYTES && now - this.#unfinishedSince >= requestTimeoutMs;
  }

  /** @returns false when a socket that was told of its end goes on sending all the same */
  allowsAfterEnd(bytes: number): boolean {
    this.#afterEnd.bytes += bytes;
    this.#afterEnd.pieces += 1;
    return this.#afterEnd.bytes <= AFTER_END_BYTES && this.#afterEnd.pieces <= AFTER_END_PIECES;
  }
}
