import type { Limits } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import { errorFrame, progressFrame, resultFrame } from './frames.ts';
import type { SendQueue } from './send-queue.ts';

/** Interval of progress frames. */
const PROGRESS_MS = 5_000;
const BUSY_SECONDS = 1;
const RESTART_SECONDS = 5;

/** Runs one request. */
export type RequestHandler = (signal: AbortSignal, progress: (message: string) => void) => Promise<{ data: unknown; meta?: object }>;

export interface RequestsHost {
  readonly limits: Limits;
  readonly logger: Logger;
  /** The service is stopping: new requests are rejected. */
  readonly draining: boolean;
  /** Milliseconds since 1970. */
  now(): number;
}

interface Running {
  requestId: string;
  controller: AbortController;
  startedAt: number;
  progressAt: number;
}

/** The requests of one socket. They run concurrently and are answered in the order in which they finish. */
export class InFlightRequests {
  readonly #running: Running[] = [];
  readonly #host: RequestsHost;
  readonly #sendQueue: SendQueue;
  /** Responses that wait for a slow reader. They count as requests, which bounds them. */
  #unsent = 0;

  constructor(host: RequestsHost, sendQueue: SendQueue) {
    this.#host = host;
    this.#sendQueue = sendQueue;
  }

  /** Requests whose responses have not been sent. */
  get size(): number {
    return this.#running.length + this.#unsent;
  }

  /** Runs a request and sends its response. */
  async run(requestId: string, handler: RequestHandler): Promise<void> {
    const rejection = this.#rejectionOf(requestId);
    if (rejection !== undefined) {
      void this.#sendQueue.send(errorFrame(requestId, rejection));
      return;
    }
    const startedAt = this.#host.now();
    const running: Running = { requestId, controller: new AbortController(), startedAt, progressAt: startedAt + PROGRESS_MS };
    this.#running.push(running);
    const progress = (message: string) => this.#progress(running, message);
    let response: string;
    try {
      response = resultFrame(requestId, await handler(running.controller.signal, progress));
    } catch (error) {
      response = this.#failed(requestId, error);
    }
    this.#running.splice(this.#running.indexOf(running), 1);
    const sent = this.#sendQueue.send(response);
    if (sent === undefined) return;
    this.#unsent += 1;
    await sent;
    this.#unsent -= 1;
  }

  /** Aborts a request, unless it is a change that has started. @returns false when no such request is running */
  abort(requestId: string): boolean {
    const running = this.#named(requestId);
    running?.controller.abort();
    return running !== undefined;
  }

  abortAll(): void {
    for (const { controller } of this.#running) controller.abort();
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

function restarting(): AppError {
  return new AppError('unavailable', 'The service is being restarted.', { retryAfter: RESTART_SECONDS });
}
