import type { WebSocket } from 'ws';
import type { Limits } from '../../config/config.ts';

/** No response is larger: their size is capped. */
const LARGEST_FRAME_BYTES = 4 * 1024 * 1024;
/** The queue continues as soon as a frame of this size is sent; after smaller ones, at the next tick. */
const LARGE = 64 * 1024;

interface SendQueueHost {
  /** While more than `socketBufferBytes` are buffered, reading from the client pauses and frames are queued. */
  readonly limits: Pick<Limits, 'socketBufferBytes' | 'socketStallMs'>;
  now(): number;
}

interface Queued {
  frame: string;
  sent: () => void;
}

/** Shared by all sockets without a queue. */
const NONE: Queued[] = [];

/** Sends frames to one client, no faster than it reads. */
export class SendQueue {
  readonly #socket: WebSocket;
  readonly #host: SendQueueHost;
  /** Oldest first. Short, because no request is accepted from a slow reader. */
  #queued: Queued[] = NONE;
  /** When it last read something, by the monotonic clock; undefined: it keeps up. */
  #progressAt: number | undefined;
  /** The fewest bytes buffered since. */
  #fewest = 0;

  constructor(socket: WebSocket, host: SendQueueHost) {
    this.#socket = socket;
    this.#host = host;
  }

  get isSlow(): boolean {
    return this.#progressAt !== undefined;
  }

  /** Sends a frame in order. @returns resolves when it is passed to the socket; undefined: it was passed immediately */
  send(frame: string): Promise<void> | undefined {
    if (!this.isSlow) {
      this.#write(frame);
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#queued.push({ frame, sent: resolve });
    this.#drain();
    return promise;
  }

  /** Sends a frame, unless the reader is slow. */
  sendIfReady(frame: string): void {
    if (!this.isSlow) this.#write(frame);
  }

  /** Passes everything to the socket before it is closed. */
  flush(): void {
    for (const { frame, sent } of this.#queued.splice(0)) {
      if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(frame);
      sent();
    }
  }

  /** @returns true when a slow reader has just caught up */
  tick(now: number): boolean {
    if (this.#progressAt === undefined) return false;
    this.#drain();
    const buffered = this.#socket.bufferedAmount;
    if (buffered <= this.#host.limits.socketBufferBytes && this.#queued.length === 0) {
      this.#progressAt = undefined;
      this.#queued = NONE;
      return true;
    }
    if (buffered < this.#fewest) this.#recordProgress(buffered, now);
    else if (now - this.#progressAt >= this.#host.limits.socketStallMs) this.#socket.terminate();
    return false;
  }

  #write(frame: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(frame, frame.length > LARGE ? () => this.#drain() : undefined);
    const buffered = this.#socket.bufferedAmount;
    if (buffered > this.#host.limits.socketBufferBytes + LARGEST_FRAME_BYTES) this.#socket.terminate();
    else if (this.isSlow) this.#recordProgress(buffered, this.#host.now());
    else if (buffered > this.#host.limits.socketBufferBytes) {
      this.#queued = [];
      this.#recordProgress(buffered, this.#host.now());
      this.#socket.pause();
    }
  }

  /** Passes queued frames to the socket, as far as its buffer has room. */
  #drain(): void {
    while (
      this.#queued.length > 0 &&
      this.#socket.bufferedAmount <= this.#host.limits.socketBufferBytes &&
      this.#socket.readyState === this.#socket.OPEN
    ) {
      const next = this.#queued.shift();
      if (next === undefined) return;
      this.#write(next.frame);
      next.sent();
    }
  }

  #recordProgress(buffered: number, now: number): void {
    this.#fewest = buffered;
    this.#progressAt = now;
  }
}
