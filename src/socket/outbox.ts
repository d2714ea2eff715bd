import type { WebSocket } from 'ws';
import type { Limits } from '../config/config.ts';

/** One frame beyond the limit which is larger than this is no answer of ours: they are capped. */
const LARGEST_FRAME_BYTES = 4 * 1024 * 1024;
/** After frames of this size, what is held goes on at once; after smaller ones the next tick will do. */
const LARGE = 64 * 1024;

interface OutboxHost {
  /** More than `socketBufferBytes` waiting: nothing more is read from the client, and what is ready for it is held. */
  readonly limits: Pick<Limits, 'socketBufferBytes' | 'socketStallMs'>;
  now(): number;
}

interface Held {
  frame: string;
  gone: () => void;
}

/** Of the many that keep up. */
const NONE: Held[] = [];

/** What goes out to one client, held against how fast it reads. */
export class Outbox {
  readonly #socket: WebSocket;
  readonly #host: OutboxHost;
  /** Oldest first. Few: nothing is begun for a slow reader. */
  #held: Held[] = NONE;
  /** When it last took something, milliseconds since 1970; 0 = it keeps up. */
  #movedAt = 0;
  /** The least that was waiting since. */
  #least = 0;

  constructor(socket: WebSocket, host: OutboxHost) {
    this.#socket = socket;
    this.#host = host;
  }

  get isSlow(): boolean {
    return this.#movedAt !== 0;
  }

  /** Sends a frame, in its turn. @returns settles when it has left here; undefined = at once */
  send(frame: string): Promise<void> | undefined {
    if (!this.isSlow) {
      this.#write(frame);
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.push({ frame, gone: resolve });
    this.#pass();
    return promise;
  }

  /** Sends what a slow reader can do without. */
  offer(frame: string): void {
    if (!this.isSlow) this.#write(frame);
  }

  /** Leaves everything to the socket, which is about to be closed. */
  flush(): void {
    for (const { frame, gone } of this.#held.splice(0)) {
      if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(frame);
      gone();
    }
  }

  /** @returns true when a slow reader has caught up just now */
  tick(now: number): boolean {
    if (!this.isSlow) return false;
    this.#pass();
    const waiting = this.#socket.bufferedAmount;
    if (waiting <= this.#host.limits.socketBufferBytes && this.#held.length === 0) {
      this.#movedAt = 0;
      this.#held = NONE;
      return true;
    }
    if (waiting < this.#least) this.#moved(waiting, now);
    else if (now - this.#movedAt >= this.#host.limits.socketStallMs) this.#socket.terminate();
    return false;
  }

  #write(frame: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(frame, frame.length > LARGE ? () => this.#pass() : undefined);
    const waiting = this.#socket.bufferedAmount;
    if (waiting > this.#host.limits.socketBufferBytes + LARGEST_FRAME_BYTES) this.#socket.terminate();
    else if (this.isSlow) this.#moved(waiting, this.#host.now());
    else if (waiting > this.#host.limits.socketBufferBytes) {
      this.#held = [];
      this.#moved(waiting, this.#host.now());
      this.#socket.pause();
    }
  }

  /** Passes on what is held, as far as there is room. */
  #pass(): void {
    while (
      this.#held.length > 0 &&
      this.#socket.bufferedAmount <= this.#host.limits.socketBufferBytes &&
      this.#socket.readyState === this.#socket.OPEN
    ) {
      const next = this.#held.shift();
      if (next === undefined) return;
      this.#write(next.frame);
      next.gone();
    }
  }

  #moved(waiting: number, now: number): void {
    this.#least = waiting;
    this.#movedAt = now;
  }
}
