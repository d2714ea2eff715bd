import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Caller } from './endpoint.ts';
import type { UserLimits } from './limits.ts';

/**
 * Verifies an ID token and counts the request towards the user's limits.
 *
 * @param token the bare token; a `Bearer ` prefix is tolerated
 * @param toProvider the request leads to a provider
 * @throws AppError `invalid_token`, `token_expired`, `forbidden`, `rate_limited`, `unavailable`
 */
export type Authenticate = (token: string | undefined, toProvider: boolean) => Promise<Caller>;

export function authenticateWithin(limits: UserLimits, verify: (token: string | undefined) => Promise<Caller>): Authenticate {
  return async (token, toProvider) => {
    const caller = await verify(token);
    limits.take(caller.userId, toProvider);
    return caller;
  };
}

/** Middleware: rejects a request without a valid ID token in its Authorization header; sets `response.locals.caller`. */
export function requireIdToken(authenticate: Authenticate, toProvider: boolean): RequestHandler {
  return async (request: Request, response: Response, next: NextFunction) => {
    response.locals.caller = await authenticate(request.headers.authorization, toProvider);
    next();
  };
}
