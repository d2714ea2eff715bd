import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { AppError } from '../../errors.ts';
import { checkedLookup, type Resolve, resolveAll } from '../../outbound/look-up.ts';
import { assertPublic } from '../../outbound/public-addresses.ts';
import { readCapped } from '../../rate-limit/capped-body.ts';
import { usedMetadata } from './client-metadata.ts';

/** Documents that are being fetched at a time, until their headers arrive. */
const AT_ONCE = 8;
export const MAX_DOCUMENT_BYTES = 64 * 1024;

/** Fetches one address. Resolves with the headers, and settles when nothing of it goes on. */
export type FetchDocument = (url: URL, signal: AbortSignal) => Promise<Response>;

/**
 * Bounds how many documents are fetched at a time: their look-ups, connections and headers. Bodies are bounded by the
 * library's time limit and {@link MAX_DOCUMENT_BYTES}.
 *
 * @returns a replacement of `fetch` for the library, which sets the time limit (2.5 s) and reads the body
 */
export function documentFetcher(fetchDocument: FetchDocument = fetchPublic): (url: URL | string, signal: AbortSignal) => Promise<Response> {
  let running = 0;
  return async (address, signal) => {
    if (running >= AT_ONCE) throw new AppError('unavailable', 'Too many documents of clients are being fetched.', { retryAfter: 3 });
    running += 1;
    try {
      return await fetchDocument(new URL(address), signal);
    } finally {
      running -= 1;
    }
  };
}

/**
 * The response with a document that has only what is used of it.
 *
 * @throws Error when it has more than {@link MAX_DOCUMENT_BYTES}
 */
export async function withUsedMetadata(response: Response): Promise<Response> {
  if (response.status !== 200 || response.body === null) return response;
  const tooLarge = () => new Error(`the document has more than ${MAX_DOCUMENT_BYTES} bytes`);
  const text = (await readCapped(response.body, MAX_DOCUMENT_BYTES, tooLarge)).toString();
  return new Response(usedMetadata(text), { headers: response.headers });
}

/** What the user is shown of an error of the library; undefined: it is not about the fetch of a document. */
export function fetchFailure(error: unknown): AppError | undefined {
  const { error_description: description, cause } = error as { error_description?: string; cause?: unknown };
  if (description?.includes('document fetch failed') !== true) return undefined;
  if (cause instanceof AppError && cause.code === 'unavailable') return cause;
  const text =
    'The app’s document could not be fetched: this service needs a way to it by https. The operator finds the reason in the log.';
  return new AppError('invalid_request', text, { cause });
}

/** Fetches an https address of the public internet; redirects are not followed. */
function fetchPublic(url: URL, signal: AbortSignal): Promise<Response> {
  return fetchFrom(url, signal);
}

/**
 * Fetches an https address, if its host is in the public internet. The connection is made to an address that was checked,
 * so that a name that resolves otherwise a moment later leads nowhere else.
 *
 * @param resolve the resolver, in tests another; its look-up ends before the fetch does
 * @throws Error; AppError `forbidden` when the address is of this machine, a private network or for special use
 */
export async function fetchFrom(url: URL, signal: AbortSignal, resolve: Resolve = resolveAll): Promise<Response> {
  if (url.protocol !== 'https:') throw new AppError('forbidden', 'Documents of clients are fetched by https only.');
  // Names are checked where the connection is made; addresses are not looked up there.
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) assertPublic(literal);
  const response = await requestFrom(url, signal, resolve);
  const headers = Object.entries(response.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  const status = response.statusCode ?? 500;
  if (status !== 200) {
    response.destroy();
    return new Response(null, { status: status >= 200 && status < 600 ? status : 500 });
  }
  return new Response(Readable.toWeb(response) as ReadableStream, { status, headers: headers as [string, string][] });
}

async function requestFrom(url: URL, signal: AbortSignal, resolve: Resolve): Promise<IncomingMessage> {
  const { get } = await import('node:https');
  let resolving: ReturnType<Resolve> | undefined;
  const lookup = checkedLookup((hostname) => {
    resolving = resolve(hostname, signal);
    return resolving;
  }, assertPublic);
  try {
    return await new Promise<IncomingMessage>((done, fail) => {
      get(url, { signal, agent: false, lookup, headers: { accept: 'application/json' } }, done).once('error', fail);
    });
  } finally {
    await resolving?.catch(() => {});
  }
}
