import { Resolver } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import ipaddr from 'ipaddr.js';
import { AppError } from '../../errors.ts';
import { readCapped } from '../../rate-limit/capped-body.ts';
import { usedMetadata } from './client-metadata.ts';

/** Documents that are being fetched at a time, until their headers arrive. */
const AT_ONCE = 8;
/** Milliseconds for the first of two attempts. */
const NAME_SERVERS = { timeout: 1_000, tries: 2 };
/** Answers of name servers: there is no such name, or it has no address. */
const NO_ADDRESS = new Set(['ENOTFOUND', 'ENODATA']);
export const MAX_DOCUMENT_BYTES = 64 * 1024;

interface Address {
  address: string;
  family: number;
}

/** All addresses of a host name. */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<readonly Address[]>;
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
  const lookup = publicLookup((hostname) => {
    resolving = resolve(hostname, signal);
    return resolving;
  });
  try {
    return await new Promise<IncomingMessage>((done, fail) => {
      get(url, { signal, agent: false, lookup, headers: { accept: 'application/json' } }, done).once('error', fail);
    });
  } finally {
    await resolving?.catch(() => {});
  }
}

function publicLookup(resolve: (hostname: string) => ReturnType<Resolve>): LookupFunction {
  return (hostname, { all }, callback) => {
    resolve(hostname).then(
      (addresses) => {
        try {
          for (const { address } of addresses) assertPublic(address);
          const [first] = addresses;
          if (first === undefined) throw new AppError('forbidden', 'The host has no address.');
          if (all === true) callback(null, [...addresses]);
          else callback(null, first.address, first.family);
        } catch (error) {
          callback(error as Error, '', 0);
        }
      },
      (error: Error) => callback(error, '', 0),
    );
  };
}

/**
 * Asks the name servers until the signal. getaddrinfo, which Node uses otherwise, can't be stopped, and its look-ups at slow
 * name servers would keep those of the whole process waiting.
 *
 * @throws Error with a code of getaddrinfo: `ENOTFOUND`, or `EAI_AGAIN` when no name server has answered
 */
export async function resolveAll(hostname: string, signal: AbortSignal, resolver = new Resolver(NAME_SERVERS)): Promise<Address[]> {
  signal.throwIfAborted();
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel);
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  signal.removeEventListener('abort', cancel);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length > 0) return addresses.map((address) => ({ address, family: isIP(address) }));
  const [cause] = answers.flatMap((answer) => (answer.status === 'rejected' && !NO_ADDRESS.has(answer.reason.code) ? [answer.reason] : []));
  throw Object.assign(new Error(`${hostname} could not be resolved`, { cause }), { code: cause === undefined ? 'ENOTFOUND' : 'EAI_AGAIN' });
}

/** Of IPv6, only 2000::/3 is assigned so far (RFC 4291, 2.4). */
const GLOBAL_V6 = ipaddr.parseCIDR('2000::/3');
/** Services of a cloud's own host, at an address of the public internet. */
const HOST_SERVICES = new Set(['168.63.129.16']);

function isGlobal(address: ReturnType<typeof ipaddr.process>): boolean {
  if (address.range() !== 'unicast' || HOST_SERVICES.has(address.toString())) return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_V6);
}

/** @throws AppError `forbidden` for an address that is not in the public internet (RFC 6890) */
export function assertPublic(address: string): void {
  // An IPv4 address written as IPv6 is judged as what it is.
  if (isIP(address) !== 0 && isGlobal(ipaddr.process(address))) return;
  throw new AppError('forbidden', 'The host of the client’s document is not in the public internet.');
}
