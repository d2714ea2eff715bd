import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { AppError } from '../errors.ts';
import { checkedLookup, type Resolve, resolveAll } from './look-up.ts';
import { assertPublic } from './public-addresses.ts';

/**
 * Fetches an https address, if its host is in the public internet. The connection is made to an address that was checked,
 * so that a name that resolves otherwise a moment later leads nowhere else.
 *
 * @param resolve the resolver, in tests another; its look-up ends before the fetch does
 * @throws Error; AppError `forbidden` when the address is of this machine, a private network or for special use
 */
export async function fetchPublicDocument(url: URL, signal: AbortSignal, resolve: Resolve = resolveAll): Promise<Response> {
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
