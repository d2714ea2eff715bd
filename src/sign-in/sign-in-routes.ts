import { z } from 'zod';
import type { Clock } from '../clock/clock.ts';
import { pollUntil } from '../clock/poll-until.ts';
import { SingleFlight } from '../concurrency/single-flight.ts';
import { AppError } from '../errors.ts';
import { assertOwnPage, SESSION_COOKIE } from '../http/access/first-party.ts';
import { returnPath, signInFor } from '../http/access/return-path.ts';
import { type Endpoint, endpoint, type Request, type Response, SUCCEEDED, success } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import type { Cookies } from '../http/pages/cookies.ts';
import type { FailingSignIn } from '../http/pages/error-page.ts';
import { assertAnew } from '../identity/anew.ts';
import type { CodeFlow } from '../identity/code-flow.ts';
import type { Identity } from '../identity/identity.ts';
import type { Caller } from '../principal.ts';
import { text } from '../validation/validate.ts';
import { beginFlow, FLOW_SECONDS, finishedCookie, flowCookie, flowsToDrop, resumeFlow, type SignInFlow } from './sign-in-flow.ts';
import { SESSION_SECONDS, type SignedIn, type WebSessions } from './web-sessions.ts';

const DEFAULT_RETURN = '/approvals';
/** For the session of a sign-in whose code another replica has just exchanged. */
const POLL = { everyMs: 100, limitMs: 3_000 };
const parameter = text(4096).optional();

export interface SignInDeps {
  clock: Clock;
  webSessions: WebSessions;
  /** Sessions were ended: closes their sockets. */
  sessionsEnded(): Promise<void>;
  cookies: Cookies;
  /** The service's own. */
  origin: string;
  /** How users sign in: at the issuer, at the operator's page, or not at all, with the reason. */
  signIn: { flow: CodeFlow } | { pageUrl: string } | { missing: string };
  /** What the pages offer in development. */
  offers: { sandbox: boolean; token: boolean };
  isOperator(caller: Caller): boolean;
  /** Verifies an ID token. @throws AppError `forbidden` for the token of a client */
  authenticate(idToken: string | undefined): Promise<Caller>;
  /** Finds or creates the user of a verified identity. */
  callerOf(identity: Identity): Promise<Caller>;
}

/** Signing in to the service's own pages, and out (docs/decisions/0007-identity-and-browsers.md). */
export function signInRouter(deps: SignInDeps, middleware: EndpointMiddleware): EndpointRouter {
  const endpoints = [
    signIn(deps),
    callback(deps),
    readSession(deps),
    createSession(deps),
    endSession(deps),
    signOut(deps),
    signedInEnd(deps),
  ];
  return endpointRouter('Sign-in', endpoints, middleware);
}

function signIn(deps: SignInDeps): Endpoint {
  const { signIn: way, cookies } = deps;
  return endpoint({
    method: 'get',
    path: '/sign-in',
    summary: 'Sign in to the service’s own pages',
    description:
      'Leads to the issuer’s sign-in (`OIDC_CLIENT_ID`) or to the operator’s page (`SIGN_IN_URL`), which receives `state`, `return_to` and `prompt`.',
    auth: 'none',
    limit: 'provider',
    browser: true,
    query: z.strictObject({
      return_to: returnPath.default(DEFAULT_RETURN).describe('The page to which the sign-in returns.'),
      prompt: z.literal('login', 'must be login').optional().describe('The user has to sign in anew (OpenID Connect Core, 3.1.2.1).'),
    }),
    pages: { 303: 'Redirect to the sign-in' },
    errors: ['not_configured'],
    async handle({ query, request, response }) {
      if ('missing' in way) throw new AppError('not_configured', way.missing);
      for (const name of flowsToDrop(cookies.names(request))) cookies.clear(response, name);
      const { cookie, ...flow } = beginFlow(query.return_to, query.prompt === 'login');
      response.locals.signIn = { again: flow.isAnew ? anew(flow) : signInFor(flow.returnTo) } satisfies FailingSignIn;
      const redirect = 'flow' in way ? await way.flow.authorizationUrl(flow) : pageAddress(way.pageUrl, flow);
      keepFlow(deps, response, flow.state, cookie);
      return { redirect };
    },
  });
}

/** The operator's page, with what it sends back. */
function pageAddress(pageUrl: string, { returnTo, state, isAnew }: SignInFlow): string {
  const url = new URL(pageUrl);
  url.searchParams.set('return_to', returnTo);
  url.searchParams.set('state', state);
  if (isAnew) url.searchParams.set('prompt', 'login');
  return url.href;
}

function callback(deps: SignInDeps): Endpoint {
  const { signIn: way } = deps;
  // A code works once: a callback that is loaded again while it loads shares the exchange.
  const exchanges = new SingleFlight<Identity | 'overtaken' | undefined>();
  return endpoint({
    method: 'get',
    path: '/auth/session/callback',
    essential: true,
    summary: 'The issuer’s redirect after a sign-in',
    auth: 'none',
    limit: 'provider',
    browser: true,
    // Not strict: the issuer may add parameters (RFC 6749, 4.1.2).
    query: z.object({ state: parameter, code: parameter, error: parameter, iss: parameter }),
    pages: { 303: 'Redirect to the page that required the sign-in, with the session’s cookie' },
    errors: ['forbidden', 'invalid_token', 'token_expired', 'provider_error', 'not_configured'],
    async handle({ query, request, response }) {
      if (!('flow' in way))
        throw new AppError('not_configured', 'Users do not sign in here with OpenID Connect: OIDC_CLIENT_ID is not set.');
      const answer = request.originalUrl.slice(request.originalUrl.indexOf('?') + 1);
      // With the code, which the issuer gives to the user's browser alone.
      const callback = `${query.state} ${query.code}`;
      return endFlow(deps, { request, response, state: query.state, callback }, async (flow) => {
        const identity = await exchanges.run(`${flow.state} ${answer}`, async () =>
          (await deps.webSessions.ofCallback(callback)) === undefined ? way.flow.finish(answer, flow) : 'overtaken',
        );
        // The browser has its session by another delivery, or signs in anew where this one leads.
        if (identity === 'overtaken') return undefined;
        if (identity === undefined) return signedInElsewhere(deps, callback);
        // The issuer would sign in the same user again, if it didn't ask.
        response.locals.signIn = { as: identity.email ?? identity.subject, again: anew(flow) } satisfies FailingSignIn;
        return deps.callerOf(identity);
      });
    },
  });
}

/** Who has signed in with a callback that another replica got at the same moment. @throws AppError `forbidden`: nobody has */
async function signedInElsewhere({ clock, webSessions }: SignInDeps, callback: string): Promise<SignedIn> {
  const found = await pollUntil(
    clock,
    () => webSessions.ofCallback(callback),
    (user) => user !== undefined,
    POLL,
  );
  if (found === undefined) throw new AppError('forbidden', 'This sign-in has expired or was already used. Start again.');
  return found;
}

const sessionState = z
  .object({
    session: z
      .object({
        user: z.object({
          key: z.string().describe('The user’s id, under which a page may keep something in the browser.'),
          label: z.string().describe('To show.'),
          email: z.string().nullable().describe('Verified; null: there is none.'),
        }),
        csrf_token: z.string().describe('For the header `x-csrf-token`, and the first frame of a WebSocket.'),
        signed_in_at: z.iso.datetime().nullable().describe('`auth_time`; null: the issuer does not say.'),
        expires_at: z.iso.datetime(),
        operator: z.boolean().describe('One of `OPERATORS`.'),
      })
      .nullable()
      .describe('null: nobody is signed in.'),
    sign_in: z.object({
      url: z.string().nullable().describe('Where users sign in; null: the operator has not set it up.'),
      sandbox: z.boolean().describe('The sandbox’s users sign in without a password (development only).'),
      token: z.boolean().describe('An ID token may be pasted (development only).'),
    }),
  })
  .meta({ id: 'SessionState' });

function readSession({ webSessions, cookies, origin, signIn: way, offers, isOperator }: SignInDeps): Endpoint {
  const at = (seconds: number) => new Date(seconds * 1000).toISOString();
  return endpoint({
    method: 'get',
    path: '/auth/session',
    summary: 'Who is signed in',
    description: 'For pages of the service’s own origin only: whose session this browser has, and how one signs in.',
    auth: 'none',
    response: sessionState,
    errors: ['forbidden'],
    async handle({ request }) {
      assertOwnPage(request, origin);
      const { authorization } = request.headers;
      const user = authorization === undefined ? await webSessions.current(cookies.read(request, SESSION_COOKIE)) : undefined;
      const session = user?.session && {
        user: { key: user.userId, label: user.label, email: user.email },
        csrf_token: user.session.csrf,
        signed_in_at: user.authTime === undefined ? null : at(user.authTime),
        expires_at: at(user.expiresAt),
        operator: isOperator(user),
      };
      return { json: { session: session ?? null, sign_in: { url: 'missing' in way ? null : '/sign-in', ...offers } } };
    },
  });
}

function createSession(deps: SignInDeps): Endpoint {
  return endpoint({
    method: 'post',
    path: '/auth/session',
    summary: 'Begin a session at the service’s own pages',
    description:
      'Sets the cookie of a session of 12 hours, which pages of the service’s own origin use in place of an ID token. Either with an ID token in the `Authorization` header, or as a form of the page at `SIGN_IN_URL`, with `id_token` and the `state` that the page received; the response leads to `return_to`.',
    auth: 'none',
    limit: 'provider',
    browser: true,
    form: z
      .strictObject({
        id_token: text(8192).optional(),
        state: text(100).optional().describe('As the page received it.'),
        return_to: returnPath.optional().describe('As the page received it, or another page of the service.'),
      })
      .meta({ id: 'SessionForm' }),
    response: success,
    pages: { 200: 'After the form, a page that leads a browser to `return_to`', 303: 'Redirect of other clients to `return_to`' },
    errors: ['invalid_token', 'token_expired', 'forbidden', 'provider_error'],
    async handle({ form, request, response }) {
      if (form.id_token === undefined) {
        await begin(deps, await deps.authenticate(request.headers.authorization), { request, response });
        return SUCCEEDED;
      }
      // Without the flow, a form of any page could sign the browser in as the page's owner.
      const end = { request, response, state: form.state, target: form.return_to };
      return endFlow(deps, end, async ({ isAnew }) => {
        const user = await deps.authenticate(form.id_token);
        if (isAnew) assertAnew(deps.clock, user);
        return user;
      });
    },
  });
}

function endSession({ webSessions, sessionsEnded, cookies }: SignInDeps): Endpoint {
  return endpoint({
    method: 'delete',
    path: '/auth/session',
    summary: 'End the session',
    description:
      'With an ID token: all sessions of the user. It takes effect with the next request, on every replica; WebSockets are closed within two seconds.',
    auth: 'first_party',
    response: success,
    async handle({ caller, response }) {
      await webSessions.end(caller);
      await sessionsEnded();
      cookies.clear(response, SESSION_COOKIE);
      return SUCCEEDED;
    },
  });
}

function signOut({ webSessions, sessionsEnded, cookies }: SignInDeps): Endpoint {
  return endpoint({
    method: 'post',
    path: '/sign-out',
    essential: true,
    summary: 'End the session, from a page’s form',
    auth: 'first_party',
    browser: true,
    form: z.strictObject({ csrf: text(100).optional().describe('The token of the session’s forms.') }).meta({ id: 'SignOutForm' }),
    pages: { 200: 'The page after signing out; without a session, one that leads to the sign-in' },
    async handle({ caller, response }) {
      await webSessions.end(caller);
      await sessionsEnded();
      cookies.clear(response, SESSION_COOKIE);
      // What the console has stored: drafts and events. The page runs no script, and other tabs see it by this, too.
      response.setHeader('clear-site-data', '"storage"');
      const { signedOutPage } = await import('./sign-in-pages.ts');
      return { page: signedOutPage() };
    },
  });
}

/** Where a sign-in in a window of its own ends. */
function signedInEnd({ webSessions, cookies, origin }: SignInDeps): Endpoint {
  return endpoint({
    method: 'get',
    path: '/signed-in',
    summary: 'The end of a sign-in in a window of its own',
    auth: 'none',
    browser: true,
    pages: { 200: 'A page that says who is signed in', 303: 'Redirect to the sign-in of a browser that is not' },
    errors: ['forbidden'],
    async handle({ request }) {
      assertOwnPage(request, origin, true);
      const user = await webSessions.current(cookies.read(request, SESSION_COOKIE));
      if (user === undefined) return { redirect: signInFor(request.path) };
      const { signedInPage } = await import('./sign-in-pages.ts');
      return { page: signedInPage(user) };
    },
  });
}

/** Begins the session of a user who has signed in. @param callback with which, see {@link WebSessions.ofCallback} */
async function begin(
  { webSessions, cookies }: SignInDeps,
  user: SignedIn,
  { request, response, callback }: Pick<FlowEnd, 'request' | 'response' | 'callback'>,
): Promise<void> {
  const { secret } = await webSessions.begin(user, cookies.read(request, SESSION_COOKIE), callback);
  cookies.set(response, SESSION_COOKIE, secret, SESSION_SECONDS);
}

/** A request that ends a flow. */
interface FlowEnd {
  request: Request;
  response: Response;
  state: string | undefined;
  /** The issuer's, with state and code. */
  callback?: string;
  /** In place of the page that required the sign-in. */
  target?: string | undefined;
}

/**
 * Ends the browser's flow of this state with a session. Browsers repeat requests, when a page is loaded again or its button
 * pressed twice: a flow that has finished leads on where it led, and signs in nobody.
 *
 * @param userOf the user who has signed in; undefined: has done so before. A flow that fails has ended, unless the user can
 * try again
 * @throws AppError `forbidden` in another browser, and what `userOf` throws
 */
async function endFlow(
  deps: SignInDeps,
  { state = '', target, ...end }: FlowEnd,
  userOf: (flow: SignInFlow) => Promise<SignedIn | undefined>,
): Promise<{ redirect: string }> {
  const { request, response } = end;
  const name = flowCookie(state);
  const flow = resumeFlow(deps.cookies.read(request, name), state);
  response.locals.signIn = { again: signInFor(flow !== undefined && 'returnTo' in flow ? flow.returnTo : '') } satisfies FailingSignIn;
  if (flow === undefined) throw new AppError('forbidden', 'This sign-in was started in another browser, or has ended. Start again.');
  if ('finishedAt' in flow) return { redirect: flow.finishedAt };
  const redirect = target ?? flow.returnTo;
  try {
    const user = await userOf(flow);
    if (user !== undefined) await begin(deps, user, end);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unavailable') deps.cookies.clear(response, name);
    throw error;
  }
  keepFlow(deps, response, state, finishedCookie(redirect));
  return { redirect };
}

/** Path of the same sign-in, at which the issuer asks who it is. */
function anew({ returnTo }: SignInFlow): string {
  return `${signInFor(returnTo)}&prompt=login`;
}

function keepFlow({ signIn: way, cookies }: SignInDeps, response: Response, state: string, cookie: string): void {
  // The operator's page posts its form from another site.
  if ('flow' in way) cookies.set(response, flowCookie(state), cookie, FLOW_SECONDS);
  else cookies.setForAllSites(response, flowCookie(state), cookie, FLOW_SECONDS);
}
