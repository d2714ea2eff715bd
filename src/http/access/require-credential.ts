import type { RequestHandler } from 'express';
import type { Caller, Principal } from '../../principal.ts';
import type { Cookies } from '../pages/cookies.ts';
import { type AuthenticateFirstParty, requireFirstParty } from './first-party.ts';

/** Which credentials an endpoint accepts. */
export type AuthKind = 'id_token' | 'first_party' | 'credential' | 'none';

/**
 * Verifies an ID token and counts the request towards the user's limits.
 *
 * @param token the bare token; a `Bearer ` prefix is tolerated
 * @param toProvider the request leads to a provider
 * @throws AppError `invalid_token`, `token_expired`, `forbidden`, `rate_limited`, `unavailable`
 */
export type Authenticate = (token: string | undefined, toProvider: boolean) => Promise<Caller>;

/** Like {@link Authenticate}, also for the token of a client. */
export type AuthenticateAny = (token: string | undefined, toProvider: boolean) => Promise<Principal>;

/** Of each kind of credential. */
export interface Credentials {
  authenticate: Authenticate;
  /** Also accepts personal access tokens. */
  authenticateAny: AuthenticateAny;
  /** Of a client only, for /mcp. */
  authenticateClient(header: string | undefined): Promise<Principal>;
  /** Of the user in person only. */
  authenticateFirstParty: AuthenticateFirstParty;
}

/** Makes the middleware that rejects a request without a valid credential; it sets `response.locals.caller`. */
export type RequireCredential = (auth: Exclude<AuthKind, 'none'>, toProvider: boolean) => RequestHandler;

/** The credential of an Authorization header; '' if there is none. */
export function bareCredential(header: string | undefined): string {
  return header?.replace(/^Bearer +/i, '').trim() ?? '';
}

/** @param origin the service's own, see {@link requireFirstParty} */
export function requireCredentials(credentials: Credentials, cookies: Cookies, origin: string): RequireCredential {
  const firstParty = requireFirstParty(credentials.authenticateFirstParty, cookies, origin);
  return (auth, toProvider) => {
    if (auth === 'first_party') return firstParty;
    const authenticate = auth === 'id_token' ? credentials.authenticate : credentials.authenticateAny;
    return async (request, response, next) => {
      response.locals.caller = await authenticate(request.headers.authorization, toProvider);
      next();
    };
  };
}
