import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FormBrowser } from '../../support/browser/browser.ts';
import { answerConfirmation, newName, outcome } from '../../support/scenes/flows.ts';
import { connectSource, consentAtTickets, openEntry, openSource, sourceAccounts, sourceTools } from '../../support/scenes/source-flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { locationOf } from '../../support/users/sign-in.ts';

const FILE = `version: 1
sources:
  tickets: { url: sandbox, label: Tickets }
  keyed: { url: "http://127.0.0.1:1/mcp", auth: header, header: x-api-key, label: Keyed }
  open: { url: "http://127.0.0.1:1/mcp", auth: none, label: Open, trust: operator }
agents:
  tickets:
    provider: mcp
    source: tickets
    description: Tickets.
    actions:
      search: { tool: search_tickets, effect: read }
      read: { tool: read_ticket, effect: read }
`;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

const folder = mkdtempSync(join(tmpdir(), 'steward-sources-'));
let steward: TestSteward;

beforeAll(async () => {
  const file = join(folder, 'integrations.yaml');
  writeFileSync(file, FILE);
  steward = await startSteward({ INTEGRATIONS_FILE: file, LIMIT_REVOCATION_RETRY_SECONDS: '1' });
});

afterEach(() => steward.control('tickets/tools/reset', {}));

afterAll(async () => {
  await steward.stop();
  rmSync(folder, { recursive: true, force: true });
});

const newToken = () => steward.signIn(newName());
const accounts = (token: string) => sourceAccounts(steward, token);
const liveTokens = async () => (await steward.control('tickets/state')).tokens;

/** Its tools were read. */
async function listed(token: string, id: string) {
  const found = async () => (await accounts(token)).find((account) => account.id === id);
  await eventually(async () => (await found())?.listed_at !== null);
  return found();
}

describe('connecting to a source that has a sign-in', () => {
  it('ends at the redirect_uri with the account connected, default, named, and its tools read', async () => {
    const token = await newToken();
    const { request, callback } = await connectSource(steward, { token, form: { redirect_uri: 'http://localhost:5173/done?keep=1' } });
    expect(request.status, request.text).toBe(200);
    expect(callback.status, callback.text).toBe(303);
    expect(locationOf(callback)).toMatch(/^http:\/\/localhost:5173\/done\?keep=1&/);
    const end = outcome(callback);
    expect(end).toMatchObject({ integration: 'mcp', source: 'tickets', status: 'connected' });
    expect(await listed(token, end.account_id ?? '')).toEqual({
      id: end.account_id,
      source: 'tickets',
      label: expect.stringMatching(/^Tickets( \(.+\))?$/),
      host: new URL(steward.url).host,
      default: true,
      status: 'active',
      connected_at: expect.any(String),
      listed_at: expect.any(String),
      list_error: null,
      missing_scopes: [],
      tools: { allowed: 2, held: 0, blocked: 0, gone: 0 },
    });
    const { body } = await steward.call('/integrations', { token });
    expect(Object.keys(body)).toEqual(['workspace', 'bank', 'sources']);
    expect(body.sources.tickets).toEqual({ label: 'Tickets', connected: true, needs_attention: 0 });
    expect(body.sources.keyed).toEqual({ label: 'Keyed', connected: false, needs_attention: 0 });
  });

  it('asks first in a browser that did not begin it, and cancelling connects nothing and revokes', async () => {
    const token = await newToken();
    const before = await liveTokens();
    const { browser, callback } = await connectSource(steward, { token, browser: new FormBrowser(steward.url) });
    expect(callback.status).toBe(200);
    expect(callback.text).toContain('action="/auth/sources/confirm"');
    const end = await browser.submit(callback, '/auth/sources/confirm', (fields) => fields.set('decision', 'cancel'));
    expect(end.status).toBe(200);
    expect(await accounts(token)).toEqual([]);
    await eventually(async () => JSON.stringify(await liveTokens()) === JSON.stringify(before));
  });

  it('connects after the confirmation', async () => {
    const token = await newToken();
    const { browser, callback } = await connectSource(steward, { token, browser: new FormBrowser(steward.url) });
    await browser.submit(callback, '/auth/sources/confirm', (fields) => fields.set('decision', 'confirm'));
    expect(await accounts(token)).toHaveLength(1);
    // A workspace account's form is another.
    expect((await answerConfirmation(browser, callback, 'confirm')).status).toBe(200);
  });

  it('that the user denies there is access_denied', async () => {
    const { callback } = await connectSource(steward, { token: await newToken(), decision: 'deny' });
    expect(outcome(callback)).toEqual({ integration: 'mcp', source: 'tickets', status: 'error', code: 'access_denied' });
  });

  it('whose answer names another issuer, or none, exchanges nothing', async () => {
    for (const iss of ['https://evil.example', undefined]) {
      const { browser, login } = await openSource(steward, { token: await newToken() });
      const callbackUrl = new URL(await consentAtTickets(browser, locationOf(login)));
      if (iss === undefined) callbackUrl.searchParams.delete('iss');
      else callbackUrl.searchParams.set('iss', iss);
      expect(outcome(await browser.visit(callbackUrl.href))).toMatchObject({ status: 'error', code: 'provider_error' });
    }
  });

  it('is not completed at the callback of workspace accounts, nor opened at their login', async () => {
    const { browser, login, token } = await openSource(steward, { token: await newToken() });
    const callbackUrl = await consentAtTickets(browser, locationOf(login));
    const wrong = callbackUrl.replace('/auth/sources/callback', '/auth/workspace/callback');
    expect(outcome(await browser.visit(wrong))).toMatchObject({ status: 'error', code: 'provider_error' });
    expect(await accounts(token)).toEqual([]);
    const { request } = await openSource(steward, { token: await newToken() });
    const ticket = new URL(request.body.login_url).searchParams.get('token');
    expect((await steward.call(`/auth/workspace/login?token=${ticket}`)).body.code).toBe('invalid_token');
  });

  it('several times makes several accounts with names of their own, the first one default', async () => {
    const token = await newToken();
    const first = outcome((await connectSource(steward, { token })).callback).account_id;
    await connectSource(steward, { token });
    await connectSource(steward, { token, form: { label: 'Tickets at work' } });
    const all = await accounts(token);
    expect(new Set(all.map(({ label }) => label)).size).toBe(3);
    expect(all.map(({ label }) => label)).toContain('Tickets at work');
    expect(all.filter((account) => account.default).map(({ id }) => id)).toEqual([first]);
  });

  it('knows no other source, account or user', async () => {
    const token = await newToken();
    const connect = (source: string, form: Record<string, string> = {}) => steward.call(`/auth/sources/${source}/connect`, { token, form });
    expect((await connect('unknown')).body.code).toBe('not_found');
    expect((await connect('tickets', { account_id: UNKNOWN })).body.code).toBe('not_found');
    const { callback } = await connectSource(steward, { token: await newToken() });
    expect((await connect('tickets', { account_id: outcome(callback).account_id ?? '' })).body.code).toBe('not_found');
    expect((await connect('tickets', { redirect_uri: 'https://evil.example/' })).body.code).toBe('invalid_request');
  });

  it('keeps no secret in clear', async () => {
    const token = await newToken();
    const { callbackUrl } = await connectSource(steward, { token });
    const code = new URL(callbackUrl).searchParams.get('code') ?? '';
    const log = steward.logs.join('\n');
    expect(code).not.toBe('');
    expect(log).not.toContain(code);
    expect(log).not.toMatch(/tk[ar]_[\w-]{20}/);
    const rows = await steward.sql<{ all: string }>(`select string_agg(r::text, '') as all from source_clients r`);
    expect(rows[0]?.all).not.toContain('client_secret');
  });
});

describe('connecting again', () => {
  it('keeps the account, its name and its decisions, and revokes what it replaces', async () => {
    const token = await newToken();
    const id = outcome((await connectSource(steward, { token })).callback).account_id ?? '';
    const before = await listed(token, id);
    const { search_tickets: tool } = await sourceTools(steward, token, id);
    const blocked = await steward.call(`/auth/sources/accounts/${id}/tools/search_tickets`, {
      token,
      form: { decision: 'block', hash: tool.hash },
    });
    expect(blocked.body, blocked.text).toEqual({ success: true });
    await steward.sql(`update grants set status = 'reauth_required' where id = (select grant_id from source_accounts where id = $1)`, [id]);
    expect(await accounts(token)).toMatchObject([{ id, status: 'reauth_required' }]);
    const { callback } = await connectSource(steward, { token, form: { account_id: id } });
    expect(outcome(callback)).toMatchObject({ status: 'connected', account_id: id });
    expect(await accounts(token)).toMatchObject([
      { id, label: before?.label, status: 'active', default: true, tools: { allowed: 1, blocked: 1, held: 0, gone: 0 } },
    ]);
    const events = await steward.sql<{ data: object }>(`select data from events where event = 'account.status' and data->>'account' = $1`, [
      id,
    ]);
    expect(events.map(({ data }) => data)).toEqual([{ account: id, provider: 'mcp', status: 'active' }]);
  });

  it('an account that was disconnected meanwhile is refused', async () => {
    const token = await newToken();
    const id = outcome((await connectSource(steward, { token })).callback).account_id ?? '';
    const { browser, login } = await openSource(steward, { token, form: { account_id: id } });
    await steward.call(`/auth/sources/accounts/${id}`, { method: 'DELETE', token });
    const callback = await browser.visit(await consentAtTickets(browser, locationOf(login)));
    expect(outcome(callback)).toMatchObject({ status: 'error', code: 'account_disconnected' });
    expect(await accounts(token)).toEqual([]);
  });

  it('at another authorization server is a conflict', async () => {
    const token = await newToken();
    const id = outcome((await connectSource(steward, { token })).callback).account_id ?? '';
    const { context } = steward;
    const [row] = await steward.sql<{ userId: string; grantId: string }>(
      'select user_id as "userId", grant_id as "grantId" from source_accounts where id = $1',
      [id],
    );
    const { userId, grantId } = row as { userId: string; grantId: string };
    const stored = (await context.grants.tokens(context.db, userId, grantId)) as { accessToken: string; refreshToken: string };
    const moved = JSON.stringify({ ...JSON.parse(stored.refreshToken), tokenEndpoint: 'https://elsewhere.example/token' });
    const tokens = { ...stored, refreshToken: moved };
    await context.db.transaction(
      (tx) => context.grants.replace(tx, grantId, { userId, provider: 'mcp', subject: 'moved', tokens, scopes: [], expiresAt: null }),
      userId,
    );
    const response = await steward.call('/auth/sources/tickets/connect', { token, form: { account_id: id } });
    expect(response.body.code).toBe('conflict');
  });
});

describe('a connection', () => {
  it('is disconnected, revoked at its server, and the next one becomes the default', async () => {
    const token = await newToken();
    const before = await liveTokens();
    const id = outcome((await connectSource(steward, { token })).callback).account_id ?? '';
    expect(await liveTokens()).not.toEqual(before);
    expect((await steward.call(`/auth/sources/accounts/${id}`, { method: 'DELETE', token })).body).toEqual({ success: true });
    expect(await accounts(token)).toEqual([]);
    expect((await steward.call(`/auth/sources/accounts/${id}`, { method: 'DELETE', token })).body.code).toBe('not_found');
    await eventually(async () => JSON.stringify(await liveTokens()) === JSON.stringify(before));
  });

  it('becomes the default on request', async () => {
    const token = await newToken();
    const first = outcome((await connectSource(steward, { token })).callback).account_id ?? '';
    const second = outcome((await connectSource(steward, { token })).callback).account_id ?? '';
    const makeDefault = (id: string, by = token) => steward.call(`/auth/sources/accounts/${id}/default`, { method: 'POST', token: by });
    expect((await makeDefault(second)).body).toEqual({ success: true });
    const defaults = async () => (await accounts(token)).filter((account) => account.default).map(({ id }) => id);
    expect(await defaults()).toEqual([second]);
    expect((await makeDefault(first, await newToken())).body.code).toBe('not_found');
    await steward.call(`/auth/sources/accounts/${second}`, { method: 'DELETE', token });
    expect(await defaults()).toEqual([first]);
  });

  it('holds a tool that its server changes, until its user in person allows it', async () => {
    const token = await newToken();
    const id = outcome((await connectSource(steward, { token })).callback).account_id ?? '';
    await listed(token, id);
    await steward.control('tickets/tools/change', { tool: 'search_tickets', members: { description: 'Also sends mail.' } });
    await steward.sql('update source_accounts set list_after = now() where id = $1', [id]);
    await steward.tick();
    const tools = await sourceTools(steward, token, id);
    expect(tools.read_ticket).toMatchObject({ state: 'allowed', pinned_by: 'user', changed: [] });
    expect(tools.search_tickets).toMatchObject({ state: 'held', changed: ['description'], listed: { description: 'Also sends mail.' } });
    const decide = (by: string, form: Record<string, string> = { decision: 'allow', hash: tools.search_tickets.hash }) =>
      steward.call(`/auth/sources/accounts/${id}/tools/search_tickets`, { token: by, form });
    const script = await steward.call('/tokens', {
      token,
      body: JSON.stringify({ name: 'script', actions: ['*'], access: 'write' }),
      headers: { 'content-type': 'application/json' },
    });
    expect((await decide(script.body.token)).body.code).toBe('forbidden');
    expect((await decide(await newToken())).body.code).toBe('not_found');
    expect((await decide(token, { decision: 'allow', hash: tools.read_ticket.hash })).body.code).toBe('conflict');
    expect((await sourceTools(steward, token, id)).search_tickets.state).toBe('held');
    expect((await decide(token)).body).toEqual({ success: true });
    expect((await sourceTools(steward, token, id)).search_tickets).toMatchObject({ state: 'allowed', changed: [] });
  });
});

describe('connecting to a source that wants a key', () => {
  it('takes it on a page of the service’s own, once, and shows it to nobody', async () => {
    const { page, post, token, path, session } = await openEntry(steward, { token: await newToken(), source: 'keyed' });
    expect(page.status, page.text).toBe(200);
    expect(page.text).toContain('127.0.0.1:1');
    expect(page.text).toContain('type="password"');
    const end = await post({ decision: 'connect', value: 'key-of-the-tracker-7391' });
    expect(end.status, end.text).toBe(200);
    const [account] = await accounts(token);
    expect(account).toMatchObject({ source: 'keyed', label: 'Keyed', host: '127.0.0.1:1', status: 'active', default: true });
    expect(steward.logs.join('\n')).not.toContain('key-of-the-tracker-7391');
    const again = await steward.call(path, { headers: { cookie: session.cookie, accept: 'text/html' } });
    expect(new URL(locationOf(again)).searchParams.get('status')).toBe('connected');
    const [row] = await steward.sql<{ userId: string; grantId: string }>(
      'select user_id as "userId", grant_id as "grantId" from source_accounts where id = $1',
      [account?.id],
    );
    const { context } = steward;
    const tokens = await context.grants.tokens(context.db, row?.userId ?? '', row?.grantId ?? '');
    expect(JSON.parse(tokens?.accessToken ?? '')).toEqual({
      url: 'http://127.0.0.1:1/mcp',
      header: { name: 'x-api-key', value: 'key-of-the-tracker-7391' },
    });
    expect(tokens?.refreshToken).toBeUndefined();
  });

  it.each(['', 'line\r\nx-evil: 1', 'ключ'])('refuses %j as a key and does not repeat it', async (value) => {
    const { post, token } = await openEntry(steward, { token: await newToken(), source: 'keyed' });
    const response = await post({ decision: 'connect', value });
    expect(response.status).toBe(400);
    if (value !== '') expect(response.text).not.toContain(value);
    expect(await accounts(token)).toEqual([]);
  });

  it('needs a recent sign-in, a session, and the user who began it', async () => {
    const { path, post, session } = await openEntry(steward, { token: await newToken(), source: 'keyed' });
    const page = (cookie: string) => steward.call(path, { headers: { cookie, accept: 'text/html' } });
    expect(locationOf(await page(''))).toBe(`/sign-in?return_to=${encodeURIComponent(path)}`);
    const { session: other } = await openEntry(steward, { token: await newToken(), source: 'keyed' });
    expect((await page(other.cookie)).status).toBe(404);
    await steward.sql(`update web_sessions set auth_time = auth_time - interval '10 minutes'`);
    const late = await page(session.cookie);
    expect(late.status).toBe(403);
    expect(late.text).toContain('prompt=login');
    expect((await post({ decision: 'connect', value: 'a-key' })).status).toBe(403);
  });

  it('is cancelled', async () => {
    const { post, token, path, session } = await openEntry(steward, { token: await newToken(), source: 'keyed' });
    expect((await post({ decision: 'cancel' })).status).toBe(200);
    const again = await steward.call(path, { headers: { cookie: session.cookie, accept: 'text/html' } });
    expect(new URL(locationOf(again)).searchParams.get('code')).toBe('access_denied');
    expect(await accounts(token)).toEqual([]);
  });
});

describe('connecting to a source without any sign-in', () => {
  it('asks on a page that names its host', async () => {
    const { page, post, token } = await openEntry(steward, { token: await newToken(), source: 'open', form: { label: 'My own' } });
    expect(page.text).toContain('127.0.0.1:1');
    expect(page.text).not.toContain('type="password"');
    expect((await post({ decision: 'connect' })).status).toBe(200);
    expect(await accounts(token)).toMatchObject([{ source: 'open', label: 'My own' }]);
  });
});

describe('GET /auth/sources/accounts', () => {
  it('names the sources that the operator offers', async () => {
    const { body } = await steward.call('/auth/sources/accounts', { token: await newToken() });
    expect(body).toEqual({
      accounts: [],
      sources: [
        { name: 'tickets', label: 'Tickets', host: new URL(steward.url).host, auth: 'oauth', trust: 'third_party' },
        { name: 'keyed', label: 'Keyed', host: '127.0.0.1:1', auth: 'header', trust: 'third_party' },
        { name: 'open', label: 'Open', host: '127.0.0.1:1', auth: 'none', trust: 'operator' },
      ],
    });
  });
});

describe('GET /oauth/client.json', () => {
  it('is the client id metadata document, for everybody', async () => {
    const response = await steward.call('/oauth/client.json', { headers: { origin: 'https://anyone.example' } });
    expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.body).toMatchObject({
      client_id: `${steward.url}/oauth/client.json`,
      redirect_uris: [`${steward.url}/auth/sources/callback`],
      token_endpoint_auth_method: 'none',
    });
  });
});
