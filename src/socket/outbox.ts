import type { WebSocket } from 'ws';

/** More than this waiting for a slow reader: nothing more is read from it or made for it. */
const SLOW_BYTES = 1024 * 1024;
/** More than this, or the above for this long: it is given up. */
const GIVE_UP_BYTES = 4 * SLOW_BYTES;
const GIVE_UP_MS = 15_000;

/** What goes out to one client, held against how fast it reads. */
export class Outbox {
  readonly #socket: WebSocket;
  /** Milliseconds since 1970; 0 = it keeps up. */
  #slowSince = 0;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  get isSlow(): boolean {
    return this.#slowSince !== 0;
  }

  send(frame: string, now: number): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(frame);
    const waiting = this.#socket.bufferedAmount;
    if (waiting <= SLOW_BYTES) return;
    if (waiting > GIVE_UP_BYTES) this.#socket.terminate();
    else if (!this.isSlow) {
      this.#slowSince = now;
      this.#socket.pause();
    }
  }

  /** @returns true when a slow reader has caught up just now */
  tick(now: number): boolean {
    if (!this.isSlow) return false;
    if (this.#socket.bufferedAmount <= SLOW_BYTES) {
      this.#slowSince = 0;
      return true;
    }
    if (now - this.#slowSince >= GIVE_UP_MS) this.#socket.terminate();
    return false;
  }
}
