import type { Request, RequestHandler } from 'express';
import type { Limits } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { Rates } from '../rate-limit/fixed-window.ts';
import { networkOf } from './client-address.ts';

/** At most `limit` requests a minute from one address (an IPv6 network of /64 counts as one). */
export function limitPerAddress(limit: number): RequestHandler {
  const rates = new Rates();
  return (request: Request, _response, next) => {
    take(rates, networkOf(request.ip, request.socket.remoteAddress), limit);
    next();
  };
}

type UserShare = Pick<Limits, 'userRequestsPerMinute' | 'userProviderRequestsPerMinute'>;

/** How often signed-in users may call, wherever they call from. */
export class UserLimits {
  readonly #limits: UserShare;
  readonly #requests = new Rates();
  readonly #toProviders = new Rates();

  constructor(limits: UserShare) {
    this.#limits = limits;
  }

  /**
   * Counts one request.
   *
   * @param toProvider it leads to a provider, of whose patience all users have one share
   * @throws AppError `rate_limited`
   */
  take(userId: string, toProvider: boolean): void {
    take(this.#requests, userId, this.#limits.userRequestsPerMinute);
    if (toProvider) take(this.#toProviders, userId, this.#limits.userProviderRequestsPerMinute);
  }
}

function take(rates: Rates, key: string, limit: number): void {
  const now = performance.now();
  if (rates.allows(key, limit, now)) return;
  throw new AppError('rate_limited', 'Too many requests. Slow down.', { retryAfter: rates.secondsLeft(now) });
}
