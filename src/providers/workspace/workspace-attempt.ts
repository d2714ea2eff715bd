import { AppError } from '../../errors.ts';
import { type Telemetry, UNMEASURED } from '../../observability/telemetry.ts';
import type { LargeResponses } from '../../threads/large-responses.ts';
import { deadline } from '../deadline.ts';
import { networkCode, outcomeOfStatus } from '../provider-fetch.ts';
import { providerRequest } from '../provider-request.ts';
import { LARGE_BYTES } from '../responses.ts';

/** Parameters of a method as in the provider's discovery document, with the SDK's `requestBody` and `media`. */
export type MethodParams = Record<string, unknown>;

export interface ApiResponse {
  status: number;
  headers: Headers;
  /** Not a slice of a larger buffer. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Frees the place for another large response. */
  release(): void;
}

/** A method of the SDK. */
export type Method = (params: MethodParams, options: object) => Promise<{ status: number; headers: Headers }>;

export interface WorkspaceApiOptions {
  /** Root of the provider's APIs, possibly with a path; undefined: the provider's own hosts. */
  apiUrl: string | undefined;
  /** Time limit of one request, milliseconds. */
  timeoutMs: number;
  telemetry?: Telemetry;
}

/** The options of a session's requests. */
export interface SessionOptions extends WorkspaceApiOptions {
  userId: string;
  large: LargeResponses;
}

/** Error codes of the system and of Node's fetch. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/** One request. The SDK builds it; sending and reading it is done here. */
export class Attempt {
  readonly #options: SessionOptions;
  readonly #token: string;
  readonly #signal: AbortSignal;
  readonly #maxBytes: number;
  readonly #sendsChange: () => void;
  /** No connection was made. */
  neverSent = false;
  #httpMethod = '';
  #failure: AppError | undefined;
  #bytes = new Uint8Array();
  #release = () => {};
  #queues = false;

  /** @param maxBytes limit of the response */
  constructor(options: SessionOptions, token: string, signal: AbortSignal, maxBytes: number, sendsChange: () => void) {
    this.#options = options;
    this.#token = token;
    this.#sendsChange = sendsChange;
    this.#signal = signal;
    this.#maxBytes = maxBytes;
  }

  /** A safe method (RFC 9110, 9.2.1), which may be sent again. */
  get safe(): boolean {
    return this.#httpMethod === 'GET' || this.#httpMethod === 'HEAD';
  }

  failure(): AppError {
    return this.#failure ?? unreachable();
  }

  /** @returns undefined when no whole response came; see {@link failure} */
  run(method: Method, params: MethodParams): Promise<ApiResponse | undefined> {
    const { telemetry = UNMEASURED } = this.#options;
    const outcomeOf = (response: ApiResponse | undefined) =>
      response === undefined ? this.failure().code : outcomeOfStatus(response.status);
    return telemetry.step({ kind: 'provider', name: 'workspace', operation: 'api' }, () => this.#run(method, params), outcomeOf);
  }

  async #run(method: Method, params: MethodParams): Promise<ApiResponse | undefined> {
    // From here on, because the wait for a place is not the provider's time.
    const ending = AbortSignal.any([this.#signal, deadline(this.#options.timeoutMs)]);
    try {
      const { status, headers } = await method(params, {
        // Per call, because the client's own option would lose its path, and uploads would be sent to the real host.
        ...(this.#options.apiUrl !== undefined && { rootUrl: `${this.#options.apiUrl}/` }),
        headers: { authorization: `Bearer ${this.#token}` },
        responseType: 'arraybuffer',
        retry: false,
        validateStatus: () => true,
        fetchImplementation: (input: URL | string, init: RequestInit) => this.#fetch(input, init, ending),
      });
      return { status, headers: new Headers(headers), bytes: this.#bytes, release: this.#release };
    } catch (error) {
      this.#release();
      // The SDK wraps errors of its fetch.
      const own = error instanceof Error && error.cause instanceof AppError ? error.cause : error;
      if (own instanceof AppError) this.#failure = own;
      else if (ending.aborted) this.#failure = this.#queues ? busy() : timedOut();
      else if (this.#httpMethod === '') throw invalidParams(error);
      else {
        const code = networkCode(error);
        this.neverSent = NEVER_CONNECTED.has(code);
        this.#failure = unreachable(new Error(`request failed: ${code}`));
      }
      if (this.#failure.code === 'too_large') throw this.#failure;
      return undefined;
    }
  }

  async #fetch(input: URL | string, init: RequestInit, ending: AbortSignal): Promise<Response> {
    this.#httpMethod = (init.method ?? 'GET').toUpperCase();
    ending.throwIfAborted();
    if (!this.safe) this.#sendsChange();
    const response = await providerRequest(input, { ...init, signal: ending });
    this.#bytes = await this.#read(response, ending);
    // The SDK needs the status only, and would copy a body.
    return new Response(null, { status: response.status, headers: response.headers });
  }

  /** The body of an error response is read up to a limit, so that its size does not hide the error. */
  async #read(response: Response, ending: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      const before = size;
      size += chunk.byteLength;
      if (!response.ok && size > LARGE_BYTES) return new Uint8Array();
      if (size > this.#maxBytes) throw new AppError('too_large', 'The provider’s response is too large.');
      chunks.push(chunk);
      if (before <= LARGE_BYTES && size > LARGE_BYTES) await this.#enter(ending);
    }
    return joined(chunks, size);
  }

  /** The rest is not read from the connection before the response has a place. */
  async #enter(ending: AbortSignal): Promise<void> {
    this.#queues = true;
    this.#release = await this.#options.large.enter(this.#options.userId, ending);
    this.#queues = false;
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}

/** The provider took longer than it may. */
export function timedOut(): AppError {
  return new AppError('provider_timeout', 'The provider did not respond in time.');
}

/** Waiting for other large responses, of this user or of all, took too long. */
function busy(): AppError {
  return new AppError('unavailable', 'Too many large contents are being read. Try again in a moment.', { retryAfter: 5 });
}

function unreachable(cause?: Error): AppError {
  return new AppError('provider_error', 'The provider can’t be reached.', { cause, retryAfter: 30 });
}

/** The SDK rejected the parameters: one is missing, or would change the path. */
function invalidParams(error: unknown): AppError {
  return new AppError('invalid_request', 'The provider’s method can’t be called with this input.', {
    cause: new Error(error instanceof Error ? error.name : 'unknown'),
  });
}
