import type { IncomingHttpHeaders } from 'node:http';
import { isLoopback } from '../src/config/config.ts';
import { AppError } from '../src/errors.ts';
import type { Middleware } from './controls.ts';
import type { EmulatorOptions } from './emulator-options.ts';

export type GuardOptions = Pick<EmulatorOptions, 'publicUrl' | 'allowedOrigins'>;

/**
 * Accepts only calls from programs on this machine and from this service's own pages. The sandbox signs in any user, so
 * other web pages must not reach it, neither across origins nor by DNS rebinding.
 *
 * @throws AppError `forbidden` for a foreign Host or Origin header
 */
export function sandboxGuard(options: GuardOptions): Middleware {
  const home = new URL(options.publicUrl);
  const origins = new Set([home.origin, ...options.allowedOrigins]);
  return (request, _response, next) => {
    if (!isOwnHost(request.headers.host, home)) {
      throw new AppError('forbidden', "The sandbox only responds at this service's own address.");
    }
    if (!isOwnOrigin(request.headers, origins)) {
      throw new AppError('forbidden', 'The sandbox does not respond to pages of other origins.');
    }
    next();
  };
}

function isOwnHost(host: string | undefined, home: URL): boolean {
  // Only host and port, because other characters would change the address below.
  if (host === undefined || /[\s/\\@?#]/.test(host)) return false;
  const url = URL.parse(`${home.protocol}//${host}`);
  return url !== null && (isLoopback(url.hostname) || url.host === home.host);
}

function isOwnOrigin(headers: IncomingHttpHeaders, origins: Set<string>): boolean {
  const origin = headers.origin;
  if (origin === undefined) return true;
  // Our pages send no referrer, and browsers then send `null` with a form post (Fetch, "append a request Origin header").
  // Scripts cannot forge Sec-Fetch-Site, and a sandboxed frame's opaque origin never counts as same-origin.
  if (origin === 'null') return headers['sec-fetch-site'] === 'same-origin';
  return origins.has(origin) || isLoopbackOrigin(origin);
}

/** Whether an origin is a page of this machine, on any port. */
export function isLoopbackOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && isLoopback(url.hostname);
}
