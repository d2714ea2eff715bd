import { FormBrowser } from '../browser/browser.ts';
import { outcome } from '../scenes/flows.ts';
import { connectSource, openEntry, openSource, sourceTools } from '../scenes/source-flows.ts';
import { eventually } from '../time/eventually.ts';
import type { CallOptions, HttpResponse } from '../users/request.ts';
import type { Run } from './openapi-runs.ts';
import { callEndpoint, newToken, steward, whileCut, whileMissing } from './openapi-scene.ts';

/** Responses of connections to sources. */
export function sourceRuns(): Run[] {
  return [...loginRuns(), ...callbackRuns(), ...entryRuns(), ...accountRuns()];
}

function run(endpoint: string, response: string, provoke: Run['provoke']): Run {
  return { endpoint, response, provoke };
}

/** How an endpoint fails whose request needs no more than this. */
function faults(endpoint: string, request: (options: CallOptions) => Promise<HttpResponse>): Run[] {
  return [
    run(endpoint, '500 internal', (options) => whileMissing('oauth_flows', () => request(options))),
    run(endpoint, '503 unavailable', (options) => whileCut(() => request(options))),
  ];
}

function loginRuns(): Run[] {
  const [connect, login] = ['POST /auth/sources/{source}/connect', 'GET /auth/sources/login'];
  const open = (token: string, options: CallOptions = {}) => steward.call(`/auth/sources/login?token=${token}`, options);
  return [
    run(connect, '200', async () => (await openSource(steward, { token: await newToken() })).request),
    run(login, '303', async () => (await openSource(steward, { token: await newToken() })).login),
    run(login, '400 invalid_request', (options) => open('', options)),
    run(login, '401 invalid_token', (options) => open('nonsense', options)),
    run(login, '401 token_expired', async (options) => {
      const { body } = await steward.call('/auth/sources/tickets/connect', { token: await newToken(), method: 'POST' });
      await steward.sql('update oauth_flows set ticket_expires_at = now() where source is not null');
      return open(new URL(body.login_url).searchParams.get('token') ?? '', options);
    }),
    ...faults(login, (options) => open('nonsense', options)),
  ];
}

/** While the tracker's sign-in does not say who answers. */
async function withoutIss<Result>(work: () => Promise<Result>): Promise<Result> {
  await steward.control('tickets/behaviour', { omit_iss: true });
  try {
    return await work();
  } finally {
    await steward.control('tickets/behaviour', { omit_iss: false });
  }
}

function callbackRuns(): Run[] {
  const [callback, confirm] = ['GET /auth/sources/callback', 'POST /auth/sources/confirm'];
  const own = `${callback}/{source}`;
  const returnWith = (query: string, options: CallOptions, path = '') => steward.call(`/auth/sources/callback${path}?${query}`, options);
  const unbound = async () => connectSource(steward, { token: await newToken(), browser: new FormBrowser(steward.url) });
  const submit = async (headers: Record<string, string>) => {
    const { browser, callback: page } = await unbound();
    return () => browser.submit(page, '/auth/sources/confirm', (fields) => fields.set('decision', 'confirm'), headers);
  };
  return [
    run(callback, '200', async () => (await unbound()).callback),
    run(callback, '303', async () => (await connectSource(steward, { token: await newToken() })).callback),
    run(callback, '400 invalid_request', (options) => returnWith('state=%00', options)),
    ...faults(callback, (options) => returnWith('state=x&code=y', options)),
    run(own, '200', () => withoutIss(async () => (await unbound()).callback)),
    run(own, '303', () => withoutIss(async () => (await connectSource(steward, { token: await newToken() })).callback)),
    run(own, '400 invalid_request', (options) => returnWith('state=%00', options, '/tickets')),
    ...faults(own, (options) => returnWith('state=x&code=y', options, '/tickets')),
    run(confirm, '200', async () => (await submit({}))()),
    run(confirm, '303', async () => (await submit({ accept: '*/*' }))()),
    run(confirm, '403 forbidden', (options) =>
      steward.call('/auth/sources/confirm', { ...options, form: { confirmation: 'x', decision: 'confirm' } }),
    ),
    run(confirm, '500 internal', async (options) =>
      whileMissing('oauth_flows', await submit({ accept: 'application/json', ...options.headers })),
    ),
    run(confirm, '503 unavailable', async (options) => whileCut(await submit({ accept: 'application/json', ...options.headers }))),
  ];
}

function entryRuns(): Run[] {
  const [show, finish] = ['GET /auth/sources/entry/{id}', 'POST /auth/sources/entry/{id}'];
  const keyed = async () => openEntry(steward, { token: await newToken(), source: 'keyed' });
  const late = async () => {
    const entry = await keyed();
    await steward.sql(`update web_sessions set auth_time = auth_time - interval '10 minutes'`);
    return entry;
  };
  const connected = { decision: 'connect', value: 'a-key' };
  return [
    run(show, '200', async () => (await keyed()).page),
    run(show, '303', async () => steward.call((await keyed()).path, { headers: { accept: 'text/html' } })),
    run(show, '403 recent_login_required', async ({ headers }) => {
      const { path, session } = await late();
      return steward.call(path, { headers: { cookie: session.cookie, ...headers } });
    }),
    run(finish, '200', async () => (await keyed()).post(connected)),
    run(finish, '303', async () => (await keyed()).post(connected, '*/*')),
    run(finish, '403 recent_login_required', async ({ headers }) =>
      (await late()).post(connected, new Headers(headers).get('accept') ?? 'application/json'),
    ),
  ];
}

function accountRuns(): Run[] {
  const of = '/auth/sources/accounts/{account_id}';
  const connected = async () => {
    const { token, callback } = await connectSource(steward, { token: await newToken() });
    return { token, id: outcome(callback).account_id ?? '' };
  };
  const decide = async (decision: (hash: string) => object) => {
    const { token, id } = await connected();
    const hash = await eventually(async () => (await sourceTools(steward, token, id)).search_tickets.hash as string | undefined);
    const options = { body: JSON.stringify(decision(hash)), headers: { 'content-type': 'application/json' } };
    return steward.call(`/auth/sources/accounts/${id}/tools/search_tickets`, { token, ...options });
  };
  return [
    run('GET /auth/sources/accounts', '200', async () => steward.call('/auth/sources/accounts', { token: (await connected()).token })),
    ...[`DELETE ${of}`, `POST ${of}/default`, `GET ${of}/tools`].map((endpoint) =>
      run(endpoint, '200', async () => {
        const { token, id } = await connected();
        return callEndpoint(steward, endpoint, { token }, id);
      }),
    ),
    run(`POST ${of}/tools/{tool}`, '200', () => decide((hash) => ({ decision: 'allow', hash }))),
    run(`POST ${of}/tools/{tool}`, '409 conflict', () => decide(() => ({ decision: 'allow', hash: `tool.v1:${'0'.repeat(64)}` }))),
    run('GET /oauth/client.json', '200', () => steward.call('/oauth/client.json')),
  ];
}
