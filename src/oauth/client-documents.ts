import { lookup as resolveName } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import ipaddr from 'ipaddr.js';
import { AppError } from '../errors.ts';

/** Documents that are being fetched at a time. */
const AT_ONCE = 8;
export const MAX_DOCUMENT_BYTES = 64 * 1024;

/** All addresses of a host name. */
export type Resolve = (hostname: string) => Promise<readonly { address: string; family: number }[]>;
/** Fetches one address. */
export type FetchDocument = (url: URL, signal: AbortSignal) => Promise<Response>;

/**
 * Bounds how many documents are fetched at a time.
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

/** Fetches an https address of the public internet; redirects are not followed. */
function fetchPublic(url: URL, signal: AbortSignal): Promise<Response> {
  return fetchFrom(url, signal);
}

/**
 * Fetches an https address, if its host is in the public internet. The connection is made to an address that was checked,
 * so that a name that resolves otherwise a moment later leads nowhere else.
 *
 * @param resolve the resolver, in tests another
 * @throws Error; AppError `forbidden` when the address is of this machine, a private network or for special use
 */
export async function fetchFrom(url: URL, signal: AbortSignal, resolve: Resolve = resolveAll): Promise<Response> {
  if (url.protocol !== 'https:') throw new AppError('forbidden', 'Documents of clients are fetched by https only.');
  // Names are checked where the connection is made; addresses are not looked up there.
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) assertPublic(literal);
  const { get } = await import('node:https');
  const response = await new Promise<IncomingMessage>((done, fail) => {
    get(url, { signal, agent: false, lookup: publicLookup(resolve), headers: { accept: 'application/json' } }, done).once('error', fail);
  });
  const headers = Object.entries(response.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  const status = response.statusCode ?? 500;
  if (status !== 200) {
    response.destroy();
    return new Response(null, { status: status >= 200 && status < 600 ? status : 500 });
  }
  return new Response(Readable.toWeb(response) as ReadableStream, { status, headers: headers as [string, string][] });
}

function publicLookup(resolve: Resolve): LookupFunction {
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

function resolveAll(hostname: string): ReturnType<Resolve> {
  return resolveName(hostname, { all: true });
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
