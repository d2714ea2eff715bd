import { AppError } from '../errors.ts';
import { type Telemetry, UNMEASURED } from '../telemetry.ts';
import { deadline } from './deadline.ts';
import { outcomeOfStatus } from './outcome.ts';

/** Parameters of a method, by the names of the provider's discovery document, with `requestBody` and `media` as the SDK takes them. */
export type MethodParams = Record<string, unknown>;

export interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

/** A method of the SDK's. */
export type Method = (params: MethodParams, options: object) => Promise<{ status: number; data: ArrayBuffer; headers: Headers }>;

export interface WorkspaceApiOptions {
  /** Root of the provider's APIs, possibly with a path; undefined = the provider's own hosts. */
  apiUrl: string | undefined;
  /** Time one request may take, milliseconds. */
  timeoutMs: number;
  telemetry?: Telemetry;
}

/** A little above the provider's own cap on exports (10 MB). */
const MAX_ANSWER_BYTES = 12 * 1024 * 1024;
/** Of the system and of Node's fetch. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/** One request; the SDK builds it, and what goes out and comes in is ours. */
export class Attempt {
  readonly #options: WorkspaceApiOptions;
  readonly #token: string;
  readonly #signal: AbortSignal;
  readonly #sendsChange: () => void;
  /** No connection came about. */
  neverSent = false;
  #httpMethod = '';
  #failure: AppError | undefined;

  constructor(options: WorkspaceApiOptions, token: string, signal: AbortSignal, sendsChange: () => void) {
    this.#options = options;
    this.#token = token;
    this.#sendsChange = sendsChange;
    this.#signal = signal;
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
      const { status, headers, data } = await method(params, {
        // Per call: in the client's own options its path would be dropped, and uploads would go to the real host.
        ...(this.#options.apiUrl !== undefined && { rootUrl: `${this.#options.apiUrl}/` }),
        headers: { authorization: `Bearer ${this.#token}` },
        responseType: 'arraybuffer',
        retry: false,
        validateStatus: () => true,
        fetchImplementation: (input: URL | string, init: RequestInit) => this.#fetch(input, init, ending),
      });
      return { status, headers: new Headers(headers), bytes: Buffer.from(data) };
    } catch (error) {
      // The SDK wraps what its fetch throws.
      const own = error instanceof Error && error.cause instanceof AppError ? error.cause : error;
      if (own instanceof AppError) this.#failure = own;
      else if (ending.aborted) this.#failure = timedOut();
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
    // A redirect would carry the token elsewhere.
    const response = await fetch(input, { ...init, redirect: 'error', signal: ending });
    return new Response(await readCapped(response), { status: response.status, headers: response.headers });
  }
}

async function readCapped(response: Response): Promise<ArrayBuffer | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) throw new AppError('too_large', 'The provider’s answer is too large.');
    chunks.push(chunk);
  }
  // A body, be it empty, is an error with these.
  if (response.status === 204 || response.status === 304) return null;
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes.buffer;
}

/** The provider took longer than it may. */
export function timedOut(): AppError {
  return new AppError('provider_timeout', 'The provider did not answer in time.');
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
