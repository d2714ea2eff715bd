import type { RequestHandler } from 'express';
import { AppError } from '../../errors.ts';
import type { Caller, FirstParty, Principal } from '../../principal.ts';
import { prefersPage } from '../middleware/error-handler.ts';
import { leadOn } from '../middleware/lead-on.ts';
import type { Cookies } from '../pages/cookies.ts';
import { assertOwnPage, SESSION_COOKIE } from './first-party.ts';
import { signInFor } from './return-path.ts';

/** Which credentials an endpoint accepts; each but `none` also a session. */
export type AuthKind = 'id_token' | 'in_person' | 'first_party' | 'credential' | 'none';

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
  /** Like {@link Authenticate}; `forbidden` also says that the token is a client's. */
  authenticateFirstParty: Authenticate;
  /** The user of a session's secret. @throws AppError as {@link Authenticate} */
  authenticateSession(secret: string, toProvider: boolean): Promise<FirstParty>;
}

/**
 * Makes the middleware that rejects a request without a valid credential; it sets `response.locals.caller`. Without an
 * Authorization header, a session at the service's own pages is one, everywhere.
 */
export type RequireCredential = (auth: Exclude<AuthKind, 'none'>, toProvider: boolean) => RequestHandler;

/** The credential of an Authorization header; '' if there is none. */
export function bareCredential(header: string | undefined): string {
  return header?.replace(/^Bearer +/i, '').trim() ?? '';
}

/** @param origin the service's own, the only one whose pages may use a session */
export function requireCredentials(credentials: Credentials, cookies: Cookies, origin: string): RequireCredential {
  const byHeader = {
    id_token: credentials.authenticate,
    in_person: credentials.authenticateFirstParty,
    first_party: credentials.authenticateFirstParty,
    credential: credentials.authenticateAny,
  };
  return (auth, toProvider) => async (request, response, next) => {
    const { authorization } = request.headers;
    const secret = authorization === undefined ? cookies.read(request, SESSION_COOKIE) : undefined;
    const isPage = auth === 'first_party';
    if (secret !== undefined) assertOwnPage(request, origin, isPage);
    try {
      response.locals.caller =
        secret === undefined ? await byHeader[auth](authorization, toProvider) : await credentials.authenticateSession(secret, toProvider);
    } catch (error) {
      if (!isPage || authorization !== undefined || !isSignedOut(error) || !prefersPage(request)) throw error;
      await leadOn(response, signInFor(request.path));
      return;
    }
    next();
  };
}

function isSignedOut(error: unknown): boolean {
  return error instanceof AppError && error.status === 401;
}
