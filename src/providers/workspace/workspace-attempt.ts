import { AppError } from '../../errors.ts';
import { type Telemetry, UNMEASURED } from '../../observability/telemetry.ts';
import type { LargeAnswers } from '../../threads/large-responses.ts';
import { deadline } from '../deadline.ts';
import { outcomeOfStatus } from '../provider-fetch.ts';
import { providerRequest } from '../provider-request.ts';
import { LARGE_BYTES } from '../responses.ts';

/** Parameters of a method, by the names of the provider's discovery document, with `requestBody` and `media` as the SDK takes them. */
export type MethodParams = Record<string, unknown>;

export interface Answer {
  status: number;
  headers: Headers;
  /** A buffer of its own. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Says that the bytes are no longer needed: another large answer may come. */
  release(): void;
}

/** A method of the SDK's. */
export type Method = (params: MethodParams, options: object) => Promise<{ status: number; headers: Headers }>;

export interface WorkspaceApiOptions {
  /** Root of the provider's APIs, possibly with a path; undefined = the provider's own hosts. */
  apiUrl: string | undefined;
  /** Time one request may take, milliseconds. */
  timeoutMs: number;
  telemetry?: Telemetry;
}

/** What the requests of one session have in common. */
export interface SessionOptions extends WorkspaceApiOptions {
  userId: string;
  large: LargeAnswers;
}

/** Of the system and of Node's fetch. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/** One request; the SDK builds it, and what goes out and comes in is ours. */
export class Attempt {
  readonly #options: SessionOptions;
  readonly #token: string;
  readonly #signal: AbortSignal;
  readonly #maxBytes: number;
  readonly #sendsChange: () => void;
  /** No connection came about. */
  neverSent = false;
  #httpMethod = '';
  #failure: AppError | undefined;
  #bytes = new Uint8Array();
  #release = () => {};
  #queues = false;

  /** @param maxBytes what an answer may hold */
  constructor(options: SessionOptions, token: string, signal: AbortSignal, maxBytes: number, sendsChange: () => void) {
    this.#options = options;
    this.#token = token;
    this.#sendsChange = sendsChange;
    this.#signal = signal;
    this.#maxBytes = maxBytes;
  }

  /** RFC 9110, 9.2.1: it changes nothing, so it may be sent again. */
  get safe(): boolean {
    return this.#httpMethod === 'GET' || this.#httpMethod === 'HEAD';
  }

  failure(): AppError {
    return this.#failure ?? unreachable();
  }

  /** @returns undefined when no whole answer came; see {@link failure} */
  run(method: Method, params: MethodParams): Promise<Answer | undefined> {
    const { telemetry = UNMEASURED } = this.#options;
    const outcomeOf = (answer: Answer | undefined) => (answer === undefined ? this.failure().code : outcomeOfStatus(answer.status));
    return telemetry.step({ kind: 'provider', name: 'workspace', operation: 'api' }, () => this.#run(method, params), outcomeOf);
  }

  async #run(method: Method, params: MethodParams): Promise<Answer | undefined> {
    // From here on: the wait for its turn is not the provider's.
    const ending = AbortSignal.any([this.#signal, deadline(this.#options.timeoutMs)]);
    try {
      const { status, headers } = await method(params, {
        // Per call: in the client's own options its path would be dropped, and uploads would go to the real host.
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
      // The SDK wraps what its fetch throws.
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
    // The SDK needs to know how it went, and would only make copies of what came.
    return new Response(null, { status: response.status, headers: response.headers });
  }

  /** What comes with an error is read as far as it says which: a page of any length must not hide it. */
  async #read(response: Response, ending: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      const before = size;
      size += chunk.byteLength;
      if (!response.ok && size > LARGE_BYTES) return new Uint8Array();
      if (size > this.#maxBytes) throw new AppError('too_large', 'The provider’s answer is too large.');
      chunks.push(chunk);
      if (before <= LARGE_BYTES && size > LARGE_BYTES) await this.#enter(ending);
    }
    return joined(chunks, size);
  }

  /** The rest stays with the provider until the answer's turn comes. */
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
  return new AppError('provider_timeout', 'The provider did not answer in time.');
}

/** Other large answers of the user's, or of all users', took the time. */
function busy(): AppError {
  return new AppError('unavailable', 'Too many large contents are being read. Try again in a moment.', { retryAfter: 5 });
}

function unreachable(cause?: Error): AppError {
  return new AppError('provider_error', 'The provider can’t be reached.', { cause, retryAfter: 30 });
}

/** The SDK refused to build the request: a required parameter is missing, or one would leave its place in the path. */
function invalidParams(error: unknown): AppError {
  return new AppError('invalid_request', 'The provider’s method can’t be called with this input.', {
    cause: new Error(error instanceof Error ? error.name : 'unknown'),
  });
}

/** A failed fetch names the system's error in its cause; that code is all that may be logged. */
function networkCode(error: unknown): string {
  let cause: unknown = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
}
