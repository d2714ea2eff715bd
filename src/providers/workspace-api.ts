import { setTimeout as sleep } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import type { z } from 'zod';
import { AppError } from '../errors.ts';
import { toWorkspaceApiError } from './workspace-api-errors.ts';

/** Where a session gets its access tokens from; the vault keeps them fresh. */
export interface AccessTokenSource {
  /** An access token that is valid now. */
  current(): Promise<string>;
  /** Another one, after the provider answered 401 to this one. */
  renewed(rejected: string): Promise<string>;
}

/** Parameters of a method, by the names of the provider's discovery document, with `requestBody` and `media` as the SDK takes them. */
export type MethodParams = Record<string, unknown>;

export interface Download {
  bytes: Buffer;
  /** As the provider says, without parameters; `application/octet-stream` when it doesn't. */
  mimeType: string;
}

interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

type Send = (attempt: Attempt, method: Method, params: MethodParams) => Promise<Answer | undefined>;

type Method = (params: MethodParams, options: object) => Promise<{ status: number; data: ArrayBuffer; headers: Headers }>;

/** The SDK's clients, by deep import: its root loads every API the provider has. */
const APIS: Record<string, () => Promise<object>> = {
  gmail: async () => (await import('googleapis/build/src/apis/gmail/index.js')).gmail({ version: 'v1' }),
  calendar: async () => (await import('googleapis/build/src/apis/calendar/index.js')).calendar({ version: 'v3' }),
  drive: async () => (await import('googleapis/build/src/apis/drive/index.js')).drive({ version: 'v3' }),
  docs: async () => (await import('googleapis/build/src/apis/docs/index.js')).docs({ version: 'v1' }),
  sheets: async () => (await import('googleapis/build/src/apis/sheets/index.js')).sheets({ version: 'v4' }),
  slides: async () => (await import('googleapis/build/src/apis/slides/index.js')).slides({ version: 'v1' }),
};

/** A little above the provider's own cap on exports (10 MB). */
const MAX_ANSWER_BYTES = 12 * 1024 * 1024;
/** Of the system and of Node's fetch. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);
/** Requests of one user that run at a time: more only earns 429s. */
const AT_A_TIME = 5;
const MAX_SENDS = 4;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_SECONDS = 10;

export interface WorkspaceApiOptions {
  /** Root of the provider's APIs, possibly with a path; undefined = the provider's own hosts. */
  apiUrl: string | undefined;
  /** Time one request may take, milliseconds. */
  timeoutMs: number;
}

/** The provider's APIs through its SDK; one session works for one account. */
export class WorkspaceApi {
  readonly #options: WorkspaceApiOptions;
  readonly #clients = new Map<string, Promise<object>>();
  readonly #lanes = new Map<string, LimitFunction>();

  constructor(options: WorkspaceApiOptions) {
    this.#options = options;
  }

  /** @param signal ends every request of the session: deadline, and the caller's abort where one counts */
  session(userId: string, tokens: AccessTokenSource, signal: AbortSignal): WorkspaceSession {
    const send: Send = (attempt, method, params) => this.#inLane(userId, () => attempt.run(method, params));
    return new WorkspaceSession(this.#options, (method) => this.#method(method), send, tokens, signal);
  }

  async #inLane<Result>(userId: string, work: () => Promise<Result>): Promise<Result> {
    const lane = this.#lanes.get(userId) ?? pLimit(AT_A_TIME);
    this.#lanes.set(userId, lane);
    try {
      return await lane(work);
    } finally {
      if (lane.activeCount + lane.pendingCount === 0) this.#lanes.delete(userId);
    }
  }

  async #method(id: string): Promise<Method> {
    const [api = '', ...path] = id.split('.');
    const name = path.pop() ?? '';
    let resource: unknown = await this.#client(api);
    for (const part of path) resource = isObject(resource) && Object.hasOwn(resource, part) ? resource[part] : undefined;
    const method = isObject(resource) && !Object.hasOwn(Object.prototype, name) ? resource[name] : undefined;
    if (typeof method !== 'function') throw new Error(`the SDK has no method ${id}`);
    return (params, options) => method.call(resource, params, options);
  }

  /** A load that failed is tried again by the next call. */
  #client(api: string): Promise<object> {
    const load = Object.hasOwn(APIS, api) ? APIS[api] : undefined;
    if (load === undefined) throw new Error(`the SDK has no API ${api}`);
    const known = this.#clients.get(api);
    if (known !== undefined) return known;
    const client = load().catch((error: unknown) => {
      this.#clients.delete(api);
      throw error;
    });
    this.#clients.set(api, client);
    return client;
  }
}

/**
 * Calls on behalf of one account. A safe request (GET) is sent again after
 * 429, 403 rateLimitExceeded, 5xx and a 401 that a fresh token may heal;
 * anything else is sent once, whatever happens.
 */
export class WorkspaceSession {
  readonly #options: WorkspaceApiOptions;
  readonly #find: (method: string) => Promise<Method>;
  readonly #sendOne: Send;
  readonly #tokens: AccessTokenSource;
  readonly #signal: AbortSignal;
  /** Requests for a change that went out and were not refused. */
  #changes = 0;

  constructor(
    options: WorkspaceApiOptions,
    find: (method: string) => Promise<Method>,
    send: Send,
    tokens: AccessTokenSource,
    signal: AbortSignal,
  ) {
    this.#options = options;
    this.#find = find;
    this.#sendOne = send;
    this.#tokens = tokens;
    this.#signal = signal;
  }

  /** Something was sent that may have changed the account, whatever its answer was; false after a plain refusal (4xx). */
  get mayHaveChanged(): boolean {
    return this.#changes > 0;
  }

  /**
   * Calls a method that answers JSON (or nothing).
   *
   * @param method discovery id, e.g. `gmail.users.messages.list`
   * @param answer what of the answer is used; anything else in it is dropped
   * @throws WorkspaceApiError when the provider refused; AppError `provider_error`, `provider_timeout`, `too_large`
   */
  async call<S extends z.ZodType>(method: string, params: MethodParams, answer: S): Promise<z.output<S>> {
    const { bytes } = await this.#send(method, params);
    const value = bytes.length === 0 ? {} : parse(bytes);
    // Told from the schema's refusals: some schemas take anything, and a page with status 200 is not anything.
    if (value === undefined) throw notUnderstood(`${method}: not JSON`);
    const parsed = answer.safeParse(value);
    if (parsed.success) return parsed.data;
    const fields = parsed.error.issues.map((issue) => issue.path.join('.')).slice(0, 10);
    throw notUnderstood(`${method}: unexpected ${fields.join(', ') || 'answer'}`);
  }

  /** Calls a method that answers bytes: `alt: 'media'`, or an export. */
  async download(method: string, params: MethodParams): Promise<Download> {
    const { bytes, headers } = await this.#send(method, params);
    const type = /^[\w.+-]+\/[\w.+-]+/.exec(headers.get('content-type') ?? '')?.[0];
    return { bytes, mimeType: type?.toLowerCase() ?? 'application/octet-stream' };
  }

  async #send(id: string, params: MethodParams): Promise<Answer> {
    const method = await this.#find(id);
    let renewed = false;
    let token = await this.#tokens.current();
    for (let sends = 1; ; sends += 1) {
      const attempt = new Attempt(this.#options, token, this.#signal, () => {
        this.#changes += 1;
      });
      const answer = await this.#sendOne(attempt, method, params);
      if (!attempt.safe && (answer === undefined ? attempt.neverSent : isRefusal(answer.status))) this.#changes -= 1;
      if (answer !== undefined && answer.status >= 200 && answer.status < 300) return answer;
      const error =
        answer === undefined ? attempt.failure() : toWorkspaceApiError(answer.status, parse(answer.bytes), retryAfterOf(answer));
      if (answer?.status === 401 && !renewed) {
        renewed = true;
        token = await this.#tokens.renewed(token);
        if (attempt.safe) continue;
        // Not sent again, though it was refused: whoever asked for a change decides on a second try.
        throw new AppError('unavailable', 'The connection to the account was renewed. Try again.', { retryAfter: 1, cause: error });
      }
      const mayHeal = answer === undefined || answer.status >= 500 || error.code === 'rate_limited';
      // What the provider asked for itself: the error also guesses one, for the caller.
      const asked = answer && retryAfterOf(answer);
      if (!attempt.safe || !mayHeal || sends >= MAX_SENDS || (asked ?? 0) > LONGEST_PAUSE_SECONDS) throw error;
      await this.#pause(sends, asked);
    }
  }

  /** As long as the provider asked for, else doubling with full jitter. */
  async #pause(sends: number, seconds: number | undefined): Promise<void> {
    const ms = seconds === undefined ? FIRST_PAUSE_MS * 2 ** (sends - 1) * (0.5 + Math.random() / 2) : seconds * 1000;
    try {
      await sleep(ms, undefined, { signal: this.#signal });
    } catch {
      throw timedOut();
    }
  }
}

/** One request; the SDK builds it, and what goes out and comes in is ours. */
class Attempt {
  readonly #options: WorkspaceApiOptions;
  readonly #token: string;
  readonly #deadline: AbortSignal;
  readonly #sendsChange: () => void;
  /** No connection came about. */
  neverSent = false;
  #httpMethod = '';
  #failure: AppError | undefined;

  constructor(options: WorkspaceApiOptions, token: string, signal: AbortSignal, sendsChange: () => void) {
    this.#options = options;
    this.#token = token;
    this.#sendsChange = sendsChange;
    this.#deadline = AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs)]);
  }

  /** RFC 9110, 9.2.1: it changes nothing, so it may be sent again. */
  get safe(): boolean {
    return this.#httpMethod === 'GET' || this.#httpMethod === 'HEAD';
  }

  failure(): AppError {
    return this.#failure ?? new AppError('provider_error', 'The provider can’t be reached.');
  }

  /** @returns undefined when no whole answer came; see {@link failure} */
  async run(method: Method, params: MethodParams): Promise<Answer | undefined> {
    try {
      const { status, headers, data } = await method(params, {
        // Per call: in the client's own options its path would be dropped, and uploads would go to the real host.
        ...(this.#options.apiUrl !== undefined && { rootUrl: `${this.#options.apiUrl}/` }),
        headers: { authorization: `Bearer ${this.#token}` },
        responseType: 'arraybuffer',
        retry: false,
        validateStatus: () => true,
        fetchImplementation: (input: URL | string, init: RequestInit) => this.#fetch(input, init),
      });
      return { status, headers: new Headers(headers), bytes: Buffer.from(data) };
    } catch (error) {
      // The SDK wraps what its fetch throws.
      const own = error instanceof Error && error.cause instanceof AppError ? error.cause : error;
      if (own instanceof AppError) this.#failure = own;
      else if (this.#deadline.aborted) this.#failure = timedOut();
      else if (this.#httpMethod === '') throw invalidParams(error);
      else {
        const code = networkCode(error);
        this.neverSent = NEVER_CONNECTED.has(code);
        this.#failure = new AppError('provider_error', 'The provider can’t be reached.', { cause: new Error(`request failed: ${code}`) });
      }
      if (this.#failure.code === 'too_large') throw this.#failure;
      return undefined;
    }
  }

  async #fetch(input: URL | string, init: RequestInit): Promise<Response> {
    this.#httpMethod = (init.method ?? 'GET').toUpperCase();
    this.#deadline.throwIfAborted();
    if (!this.safe) this.#sendsChange();
    // A redirect would carry the token elsewhere.
    const response = await fetch(input, { ...init, redirect: 'error', signal: this.#deadline });
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

/** 408 may come in the middle of an answer's making; any other 4xx says that nothing was done. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408;
}

function retryAfterOf({ headers }: Answer): number | undefined {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(Math.ceil(seconds), 3600) : undefined;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function timedOut(): AppError {
  return new AppError('provider_timeout', 'The provider did not answer in time.');
}

function notUnderstood(cause: string): AppError {
  return new AppError('provider_error', 'The provider’s answer could not be understood.', { cause: new Error(cause) });
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
