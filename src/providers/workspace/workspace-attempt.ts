import type { Clock } from '../../clock/clock.ts';
import type { LargeResponses } from '../../concurrency/large-responses.ts';
import { AppError, unavailable } from '../../errors.ts';
import { type Telemetry, UNMEASURED } from '../../observability/telemetry.ts';
import { ExchangeEnded, exchange, type HttpRequest, type HttpResponse } from '../transport/http-exchange.ts';
import { networkCode, outcomeOfStatus } from '../transport/provider-fetch.ts';
import { LARGE_BYTES } from '../transport/responses.ts';
import type { Method, MethodParams } from './workspace-request.ts';

/** A response, and whether its body was read in full. */
export interface ApiResponse extends HttpResponse {
  /** Frees the place for another large response. */
  release(): void;
}

export interface WorkspaceApiOptions {
  /** Root of the provider's APIs, possibly with a path; undefined: the provider's own hosts. */
  apiUrl: string | undefined;
  /** Time limit of one request, milliseconds. */
  timeoutMs: number;
  clock: Clock;
  telemetry?: Telemetry;
}

/** The options of a session's requests. */
export interface SessionOptions extends WorkspaceApiOptions {
  userId: string;
  large: LargeResponses;
}

/** Error codes of the system and of Node's client before anything is sent. */
const NEVER_SENT = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_INVALID_ARG'],
]);

/** One request. */
export class Attempt {
  readonly #options: SessionOptions;
  readonly #method: Method;
  readonly #signal: AbortSignal;
  readonly #maxBytes: number;
  readonly #sendsChange: () => void;
  /** Nothing was sent. */
  neverSent = false;
  /** The access token that was sent. */
  token = '';
  #failure: AppError | undefined;
  #release = () => {};
  #queues = false;

  /** @param maxBytes limit of the response */
  constructor(options: SessionOptions, method: Method, signal: AbortSignal, maxBytes: number, sendsChange: () => void) {
    this.#options = options;
    this.#method = method;
    this.#sendsChange = sendsChange;
    this.#signal = signal;
    this.#maxBytes = maxBytes;
  }

  /** A safe method (RFC 9110, 9.2.1), which may be sent again. */
  get safe(): boolean {
    return this.#method.verb === 'GET' || this.#method.verb === 'HEAD';
  }

  failure(): AppError {
    return this.#failure ?? unreachable();
  }

  /** @returns undefined when no whole response came; see {@link failure} */
  run(params: MethodParams, token: string): Promise<ApiResponse | undefined> {
    this.token = token;
    const { telemetry = UNMEASURED } = this.#options;
    const outcomeOf = (response: ApiResponse | undefined) =>
      response === undefined ? this.failure().code : outcomeOfStatus(response.status);
    return telemetry.step({ kind: 'provider', name: 'workspace', operation: 'api' }, () => this.#run(params), outcomeOf);
  }

  async #run(params: MethodParams): Promise<ApiResponse | undefined> {
    const request = this.#build(params);
    if (this.#signal.aborted) {
      this.#failure = timedOut();
      return undefined;
    }
    if (!this.safe) this.#sendsChange();
    try {
      const response = await exchange(request, {
        signal: this.#signal,
        clock: this.#options.clock,
        // From here on, because the wait for a place is not the provider's time.
        timeoutMs: this.#options.timeoutMs,
        // The body of an error response is left out if it is large, so that its size does not hide the error.
        limit: (status) =>
          status >= 200 && status < 300 ? { bytes: this.#maxBytes, error: tooLarge } : { bytes: LARGE_BYTES, error: undefined },
        acquireLarge: (ending) => this.#enter(ending),
      });
      return { ...response, release: this.#release };
    } catch (error) {
      this.#release();
      if (error instanceof AppError) this.#failure = error;
      else if (error instanceof ExchangeEnded) this.#failure = this.#queues ? busy() : timedOut();
      else {
        const code = networkCode(error);
        this.neverSent = NEVER_SENT.has(code);
        this.#failure = unreachable(new Error(`request failed: ${code}`));
      }
      if (this.#failure.code === 'too_large') throw this.#failure;
      return undefined;
    }
  }

  #build(params: MethodParams): HttpRequest {
    try {
      return this.#method.request(params, this.#options.apiUrl, this.token);
    } catch (error) {
      throw invalidParams(error);
    }
  }

  /** The rest is not read from the connection before the response has a place. */
  async #enter(ending: AbortSignal): Promise<void> {
    this.#queues = true;
    this.#release = await this.#options.large.acquire(this.#options.userId, ending);
    this.#queues = false;
  }
}

/** The provider exceeded its time limit. */
export function timedOut(): AppError {
  return new AppError('provider_timeout', 'The provider did not respond in time.');
}

/** Waiting for other large responses, of this user or of all, took too long. */
function busy(): AppError {
  return unavailable('Too many large contents are being read. Try again in a moment.');
}

function unreachable(cause?: Error): AppError {
  return new AppError('provider_error', 'The provider can’t be reached.', { cause, retryAfter: 30 });
}

function tooLarge(): AppError {
  return new AppError('too_large', 'The provider’s response is too large.');
}

/** A parameter is missing, or would change the path. */
function invalidParams(error: unknown): AppError {
  return new AppError('invalid_request', 'The provider’s method can’t be called with this input.', {
    cause: new Error(error instanceof Error ? error.name : 'unknown'),
  });
}
