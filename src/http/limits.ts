import type { Request, RequestHandler } from 'express';
import type { Limits } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { FixedWindowLimiter } from '../rate-limit/fixed-window.ts';
import { networkOf } from './client-address.ts';
import type { Caller } from './endpoint.ts';
import type { Authenticate } from './require-id-token.ts';

/** Middleware: at most `limit` requests a minute from one address (an IPv6 /64 network counts as one). */
export function limitPerAddress(limit: number): RequestHandler {
  const limiter = new FixedWindowLimiter();
  return (request: Request, _response, next) => {
    take(limiter, networkOf(request.ip, request.socket.remoteAddress), limit);
    next();
  };
}

type PerUserLimits = Pick<Limits, 'userRequestsPerMinute' | 'userProviderRequestsPerMinute'>;

/**
 * Adds the limits of signed-in users, whatever their addresses, to the verification of their ID tokens. Those of requests
 * to providers protect the providers' own limits, which all users share.
 */
export function authenticateWithin(limits: PerUserLimits, verify: (token: string | undefined) => Promise<Caller>): Authenticate {
  const requests = new FixedWindowLimiter();
  const toProviders = new FixedWindowLimiter();
  return async (token, toProvider) => {
    const caller = await verify(token);
    take(requests, caller.userId, limits.userRequestsPerMinute);
    if (toProvider) take(toProviders, caller.userId, limits.userProviderRequestsPerMinute);
    return caller;
  };
}

function take(limiter: FixedWindowLimiter, key: string, limit: number): void {
  const now = performance.now();
  if (limiter.allows(key, limit, now)) return;
  throw new AppError('rate_limited', 'Too many requests. Slow down.', { retryAfter: limiter.secondsLeft(now) });
}
