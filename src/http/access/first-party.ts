import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { AppError } from '../../errors.ts';
import type { FirstParty } from '../../principal.ts';
import { prefersPage } from '../middleware/error-handler.ts';
import { sendLeadingPage } from '../middleware/lead-on.ts';
import { returnPath } from './return-path.ts';

/** Name of the cookie with the secret of a session at the service's own pages. */
export const SESSION_COOKIE = 'steward_session';
/** A header for scripts; forms have a field of the name `csrf`. */
const CSRF_HEADER = 'x-csrf-token';
const SAFE_METHODS = new Set(['GET', 'HEAD']);

/**
 * The value that a session's pages send, which no other page can know: browsers keep the cookie from scripts, and other
 * origins from what the service responds. Alone, without the cookie, it begins nothing.
 *
 * @param secretHash of the session, so that it can be told of each session of a user
 */
export function csrfToken(secretHash: Buffer): string {
  return createHmac('sha256', secretHash).update('csrf').digest('base64url');
}

/**
 * Middleware, after the body was parsed: a session's change needs its CSRF token. Where a script sends one with what it reads,
 * it has to be right, too: after another user has signed in in another tab, the first one is not shown the other's data. A
 * browser whose form is of an earlier session decides nothing, and is led to the page with a form of this one: loading it
 * again would only post again.
 */
export const requireCsrfToken: RequestHandler = async (request, response, next) => {
  const { session } = response.locals.caller as FirstParty;
  const isOptional = SAFE_METHODS.has(request.method) && request.get(CSRF_HEADER) === undefined;
  if (session === undefined || isOptional || hasToken(request, session.csrf)) {
    next();
    return;
  }
  if (!prefersPage(request) || !returnPath.safeParse(request.path).success)
    throw new AppError('forbidden', 'This page belongs to another session. Reload it.');
  await sendLeadingPage(response, request.path, 403);
};

function hasToken(request: Request, expected: string): boolean {
  const given: unknown = request.get(CSRF_HEADER) ?? request.body?.csrf;
  return typeof given === 'string' && isEqual(given, expected);
}

/**
 * Every request with a session has to come from a page of the service itself. Front ends on ALLOWED_ORIGINS use ID tokens.
 *
 * @param opensPage a link from elsewhere may open it
 * @throws AppError `forbidden`
 */
export function assertOwnPage(request: Request, origin: string, opensPage = false): void {
  const site = request.get('sec-fetch-site');
  const from = request.get('origin');
  if (isAllowed(request, site, from, origin)) return;
  if (opensPage && from === undefined && isNavigation(request)) return;
  throw new AppError('forbidden', 'Only pages of this service can do this with your session.');
}

function isAllowed(request: Request, site: string | undefined, from: string | undefined, origin: string): boolean {
  // Our pages send no referrer, so that browsers send `null` with their forms (Fetch, "append a request Origin header").
  // Scripts can't forge Sec-Fetch-Site.
  if (from !== undefined && from !== origin && (from !== 'null' || site !== 'same-origin')) return false;
  if (site === 'same-origin') return true;
  if (!SAFE_METHODS.has(request.method)) return site === undefined && from === origin;
  // `none`: typed in, or a bookmark.
  return site === undefined || site === 'none';
}

function isNavigation(request: Request): boolean {
  return SAFE_METHODS.has(request.method) && request.get('sec-fetch-mode') === 'navigate';
}

/** In constant time. */
export function isEqual(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
