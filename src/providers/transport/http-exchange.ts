import type { Readable } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../clock/clock.ts';
import { loadOnce } from '../../concurrency/load-once.ts';
import { onDeadline } from './deadline.ts';
import { LARGE_BYTES } from './responses.ts';

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
  signal: AbortSignal;
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
  acquireLarge?(ending: AbortSignal): Promise<void>;
}

/** The request was ended by its signal or its time limit. */
export class ExchangeEnded extends Error {}

/** As of fetch. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** The workspace provider compresses responses only for clients that say so here as well. */
const USER_AGENT = 'steward (gzip)';
/** As browsers do, a body whose end is cut off is decoded as far as it goes; its reader rejects it. */
const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH } as const;
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH } as const;
/** The HTTP client, loaded with the first request. Its own time limits are off: requests have one for the whole exchange. */
export const openAgent = loadOnce(async () => new (await import('undici')).Agent({ headersTimeout: 0, bodyTimeout: 0 }));

/**
 * One request to a provider, and its response in full. Redirects are rejected, because they would send secrets to another
 * host. So are responses with several content codings, which no API uses. Nothing is retried.
 *
 * @throws ExchangeEnded; the limit's error; errors of the system and of the client, with their codes
 */
export async function exchange(request: HttpRequest, options: ExchangeOptions): Promise<HttpResponse> {
  const { signal, clock, timeoutMs } = options;
  const ending = new AbortController();
  const end = () => ending.abort(new ExchangeEnded());
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const stopDeadline = timeoutMs === undefined ? undefined : onDeadline(clock, timeoutMs, end);
  try {
    return await respond(request, options, ending.signal);
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : error;
  } finally {
    stopDeadline?.();
    signal.removeEventListener('abort', end);
  }
}

async function respond(
  request: HttpRequest,
  { limit, acquireLarge: enterLarge }: ExchangeOptions,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const { method, origin, path, body } = request;
  const headers = { ...request.headers, 'accept-encoding': 'gzip', 'user-agent': USER_AGENT };
  const agent = await openAgent();
  const response = await agent.request({ method: method as Dispatcher.HttpMethod, origin, path, headers, body: body ?? null, signal });
  // What is left of the body when this throws ends its connection; an error of it is then ignored.
  response.body.on('error', () => {});
  try {
    const { statusCode: status } = response;
    if (REDIRECTS.has(status)) throw new Error('a redirect');
    const retryAfter = [response.headers['retry-after']].flat()[0];
    const bytes = await read(decoded(response), limit(status), () => enterLarge?.(signal));
    return { status, retryAfter, bytes };
  } finally {
    response.body.destroy();
  }
}

/** As browsers do: a coding that is none (`identity`, `utf-8`) says nothing about the body. */
function decoded({ headers, body }: Dispatcher.ResponseData): Readable {
  const codings = [headers['content-encoding'] ?? []].flat();
  const coding = codings[0]?.trim().toLowerCase() ?? '';
  if (codings.length > 1 || coding.includes(',')) throw new Error('several content codings');
  const decoder = decoderOf(coding);
  if (decoder === undefined) return body;
  body.on('error', (error) => decoder.destroy(error)).on('close', () => body.readableEnded || decoder.destroy());
  return body.pipe(decoder);
}

function decoderOf(coding: string) {
  if (coding === 'gzip' || coding === 'x-gzip') return createGunzip(ZLIB);
  if (coding === 'deflate') return createInflate(ZLIB);
  return coding === 'br' ? createBrotliDecompress(BROTLI) : undefined;
}

/** @param enter called once the body is large */
async function read(body: Readable, { bytes: most, error }: ReadLimit, enter: () => Promise<void> | undefined): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    const before = size;
    size += chunk.byteLength;
    if (size > most) {
      if (error !== undefined) throw error();
      // Of an error response: its size must not hide the error.
      return new Uint8Array();
    }
    chunks.push(chunk);
    if (before <= LARGE_BYTES && size > LARGE_BYTES) await enter();
  }
  return joined(chunks, size);
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks;
  // Most responses are one chunk, which is not copied.
  if (first?.byteLength === size) return new Uint8Array(first.buffer, first.byteOffset, size);
  return new Uint8Array(Buffer.concat(chunks, size));
}
