import { constants, createBrotliDecompress, createGunzip, createInflate, gunzipSync } from 'node:zlib';
import type { Clock } from '../../clock/clock.ts';
import { onDeadline } from './deadline.ts';
import { type DispatchHandler, nodeDispatcher } from './node-dispatcher.ts';
import { LARGE_BYTES } from './responses.ts';
import type { RunSignal } from './run-signal.ts';

export interface HttpRequest {
  method: string;
  /** Scheme, host and port. */
  origin: string;
  /** With the query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array | undefined;
}

export interface HttpResponse {
  status: number;
  /** Value of Retry-After; undefined: there is none. */
  retryAfter: string | undefined;
  /** Decoded. May be a slice of a larger buffer. */
  bytes: Uint8Array;
}

export interface ReadLimit {
  /** The most that is read of a body, decoded. */
  bytes: number;
  /** Makes the error for a longer body; undefined: a longer body is left out. */
  error: (() => Error) | undefined;
}

export interface ExchangeOptions {
  /** Ends the request. */
  signal: RunSignal;
  /** Measures the time limit. */
  clock: Clock;
  /** Time limit, milliseconds; undefined: only the signal ends the request. */
  timeoutMs?: number;
  limit(status: number): ReadLimit;
  /**
   * Called when the body turns out to have more than {@link LARGE_BYTES}. The rest is read from the connection once it resolves.
   *
   * @param ending aborts when the request ends early
   */
  enterLarge?(ending: AbortSignal): Promise<void>;
}

/** The request was ended by its signal or its time limit. */
export class ExchangeEnded extends Error {}

/** As of fetch. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** The workspace provider compresses responses only for clients that say so here as well. */
const USER_AGENT = 'steward (gzip)';
const CODING_NAME = 'content-encoding';
const RETRY_NAME = 'retry-after';
/** A compressed body of at most this size is decoded at once: a stream costs several times as much. */
const SMALL_BYTES = 16 * 1024;
/** As browsers do, a body whose end is cut off is decoded as far as it goes; whoever reads it rejects it. */
const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH } as const;
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH } as const;

/**
 * One request to a provider over Node's HTTP client, and its response in full. Redirects are rejected, because they would send
 * secrets to another host. So are responses with several content codings, which no API uses
 * (docs/decisions/0008-requests-to-providers.md). Nothing is retried.
 *
 * @throws ExchangeEnded; the limit's error; errors of the system and of Node's client, with their codes
 */
export function exchange(request: HttpRequest, options: ExchangeOptions): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const handler = new Exchange(options, resolve, reject);
  const { method, origin, path, body } = request;
  const headers = { ...request.headers, 'accept-encoding': 'gzip', 'user-agent': USER_AGENT };
  // The client's own time limits would need timers of their own.
  const limits = { headersTimeout: 0, bodyTimeout: 0 };
  if (handler.begin()) nodeDispatcher().dispatch({ method, origin, path, headers, body, ...limits } as never, handler);
  return promise;
}

type Decoder = ReturnType<typeof createGunzip>;
type Abort = (reason: Error) => void;

/** The client's callbacks for one request. Errors that they throw fail the request. */
class Exchange implements DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: Error) => void;
  #isOver = false;
  #stopDeadline: (() => void) | undefined;
  /** Closes the connection; undefined: the request is not sent yet. */
  #abort: Abort | undefined;
  #resume: (() => void) | undefined;
  #status = 0;
  #retryAfter: string | undefined;
  #coding: string | undefined;
  #limit: ReadLimit | undefined;
  #decoder: Decoder | undefined;
  /** Encoded, until the decoder exists. */
  #encoded: Uint8Array[] = [];
  #encodedSize = 0;
  #chunks: Uint8Array[] = [];
  #size = 0;
  /** Aborts the wait for the place of a large response. */
  #entering: AbortController | undefined;
  #hasEntered = false;

  constructor(options: ExchangeOptions, resolve: (response: HttpResponse) => void, reject: (error: Error) => void) {
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** @returns false: it has been ended already */
  begin(): boolean {
    const { signal, clock, timeoutMs } = this.#options;
    if (signal.aborted) this.#end();
    if (this.#isOver) return false;
    signal.onAbort(this.#end);
    if (timeoutMs !== undefined) this.#stopDeadline = onDeadline(clock, timeoutMs, this.#end);
    return true;
  }

  onConnect(abort: Abort): void {
    this.#abort = abort;
    // Ended while it waited for a connection.
    if (this.#isOver) abort(new ExchangeEnded());
  }

  onHeaders(status: number, headers: Buffer[], resume: () => void): boolean {
    // An interim response (RFC 9110, 15.2).
    if (status < 200) return true;
    this.#status = status;
    this.#resume = resume;
    if (REDIRECTS.has(status)) throw new Error('a redirect');
    this.#readHeaders(headers);
    this.#limit = this.#options.limit(status);
    return true;
  }

  /** @returns false: nothing more is read from the connection until it is resumed */
  onData(chunk: Buffer): boolean {
    if (this.#isOver) return true;
    if (this.#coding === undefined) return this.#take(chunk);
    if (this.#decoder !== undefined) return this.#decoder.write(chunk);
    this.#encoded.push(chunk);
    this.#encodedSize += chunk.byteLength;
    return this.#coding === 'gzip' && this.#encodedSize <= SMALL_BYTES ? true : this.#decode();
  }

  onComplete(): void {
    if (this.#isOver) return;
    if (this.#encodedSize > 0 && this.#decoder === undefined) this.#decodeSmall();
    if (this.#decoder !== undefined) this.#decoder.end();
    else this.#succeed();
  }

  onError(error: Error): void {
    this.#fail(error);
  }

  readonly #end = (): void => {
    this.#fail(new ExchangeEnded());
  };

  #readHeaders(headers: Buffer[]): void {
    for (let at = 0; at < headers.length; at += 2) {
      const { length } = headers[at] as Buffer;
      if (length !== CODING_NAME.length && length !== RETRY_NAME.length) continue;
      const name = String(headers[at]).toLowerCase();
      if (name === RETRY_NAME) this.#retryAfter ??= String(headers[at + 1]);
      if (name !== CODING_NAME) continue;
      const coding = String(headers[at + 1])
        .trim()
        .toLowerCase();
      if (this.#coding !== undefined || coding.includes(',')) throw new Error('several content codings');
      this.#coding = coding;
    }
    if (this.#coding === 'x-gzip') this.#coding = 'gzip';
    // As browsers do: a name that is none (`identity`, `utf-8`) says nothing about the body.
    if (this.#coding !== undefined && decoderOf(this.#coding) === undefined) this.#coding = undefined;
  }

  /** @returns whether more may be read */
  #take(chunk: Uint8Array): boolean {
    const { bytes: most, error } = this.#limit as ReadLimit;
    this.#size += chunk.byteLength;
    if (this.#size > most) {
      if (error !== undefined) this.#fail(error());
      else this.#leaveOut();
      return false;
    }
    this.#chunks.push(chunk);
    const { enterLarge } = this.#options;
    if (enterLarge === undefined || this.#hasEntered || this.#size <= LARGE_BYTES) return true;
    this.#hasEntered = true;
    void this.#enter(enterLarge);
    return false;
  }

  async #enter(enterLarge: NonNullable<ExchangeOptions['enterLarge']>): Promise<void> {
    this.#entering = new AbortController();
    this.#decoder?.pause();
    try {
      await enterLarge(this.#entering.signal);
    } catch (error) {
      this.#fail(error as Error);
    }
    if (this.#isOver) return;
    if (this.#decoder === undefined) this.#resume?.();
    else this.#decoder.resume();
  }

  /** Decodes what came so far as a stream. */
  #decode(): boolean {
    const decoder = (decoderOf(this.#coding ?? '') ?? createGunzip)();
    this.#decoder = decoder;
    decoder.on('data', (chunk: Buffer) => this.#isOver || this.#take(chunk));
    decoder.on('drain', () => this.#isOver || this.#resume?.());
    decoder.on('end', () => this.#succeed());
    decoder.on('error', (error) => this.#fail(error));
    let mayWrite = true;
    for (const chunk of this.#encoded.splice(0)) mayWrite = decoder.write(chunk);
    return mayWrite;
  }

  /** Decodes a small body at once. One that becomes large is decoded as a stream, within the limits. */
  #decodeSmall(): void {
    let decoded: Buffer;
    try {
      decoded = gunzipSync(joined(this.#encoded, this.#encodedSize), { ...ZLIB, maxOutputLength: LARGE_BYTES });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE') throw error;
      this.#decode();
      return;
    }
    this.#take(decoded);
  }

  /** The body of an error response is too large; its size must not hide the error. */
  #leaveOut(): void {
    this.#chunks = [];
    this.#size = 0;
    this.#succeed();
    this.#abort?.(new ExchangeEnded());
  }

  #succeed(): void {
    if (!this.#close()) return;
    this.#resolve({ status: this.#status, retryAfter: this.#retryAfter, bytes: joined(this.#chunks, this.#size) });
  }

  #fail(error: Error): void {
    if (!this.#close()) return;
    this.#entering?.abort(error);
    this.#reject(error);
    this.#abort?.(error);
  }

  /** @returns false: it is over already */
  #close(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#stopDeadline?.();
    this.#options.signal.offAbort(this.#end);
    this.#decoder?.destroy();
    return true;
  }
}

function decoderOf(coding: string): (() => Decoder) | undefined {
  if (coding === 'gzip') return () => createGunzip(ZLIB);
  if (coding === 'deflate') return () => createInflate(ZLIB);
  return coding === 'br' ? () => createBrotliDecompress(BROTLI) : undefined;
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks;
  // Most responses are one chunk, which is not copied.
  if (first?.byteLength === size) return new Uint8Array(first.buffer, first.byteOffset, size);
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
}
