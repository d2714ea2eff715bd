import type { RequestHandler } from 'express';
import type { Caller } from './endpoint.ts';

/**
 * Verifies an ID token and counts the request towards the user's limits.
 *
 * @param token the bare token; a `Bearer ` prefix is tolerated
 * @param toProvider the request leads to a provider
 * @throws AppError `invalid_token`, `token_expired`, `forbidden`, `rate_limited`, `unavailable`
 */
export type Authenticate = (token: string | undefined, toProvider: boolean) => Promise<Caller>;

/** Middleware: rejects a request without a valid ID token in its Authorization header; sets `response.locals.caller`. */
export function requireIdToken(authenticate: Authenticate, toProvider: boolean): RequestHandler {
  return async (request, response, next) => {
    response.locals.caller = await authenticate(request.headers.authorization, toProvider);
    next();
  };
}
