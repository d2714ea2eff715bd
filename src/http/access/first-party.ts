import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { AppError } from '../../errors.ts';
import type { FirstParty } from '../../principal.ts';
import { prefersPage } from '../middleware/error-handler.ts';
import { leadOn, sendLeadingPage } from '../middleware/lead-on.ts';
import type { Cookies } from '../pages/cookies.ts';
import { returnPath, signInFor } from './return-path.ts';

/** Name of the cookie with the secret of a session at the service's own pages. */
export const SESSION_COOKIE = 'steward_session';
/** A header for scripts; forms have a field of the name `csrf`. */
const CSRF_HEADER = 'x-csrf-token';
const SAFE_METHODS = new Set(['GET', 'HEAD']);

/**
 * Identifies the user in person, by an ID token or by the secret of a session; counts the request towards the user's limits.
 *
 * @param header the Authorization header; if there is one, the session does not count
 * @throws AppError `invalid_token`, `token_expired`, `rate_limited`, `unavailable`; `forbidden` for the token of a client
 */
export type AuthenticateFirstParty = (header: string | undefined, secret: string | undefined) => Promise<FirstParty>;

/** The value that a session's forms send, which no other page can know: browsers keep the cookie from scripts. */
export function csrfToken(secret: string): string {
  return createHmac('sha256', secret).update('csrf').digest('base64url');
}

/**
 * Middleware: admits the user in person; sets `response.locals.caller`. A browser without a session is sent to sign in.
 *
 * @param origin the service's own, the only one whose pages may use a session
 */
export function requireFirstParty(authenticate: AuthenticateFirstParty, cookies: Cookies, origin: string): RequestHandler {
  return async (request, response, next) => {
    const { authorization } = request.headers;
    const secret = authorization === undefined ? cookies.read(request, SESSION_COOKIE) : undefined;
    if (secret !== undefined) assertOwnPage(request, origin);
    try {
      response.locals.caller = await authenticate(authorization, secret);
    } catch (error) {
      if (authorization !== undefined || !isSignedOut(error) || !prefersPage(request)) throw error;
      leadOn(response, signInFor(request.path));
      return;
    }
    next();
  };
}

/**
 * Middleware, after the body was parsed: a session's change needs the token of its forms. A browser whose form is of an
 * earlier session, because its user has signed in again in another tab, decides nothing, and is led to the page with a form
 * of this one: loading it again would only post again.
 */
export const requireCsrfToken: RequestHandler = (request, response, next) => {
  const { session } = response.locals.caller as FirstParty;
  if (session === undefined || SAFE_METHODS.has(request.method) || hasToken(request, session.csrf)) {
    next();
    return;
  }
  if (!prefersPage(request) || !returnPath.safeParse(request.path).success)
    throw new AppError('forbidden', 'This form belongs to another session. Reload the page.');
  sendLeadingPage(response, request.path, 403);
};

function hasToken(request: Request, expected: string): boolean {
  const given: unknown = request.get(CSRF_HEADER) ?? request.body?.csrf;
  return typeof given === 'string' && isEqual(given, expected);
}

/**
 * A link from elsewhere may open a page; every other request with a session has to come from a page of the service
 * itself. Front ends on ALLOWED_ORIGINS use ID tokens.
 *
 * @throws AppError `forbidden`
 */
function assertOwnPage(request: Request, origin: string): void {
  const site = request.get('sec-fetch-site');
  const from = request.get('origin');
  if (isAllowed(request, site, from, origin)) return;
  throw new AppError('forbidden', 'Only pages of this service can do this with your session.');
}

function isAllowed(request: Request, site: string | undefined, from: string | undefined, origin: string): boolean {
  // Our pages send no referrer, so that browsers send `null` with their forms (Fetch, "append a request Origin header").
  // Scripts can't forge Sec-Fetch-Site.
  if (from !== undefined && from !== origin && (from !== 'null' || site !== 'same-origin')) return false;
  if (site === 'same-origin') return true;
  if (!SAFE_METHODS.has(request.method)) return site === undefined && from === origin;
  // `none`: typed in, or a bookmark.
  return site === undefined || site === 'none' || request.get('sec-fetch-mode') === 'navigate';
}

function isSignedOut(error: unknown): boolean {
  return error instanceof AppError && error.status === 401;
}

function isEqual(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
