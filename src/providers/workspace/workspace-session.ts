import type { Clock } from '../../clock/clock.ts';
import { AppError } from '../../errors.ts';
import { offThread, owned, type WorkOptions } from '../../off-thread/off-thread.ts';
import type { WorkerTask } from '../../off-thread/worker-task.ts';
import { backoff } from '../../rate-limit/backoff.ts';
import type { GrantAccess } from '../shared/provider.ts';
import { retryAfterSeconds } from '../transport/provider-fetch.ts';
import { parseJson, unreadableResponse } from '../transport/response-json.ts';
import { type ResponseFormat, type ResponseReader, readResponse } from '../transport/responses.ts';
import { toWorkspaceApiError, WorkspaceApiError } from './workspace-api-errors.ts';
import { type ApiResponse, Attempt, type SessionOptions, timedOut } from './workspace-attempt.ts';
import { findMethod, type MethodParams } from './workspace-request.ts';

/** Provides a session's access tokens. */
type Tokens = Pick<GrantAccess, 'current' | 'renewed'>;

/** Runs work within the limit of concurrent requests. */
export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Slightly above the provider's own limit for exports (10 MB). */
const MAX_RESPONSE_BYTES = 12 * 1024 * 1024;
/** For responses that are read by a schema. */
const MAX_PLAIN_BYTES = 2 * 1024 * 1024;
const MAX_SENDS = 4;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_SECONDS = 10;
/** An older token is read again, because its account may have been disconnected. */
const FRESH_MS = 300;

/**
 * Calls on behalf of one account. A safe request (GET) is retried after 429, 403 rateLimitExceeded, 5xx, and after a 401
 * with a new token; any other request is sent once.
 */
export class WorkspaceSession {
  readonly #options: SessionOptions;
  readonly #inTurn: InTurn;
  readonly #tokens: Tokens;
  readonly #signal: AbortSignal;
  /** Requests for changes that were sent and not rejected. */
  #changes = 0;

  constructor(options: SessionOptions, inTurn: InTurn, tokens: Tokens, signal: AbortSignal) {
    this.#options = options;
    this.#inTurn = inTurn;
    this.#tokens = tokens;
    this.#signal = signal;
  }

  /** Whether a request was sent that may have changed the account; false after a rejection (4xx). */
  get mayHaveChanged(): boolean {
    return this.#changes > 0;
  }

  /**
   * Calls a method that returns JSON (or nothing).
   *
   * @param method discovery id, e.g. `gmail.users.messages.list`
   * @param response the part of the response that is used: a schema for small responses, a reader for large ones
   * @param args for the reader
   * @throws WorkspaceApiError when the provider rejected the request; AppError `provider_error`, `provider_timeout`, `too_large`
   */
  async call<Result>(method: string, params: MethodParams, response: ResponseFormat<undefined, Result>): Promise<Result>;
  async call<Args, Result>(method: string, params: MethodParams, response: ResponseReader<Args, Result>, args: Args): Promise<Result>;
  async call<Args, Result>(method: string, params: MethodParams, response: ResponseFormat<Args, Result>, args?: Args): Promise<Result> {
    const { bytes, isRead, release } = await this.#send(method, params, 'run' in response ? MAX_RESPONSE_BYTES : MAX_PLAIN_BYTES);
    try {
      // A change may have an empty response.
      const json = bytes.length === 0 && !isRead ? new TextEncoder().encode('{}') : bytes;
      return await readResponse(json, response, args as Args, this.#work);
    } catch (error) {
      throw about(method, error);
    } finally {
      release();
    }
  }

  /**
   * Calls a method that returns bytes: `alt: 'media'`, or an export.
   *
   * @param maxBytes a larger response is rejected as `too_large`
   * @param use reads the bytes, which are freed afterwards
   */
  async download<Result>(
    method: string,
    params: MethodParams,
    maxBytes: number,
    use: (bytes: Uint8Array<ArrayBuffer>) => Result | Promise<Result>,
  ): Promise<Result> {
    const { bytes, release } = await this.#send(method, params, Math.min(maxBytes, MAX_RESPONSE_BYTES));
    try {
      return await use(owned(bytes));
    } finally {
      release();
    }
  }

  /**
   * Does work on a response off the main thread, within the session's time.
   *
   * @param transfer buffers of the input that are no longer needed
   * @throws AppError what the work throws, and {@link offThread}
   */
  offThread<Input, Output>(work: WorkerTask<Input, Output>, input: Input, transfer: ArrayBuffer[] = []): Promise<Output> {
    return offThread(work, input, { ...this.#work, transfer });
  }

  /** The same on a thread of its own, for parsers of whole file formats. */
  onOwnThread<Input, Output>(work: WorkerTask<Input, Output>, input: Input, transfer: ArrayBuffer[] = []): Promise<Output> {
    return offThread(work, input, { ...this.#work, isOwn: true, transfer });
  }

  get #work(): WorkOptions {
    return { userId: this.#options.userId, signal: this.#signal };
  }

  async #send(id: string, params: MethodParams, maxBytes: number): Promise<ApiResponse & { isRead: boolean }> {
    const found = findMethod(id);
    const method = found instanceof Promise ? await found : found;
    let renewed = false;
    for (let sends = 1; ; sends += 1) {
      // Also before its turn, so that a refresh does not occupy a place.
      const early = await this.#tokens.current();
      const takenAt = this.#options.clock.monotonic();
      const attempt = new Attempt(this.#options, method, this.#signal, maxBytes, () => {
        this.#changes += 1;
      });
      const response = await this.#inTurn(() => this.#sendOnce(attempt, params, early, takenAt));
      const { token } = attempt;
      if (!attempt.safe && (response === undefined ? attempt.neverSent : isRejection(response.status))) this.#changes -= 1;
      if (response !== undefined && response.status >= 200 && response.status < 300) return { ...response, isRead: attempt.safe };
      const error = response === undefined ? attempt.failure() : rejectionOf(id, response, token, this.#options.clock);
      if (response?.status === 401 && !renewed) {
        renewed = true;
        await this.#tokens.renewed(token);
        if (attempt.safe) continue;
        // Not retried, although it was rejected: the caller decides about changes.
        throw new AppError('unavailable', 'The connection to the account was renewed. Try again.', { retryAfter: 1, cause: error });
      }
      // A new token of a valid consent was rejected, so reconnecting would not help.
      if (response?.status === 401) throw new AppError('provider_error', 'The provider refuses a new access token.', { cause: error });
      const lasts = error instanceof WorkspaceApiError && error.lasting;
      const mayHeal = response === undefined || response.status >= 500 || (error.code === 'rate_limited' && !lasts);
      // The provider's own delay; the error for the caller also contains a default.
      const asked = response && retryAfterOf(response, this.#options.clock);
      if (!attempt.safe || !mayHeal || sends >= MAX_SENDS || (asked ?? 0) > LONGEST_PAUSE_SECONDS) throw error;
      await this.#pause(sends, asked);
    }
  }

  /** The token is read right before the request, because waiting for a place may take long and the account may be gone by then. */
  #sendOnce(attempt: Attempt, params: MethodParams, early: string, takenAt: number): Promise<ApiResponse | undefined> {
    if (this.#signal.aborted) throw timedOut();
    if (this.#options.clock.monotonic() - takenAt <= FRESH_MS) return attempt.run(params, early);
    return Promise.resolve(this.#tokens.current()).then((token) => attempt.run(params, token));
  }

  /** Waits as long as the provider asked for; otherwise the pause doubles, with jitter. */
  async #pause(sends: number, seconds: number | undefined): Promise<void> {
    const ms = seconds === undefined ? backoff(FIRST_PAUSE_MS, sends) : seconds * 1000;
    try {
      await this.#options.clock.sleep(ms, { signal: this.#signal });
    } catch {
      throw timedOut();
    }
  }
}

function rejectionOf(method: string, response: ApiResponse, token: string, clock: Clock): WorkspaceApiError {
  const { status, bytes } = response;
  return toWorkspaceApiError(method, { status, body: parseJson(bytes), retryAfter: retryAfterOf(response, clock), sent: [token] });
}

/** 408 may be sent after processing began; after any other 4xx nothing was done. */
function isRejection(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408;
}

function retryAfterOf({ retryAfter }: ApiResponse, clock: Clock): number | undefined {
  return retryAfterSeconds(retryAfter, clock) || undefined;
}

/** Adds the method to the logged cause. */
function about(method: string, error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'provider_error' || !(error.cause instanceof Error)) return error;
  return unreadableResponse(`${method}: ${error.cause.message}`);
}
