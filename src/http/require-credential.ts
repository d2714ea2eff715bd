import type { RequestHandler } from 'express';
import type { Caller, Principal } from './endpoint.ts';

/**
 * Verifies an ID token and counts the request towards the user's limits.
 *
 * @param token the bare token; a `Bearer ` prefix is tolerated
 * @param toProvider the request leads to a provider
 * @throws AppError `invalid_token`, `token_expired`, `forbidden`, `rate_limited`, `unavailable`
 */
export type Authenticate = (token: string | undefined, toProvider: boolean) => Promise<Caller>;

/** The credential of an Authorization header; '' if there is none. */
export function bareCredential(header: string | undefined): string {
  return header?.replace(/^Bearer +/i, '').trim() ?? '';
}

/** Like {@link Authenticate}, also for the token of a client. */
export type AuthenticateAny = (token: string | undefined, toProvider: boolean) => Promise<Principal>;

/** Middleware: rejects a request without a valid credential in its Authorization header; sets `response.locals.caller`. */
export function requireCredential(authenticate: AuthenticateAny, toProvider: boolean): RequestHandler {
  return async (request, response, next) => {
    response.locals.caller = await authenticate(request.headers.authorization, toProvider);
    next();
  };
}
