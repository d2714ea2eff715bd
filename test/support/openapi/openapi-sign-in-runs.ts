import { FormBrowser } from '../browser/browser.ts';
import type { CallOptions, HttpResponse } from '../users/request.ts';
import { locationOf, openSignIn, sessionOf, submitSignIn } from '../users/sign-in.ts';
import { pending } from './openapi-client-runs.ts';
import type { Run } from './openapi-runs.ts';
import { callEndpoint, newToken, steward, tokenAt, whileCut, whileMissing } from './openapi-scene.ts';

const json = (body: object): CallOptions => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });

/** Responses of approvals, and of signing in to the service's own pages. */
export function signInRuns(): Run[] {
  return [...approvalRuns(), ...sessionRuns(), ...callbackRuns()];
}

function approvalRuns(): Run[] {
  const [list, read, decide] = ['GET /approvals', 'GET /approvals/{id}', 'POST /approvals/{id}'];
  const inBrowser = async (token: string, path: string, options: CallOptions = {}) =>
    (await sessionOf(steward, token)).visit(path, { headers: { 'sec-fetch-site': 'same-origin' }, ...options });
  const signedOut = (method: string, path: string) => new FormBrowser(steward.url).visit(path, { method });
  return [
    run(list, '200', async () => callEndpoint(steward, list, { token: await newToken() })),
    run(list, '200', async () => inBrowser(await newToken(), '/approvals')),
    run(list, '303', () => signedOut('GET', '/approvals')),
    run(read, '200', async () => {
      const { token, id } = await pending();
      return steward.call(`/approvals/${id}`, { token });
    }),
    run(read, '200', async () => {
      const { token, id } = await pending();
      return inBrowser(token, `/approvals/${id}`);
    }),
    run(read, '400 invalid_request', async (options) => {
      const { token, id } = await pending();
      return steward.call(`/approvals/${id}?change=x`, { ...options, token });
    }),
    run(read, '303', async () => signedOut('GET', `/approvals/${(await pending()).id}`)),
    run(decide, '200', async () => {
      const { token, id } = await pending();
      return steward.call(`/approvals/${id}`, { token, ...json({ approved: false }) });
    }),
    run(decide, '200', async () => {
      const { token, id } = await pending();
      return steward.call(`/approvals/${id}`, { token, form: { approved: 'false' }, headers: { accept: 'text/html' } });
    }),
    run(decide, '200', async () => signedOut('POST', `/approvals/${(await pending()).id}`)),
  ];
}

function sessionRuns(): Run[] {
  const [create, end, out] = ['POST /auth/session', 'DELETE /auth/session', 'POST /sign-out'];
  const withToken = (endpoint: string, token: string, options: CallOptions = {}) => callEndpoint(steward, endpoint, { ...options, token });
  return [
    run('GET /sign-in', '303', () => steward.call('/sign-in')),
    run('GET /sign-in', '400 invalid_request', (options) => steward.call('/sign-in?return_to=x', options)),
    ...stateRuns(),
    ...signedInRuns(),
    run(create, '200', async () => withToken(create, await newToken())),
    ...[{ response: '200' }, { response: '303', headers: { accept: '*/*' } }].map(({ response, headers = {} }) =>
      run(create, response, async () => {
        const { browser, signInUrl } = await openSignIn(steward);
        const form = { id_token: await newToken(), state: new URL(signInUrl).searchParams.get('state') ?? '' };
        return browser.visit('/auth/session', { form, headers });
      }),
    ),
    run(create, '401 invalid_token', (options) => withToken(create, 'nonsense', options)),
    run(create, '401 token_expired', async (options) => withToken(create, await tokenAt(-120), options)),
    run(create, '403 forbidden', async (options) => withToken(create, await steward.signIn('stranger'), options)),
    run(create, '500 internal', async (options) => {
      const token = await newToken();
      return whileMissing('web_sessions', () => withToken(create, token, options));
    }),
    run(create, '502 provider_error', async (options) => {
      const browser = new FormBrowser(steward.url);
      const signInUrl = locationOf(await browser.visit('/sign-in?prompt=login'));
      const form = { id_token: await tokenAt(-10), state: new URL(signInUrl).searchParams.get('state') ?? '' };
      return browser.visit('/auth/session', { ...options, form, headers: { accept: 'application/json', ...options.headers } });
    }),
    run(create, '503 unavailable', async (options) => {
      const token = await newToken();
      return whileCut(() => withToken(create, token, options));
    }),
    run(end, '200', async () => withToken(end, await newToken())),
    run(out, '200', async () => withToken(out, await newToken(), { headers: { accept: 'text/html' } })),
    run(out, '200', () => new FormBrowser(steward.url).visit('/sign-out', { method: 'POST' })),
  ];
}

type Around = (work: () => Promise<HttpResponse>) => Promise<HttpResponse>;

/** Opens a page in a browser that is signed in. */
async function inSession(path: string, around: Around, options: CallOptions = {}): Promise<HttpResponse> {
  const browser = await sessionOf(steward, await newToken());
  return around(() => browser.visit(path, { ...options, headers: { accept: 'application/json', ...options.headers } }));
}

function signedInRuns(): Run[] {
  const [page, path] = ['GET /signed-in', '/signed-in'];
  const ofEvil = (options: CallOptions) => ({ ...options, headers: { ...options.headers, origin: 'https://evil.example' } });
  return [
    run(page, '200', () => inSession(path, (work) => work())),
    run(page, '303', () => steward.call(path)),
    run(page, '403 forbidden', (options) => steward.call(path, ofEvil(options))),
    run(page, '500 internal', (options) => inSession(path, (work) => whileMissing('web_sessions', work), options)),
    run(page, '503 unavailable', (options) => inSession(path, whileCut, options)),
  ];
}

function stateRuns(): Run[] {
  const state = 'GET /auth/session';
  const inBrowser = (around: Around) => inSession('/auth/session', around);
  return [
    run(state, '200', () => steward.call('/auth/session')),
    run(state, '200', () => inBrowser((work) => work())),
    run(state, '403 forbidden', () => steward.call('/auth/session', { headers: { origin: 'https://evil.example' } })),
    run(state, '500 internal', () => inBrowser((work) => whileMissing('web_sessions', work))),
    run(state, '503 unavailable', () => inBrowser(whileCut)),
  ];
}

function callbackRuns(): Run[] {
  const callback = 'GET /auth/session/callback';
  const path = '/auth/session/callback';
  const finish = async (options: CallOptions, around: (work: () => Promise<HttpResponse>) => Promise<HttpResponse>, user = 'user-1') => {
    const { browser, signInUrl } = await openSignIn(steward);
    const url = await submitSignIn(browser, signInUrl, user);
    return around(() => browser.visit(url, { ...options, headers: { accept: 'application/json', ...options.headers } }));
  };
  return [
    run(callback, '303', () => finish({}, (work) => work())),
    run(callback, '400 invalid_request', (options) => steward.call(`${path}?state=%00`, options)),
    run(callback, '403 forbidden', (options) => steward.call(`${path}?state=x&code=y`, options)),
    run(callback, '500 internal', (options) => finish(options, (work) => whileMissing('users', work))),
    run(callback, '503 unavailable', (options) => finish(options, whileCut)),
  ];
}

function run(endpoint: string | undefined, response: string, provoke: Run['provoke']): Run {
  return { endpoint: String(endpoint), response, provoke };
}
