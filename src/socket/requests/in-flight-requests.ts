import type { ChatStream } from '../../assistant/stream/chat-stream.ts';
import type { Limits } from '../../config/config.ts';
import { AppError, restarting } from '../../errors.ts';
import { describeError, type Logger } from '../../observability/logger.ts';
import { chunkFrame, endFrame, errorFrame, noActiveFrame, progressFrame, resultFrame, startFrame } from '../frames/frames.ts';
import type { SendQueue } from '../frames/send-queue.ts';
import type { ResultOf } from '../frames/server-frames.ts';

/** Interval of progress frames. */
const PROGRESS_MS = 5_000;
const BUSY_SECONDS = 1;

/** Runs one request. */
export type RequestHandler = (signal: AbortSignal, progress: (message: string) => void) => Promise<ResultOf<'call'>>;

export interface RequestsHost {
  readonly limits: Limits;
  readonly logger: Logger;
  /** The service is stopping: new requests are rejected. */
  readonly draining: boolean;
  /** Milliseconds of the monotonic clock: limits hold whatever the time of day is set to. */
  now(): number;
}

interface Running {
  requestId: string;
  abort: AbortController;
  startedAt: number;
  /** Infinity: the client knows no progress frames. */
  progressAt: number;
  /** What `abort` ends besides waiting for it. */
  stream?: ChatStream;
}

/** The requests of one socket. They run concurrently and are answered in the order in which they finish. */
export class InFlightRequests {
  readonly #running: Running[] = [];
  readonly #host: RequestsHost;
  readonly #sendQueue: SendQueue;
  /** Responses that wait for a slow reader. They count as requests, which bounds them. */
  #unsent = 0;
  readonly #leaving = new AbortController();
  readonly #finished: () => void;

  /** @param finished called after each response */
  constructor(host: RequestsHost, sendQueue: SendQueue, finished: () => void) {
    this.#host = host;
    this.#sendQueue = sendQueue;
    this.#finished = finished;
  }

  /** Requests whose responses have not been sent. */
  get size(): number {
    return this.#running.length + this.#unsent;
  }

  /** Runs a request and sends its response. */
  async run(requestId: string, handler: RequestHandler): Promise<void> {
    const running = this.#begin(requestId, this.#host.now() + PROGRESS_MS);
    if (running === undefined) return;
    let response: string;
    try {
      response = resultFrame(requestId, await handler(running.abort.signal, (message) => this.#progress(running, message)));
    } catch (error) {
      response = this.#failed(requestId, error);
    }
    const sent = this.#send(running, response);
    if (sent !== undefined) await sent;
    this.#finished();
  }

  /** Sends the chunks of a run of the assistant, no faster than the client reads. @param open undefined: there is no run */
  async stream(requestId: string, open: () => Promise<ChatStream | undefined>): Promise<void> {
    const running = this.#begin(requestId, Number.POSITIVE_INFINITY);
    if (running === undefined) return;
    const read = async () => {
      const stream = await open();
      return stream === undefined ? noActiveFrame(requestId) : this.#sendChunks(running, stream);
    };
    await this.#send(running, await read().catch((error: unknown) => this.#failed(requestId, error)));
    this.#finished();
  }

  async #sendChunks(running: Running, stream: ChatStream): Promise<string> {
    const { requestId } = running;
    running.stream = stream;
    // The client stopped it before it had begun.
    if (running.abort.signal.aborted && !this.#isLeft) await stream.cancel();
    let sequence = 0;
    await this.#sendQueue.send(startFrame(requestId));
    for await (const chunks of stream.read(this.#leaving.signal)) {
      for (const chunk of chunks) {
        const sent = this.#sendQueue.send(chunkFrame(requestId, sequence, chunk));
        sequence += 1;
        if (sent !== undefined) await sent;
      }
    }
    if (this.#isLeft) throw restarting();
    return endFrame(requestId);
  }

  /** @returns undefined: it was rejected */
  #begin(requestId: string, progressAt: number): Running | undefined {
    const rejection = this.#rejectionOf(requestId);
    if (rejection !== undefined) {
      void this.#sendQueue.send(errorFrame(requestId, rejection));
      this.#finished();
      return undefined;
    }
    const running: Running = { requestId, abort: new AbortController(), startedAt: this.#host.now(), progressAt };
    this.#running.push(running);
    return running;
  }

  /** Sends the last frame of a request. @returns resolves when it is passed to the socket; undefined: it was passed immediately */
  #send(running: Running, response: string): Promise<void> | undefined {
    this.#running.splice(this.#running.indexOf(running), 1);
    const sent = this.#sendQueue.send(response);
    if (sent === undefined) return undefined;
    this.#unsent += 1;
    return sent.then(() => {
      this.#unsent -= 1;
    });
  }

  /**
   * Aborts a request, unless it is a change that has started; a run of the assistant is stopped.
   *
   * @returns false when no such request is running
   */
  abort(requestId: string): boolean {
    const running = this.#named(requestId);
    if (running === undefined) return false;
    running.abort.abort();
    running.stream?.cancel().catch((error: unknown) => this.#host.logger.warn({ err: describeError(error) }, 'a run could not be stopped'));
    return true;
  }

  /** The client has left, or the service stops: aborts requests, and ends the reading of runs, which go on. */
  abortAll(): void {
    this.#leaving.abort();
    for (const { abort } of this.#running) abort.abort();
  }

  get #isLeft(): boolean {
    return this.#leaving.signal.aborted;
  }

  /** Sends progress frames for long requests. */
  tick(now: number): void {
    for (const running of this.#running) if (now >= running.progressAt) this.#progress(running, undefined);
  }

  #named(requestId: string): Running | undefined {
    return this.#running.find((running) => running.requestId === requestId);
  }

  #rejectionOf(requestId: string): AppError | undefined {
    const { draining, limits } = this.#host;
    if (draining) return restarting();
    if (this.#named(requestId) !== undefined) return new AppError('invalid_request', 'requestId: a request of this name is still running.');
    if (this.size < limits.socketCalls) return undefined;
    const message = `At most ${limits.socketCalls} requests of a socket run at a time.`;
    return new AppError('rate_limited', message, { retryAfter: BUSY_SECONDS });
  }

  #failed(requestId: string, error: unknown): string {
    if (!(error instanceof AppError)) this.#host.logger.error({ err: describeError(error) }, 'a socket request failed');
    // Aborted by the shutdown, not by the client: it may retry on another replica.
    const isShutdown = this.#host.draining && error instanceof AppError && error.code === 'aborted';
    return errorFrame(requestId, isShutdown ? restarting() : error);
  }

  #progress(running: Running, message: string | undefined): void {
    // An aborted action may still report progress.
    if (!this.#running.includes(running)) return;
    const now = this.#host.now();
    running.progressAt = now + PROGRESS_MS;
    this.#sendQueue.sendIfReady(progressFrame(running.requestId, now - running.startedAt, message));
  }
}
