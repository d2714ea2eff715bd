import type { Request, RequestHandler } from 'express';
import type { Limits } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { FixedWindowLimiter } from '../rate-limit/fixed-window.ts';
import { networkOf } from './client-address.ts';

/** Middleware: at most `limit` requests a minute from one address (an IPv6 /64 network counts as one). */
export function limitPerAddress(limit: number): RequestHandler {
  const limiter = new FixedWindowLimiter();
  return (request: Request, _response, next) => {
    take(limiter, networkOf(request.ip, request.socket.remoteAddress), limit);
    next();
  };
}

type PerUserLimits = Pick<Limits, 'userRequestsPerMinute' | 'userProviderRequestsPerMinute'>;

/** The limits of signed-in users, whatever their addresses. */
export class UserLimits {
  readonly #limits: PerUserLimits;
  readonly #requests = new FixedWindowLimiter();
  readonly #toProviders = new FixedWindowLimiter();

  constructor(limits: PerUserLimits) {
    this.#limits = limits;
  }

  /**
   * Counts one request.
   *
   * @param toProvider the request leads to a provider, whose own limits all users share
   * @throws AppError `rate_limited`
   */
  take(userId: string, toProvider: boolean): void {
    take(this.#requests, userId, this.#limits.userRequestsPerMinute);
    if (toProvider) take(this.#toProviders, userId, this.#limits.userProviderRequestsPerMinute);
  }
}

function take(limiter: FixedWindowLimiter, key: string, limit: number): void {
  const now = performance.now();
  if (limiter.allows(key, limit, now)) return;
  throw new AppError('rate_limited', 'Too many requests. Slow down.', { retryAfter: limiter.secondsLeft(now) });
}
