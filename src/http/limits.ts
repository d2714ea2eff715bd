import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import type { Express, RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { AppError } from '../errors.ts';

const MINUTE_MS = 60_000;
const IPV6_PREFIX = 64;

/** At most `limit` requests a minute from one address (an IPv6 network of /64 counts as one). */
export function limitPerAddress(limit: number): RequestHandler {
  return rateLimit({
    windowMs: MINUTE_MS,
    limit,
    keyGenerator: ({ ip }) => networkOf(ip),
    standardHeaders: false,
    legacyHeaders: false,
    // Its own checks print to the console; what trust proxy means is the operator's decision (TRUST_PROXY).
    validate: false,
    handler(_request, response, next) {
      const reset = Number(response.getHeader('retry-after') ?? MINUTE_MS / 1000);
      next(new AppError('rate_limited', 'Too many requests. Slow down.', { retryAfter: reset }));
    },
  });
}

/** What {@link limitPerAddress} counts by, of a request that doesn't pass through the app: an upgrade. */
export function addressOf(app: Express, { headers, socket }: IncomingMessage): string {
  // Who is behind which proxy is Express's to say; its `ip` looks at nothing but these two.
  const request: Express['request'] = Object.create(app.request, { headers: { value: headers }, socket: { value: socket } });
  return networkOf(request.ip);
}

function networkOf(ip = ''): string {
  // The library's own parses every address anew; only IPv6 ones need it.
  return isIPv4(ip) ? ip : ipKeyGenerator(ip, IPV6_PREFIX);
}
