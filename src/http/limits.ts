import { isIPv4 } from 'node:net';
import type { RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { AppError } from '../errors.ts';

const MINUTE_MS = 60_000;
const IPV6_PREFIX = 64;

/** At most `limit` requests a minute from one address (an IPv6 network of /64 counts as one). */
export function limitPerAddress(limit: number): RequestHandler {
  return rateLimit({
    windowMs: MINUTE_MS,
    limit,
    // The library's own parses every address anew; only IPv6 ones need it.
    keyGenerator: ({ ip = '' }) => (isIPv4(ip) ? ip : ipKeyGenerator(ip, IPV6_PREFIX)),
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
