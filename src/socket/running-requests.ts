import type { Limits } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import { errorFrame, progressFrame, resultFrame } from './frames.ts';
import type { Outbox } from './outbox.ts';

/** A first sign of life after so many milliseconds, and then one every so many. */
const PROGRESS_MS = 5_000;
const BUSY_SECONDS = 1;
const RESTART_SECONDS = 5;

/** What one request does. */
export type Work = (signal: AbortSignal, progress: (message: string) => void) => Promise<{ data: unknown; meta?: object }>;

export interface RequestsHost {
  readonly limits: Limits;
  readonly logger: Logger;
  /** The service is stopping: nothing new is begun. */
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

/** What one socket waits for. Requests run side by side and are answered in whatever order they finish. */
export class RunningRequests {
  /** As few as one client may run. */
  readonly #running: Running[] = [];
  readonly #host: RequestsHost;
  readonly #outbox: Outbox;
  /** Answers that a slow reader has no room for yet: they keep their requests' places, which bounds them. */
  #held = 0;

  constructor(host: RequestsHost, outbox: Outbox) {
    this.#host = host;
    this.#outbox = outbox;
  }

  /** Requests whose answers have not gone out. */
  get size(): number {
    return this.#running.length + this.#held;
  }

  /** Runs a request and sends its answer. */
  async run(requestId: string, work: Work): Promise<void> {
    const refusal = this.#refusal(requestId);
    if (refusal !== undefined) {
      void this.#outbox.send(errorFrame(requestId, refusal));
      return;
    }
    const startedAt = this.#host.now();
    const running: Running = { requestId, controller: new AbortController(), startedAt, progressAt: startedAt + PROGRESS_MS };
    this.#running.push(running);
    const progress = (message: string) => this.#progress(running, message);
    let answer: string;
    try {
      answer = resultFrame(requestId, await work(running.controller.signal, progress));
    } catch (error) {
      answer = this.#failed(requestId, error);
    }
    this.#running.splice(this.#running.indexOf(running), 1);
    const gone = this.#outbox.send(answer);
    if (gone === undefined) return;
    this.#held += 1;
    await gone;
    this.#held -= 1;
  }

  /** Ends a request, as far as it still can be ended. @returns false when no such request is running */
  abort(requestId: string): boolean {
    const running = this.#named(requestId);
    running?.controller.abort();
    return running !== undefined;
  }

  abortAll(): void {
    for (const { controller } of this.#running) controller.abort();
  }

  /** Tells of requests that take long. */
  tick(now: number): void {
    for (const running of this.#running) if (now >= running.progressAt) this.#progress(running, undefined);
  }

  #named(requestId: string): Running | undefined {
    return this.#running.find((running) => running.requestId === requestId);
  }

  #refusal(requestId: string): AppError | undefined {
    const { draining, limits } = this.#host;
    if (draining) return restarting();
    if (this.#named(requestId) !== undefined) return new AppError('invalid_request', 'requestId: a request of this name is still running.');
    if (this.size < limits.socketCalls) return undefined;
    const message = `At most ${limits.socketCalls} requests of a socket run at a time.`;
    return new AppError('rate_limited', message, { retryAfter: BUSY_SECONDS });
  }

  #failed(requestId: string, error: unknown): string {
    if (!(error instanceof AppError)) this.#host.logger.error({ err: describeError(error) }, 'a socket request failed');
    // Not the client's wish: it may ask the next server.
    const ours = this.#host.draining && error instanceof AppError && error.code === 'aborted';
    return errorFrame(requestId, ours ? restarting() : error);
  }

  #progress(running: Running, message: string | undefined): void {
    // An action that was given up may go on: what it says then is no progress any more.
    if (!this.#running.includes(running)) return;
    const now = this.#host.now();
    running.progressAt = now + PROGRESS_MS;
    this.#outbox.offer(progressFrame(running.requestId, now - running.startedAt, message));
  }
}

function restarting(): AppError {
  return new AppError('unavailable', 'The service is being restarted.', { retryAfter: RESTART_SECONDS });
}
