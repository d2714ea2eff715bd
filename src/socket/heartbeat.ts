import type { WebSocket } from 'ws';

/** Pings without a response, after which the client counts as disconnected. */
const MAX_MISSED = 2;

/** Pings one client and counts its pongs (RFC 6455, 5.5.2 and 5.5.3). */
export class Heartbeat {
  readonly #socket: WebSocket;
  readonly #intervalMs: number;
  /** By the monotonic clock. */
  #nextPingAt: number;
  #missed = 0;
  #expectedPongs = 0;

  constructor(socket: WebSocket, intervalMs: number, now: number) {
    this.#socket = socket;
    this.#intervalMs = intervalMs;
    this.#nextPingAt = now + intervalMs;
  }

  /** @returns false for a pong beyond one for each ping */
  pong(): boolean {
    this.#missed = 0;
    if (this.#expectedPongs === 0) return false;
    this.#expectedPongs -= 1;
    return true;
  }

  /** The client has shown in another way that it is connected. */
  confirm(): void {
    this.#missed = 0;
  }

  /** Sends a ping when one is due, or terminates the socket of a client that doesn't respond. */
  tick(now: number): void {
    if (now < this.#nextPingAt) return;
    if (this.#missed >= MAX_MISSED) {
      this.#socket.terminate();
      return;
    }
    this.#nextPingAt = now + this.#intervalMs;
    this.#missed += 1;
    this.#expectedPongs += 1;
    this.#socket.ping();
  }
}
