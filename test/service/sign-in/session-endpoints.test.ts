import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allRows, userColumns } from '../../support/database/user-tables.ts';
import { newName } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { SessionPage } from '../../support/users/session-page.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const FRONT_END = 'https://app.example.com';
/** Of a browser whose script of another origin calls, with the cookie. */
const FOREIGN: Record<string, Record<string, string>> = {
  'another site': { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
  'another site in an old browser': { origin: 'https://evil.example' },
  'another site that hides its origin': { origin: 'null', 'sec-fetch-site': 'cross-site' },
  'another site that hides its origin in an old browser': { origin: 'null' },
  'another port of this machine': { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
  'an allowed front end': { origin: FRONT_END, 'sec-fetch-site': 'cross-site' },
  'a tag of another page': { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
};

let steward: TestSteward;
let page: SessionPage;
/** Every endpoint that takes a session, by the service's own document. */
let endpoints: { method: string; path: string }[];

beforeAll(async () => {
  steward = await startSteward({
    ALLOWED_ORIGINS: FRONT_END,
    OPERATORS: 'operator@example.com',
    LIMIT_REQUESTS_PER_MINUTE: '100000',
    LIMIT_USER_REQUESTS_PER_MINUTE: '100000',
  });
  const { paths } = (await steward.call('/openapi.json')).body;
  endpoints = Object.entries<Record<string, any>>(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security }]) => security.some((way: object) => 'session' in way))
      .map(([method]) => ({ method: method.toUpperCase(), path: path.replace(/\{\w+\}/g, UNKNOWN) })),
  );
  page = await SessionPage.open(steward, await steward.signIn(newName()));
});
afterAll(() => steward.stop());

const isChange = ({ method }: { method: string }) => method !== 'GET';
/** `METHOD /path status code`, of each request that differs from what it should be. */
async function others(expected: string, of: typeof endpoints, headers: Record<string, string>): Promise<string[]> {
  const found: string[] = [];
  for (const { method, path } of of) {
    const body = method === 'POST' ? { body: '{}' } : {};
    const { status, body: answer } = await steward.call(path, {
      method,
      ...body,
      headers: { 'content-type': 'application/json', ...headers },
    });
    if (`${status} ${answer?.code}` !== expected) found.push(`${method} ${path} ${status} ${answer?.code}`);
  }
  return found;
}
async function rowsOfUsers(): Promise<string[]> {
  const tables = await userColumns(steward.sql);
  return (await allRows(steward.sql))
    .filter(({ table }) => tables.has(table.replace(/^public\./, '')))
    .map(({ table, row }) => `${table} ${row}`);
}

describe('each endpoint that takes a session', () => {
  it('is one of those that take an ID token', () => {
    expect(endpoints.length).toBeGreaterThan(30);
    expect(endpoints.filter(isChange).length).toBeGreaterThan(15);
    expect(endpoints.map(({ path }) => path).filter((path) => /^\/(mcp|oauth\/(?!consent)|webhooks|sandbox)/.test(path))).toEqual([]);
  });

  it.each(Object.entries(FOREIGN))('takes none of a request from %s, even with the CSRF token', async (_where, from) => {
    const before = await rowsOfUsers();
    const headers = { cookie: page.cookie, 'x-csrf-token': page.csrf, ...from };
    expect(await others('403 forbidden', endpoints, headers)).toEqual([]);
    expect(await rowsOfUsers()).toEqual(before);
  });

  it('changes nothing without the CSRF token, or with that of another session, of the user’s own too', async () => {
    const other = await SessionPage.open(steward, await steward.signIn(newName()));
    const own = await SessionPage.open(steward, await steward.signIn(newName()), undefined);
    const before = await rowsOfUsers();
    for (const csrf of [undefined, '', 'x'.repeat(43), other.csrf, own.csrf, `${page.csrf}x`]) {
      const headers = { ...page.headers, ...(csrf !== undefined && { 'x-csrf-token': csrf }) };
      expect(await others('403 forbidden', endpoints.filter(isChange), headers), csrf).toEqual([]);
    }
    expect(await rowsOfUsers()).toEqual(before);
  });

  it('shows nothing with the CSRF token of another session, after another user has signed in in another tab', async () => {
    const other = await SessionPage.open(steward, await steward.signIn(newName()));
    const reads = endpoints.filter((one) => !isChange(one));
    expect(await others('403 forbidden', reads, { ...page.headers, 'x-csrf-token': other.csrf })).toEqual([]);
  });

  it('changes nothing for a form of another page whose browser names no origin', async () => {
    const before = await rowsOfUsers();
    for (const site of ['cross-site', 'same-site']) {
      const form = { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate', accept: 'text/html' };
      const headers = { cookie: page.cookie, 'x-csrf-token': page.csrf, ...form, 'content-type': 'application/json' };
      for (const { method, path } of endpoints.filter(isChange)) {
        const body = method === 'POST' ? { body: '{}' } : {};
        expect([method, path, (await steward.call(path, { method, ...body, headers })).status]).toEqual([method, path, 403]);
      }
    }
    expect(await rowsOfUsers()).toEqual(before);
  });

  it('is not offered to front ends of other origins: no preflight admits the CSRF token', async () => {
    for (const method of ['POST', 'PATCH', 'DELETE']) {
      const asked = { 'access-control-request-method': method, 'access-control-request-headers': 'x-csrf-token' };
      const { headers } = await steward.call('/user/preferences', { method: 'OPTIONS', headers: { origin: FRONT_END, ...asked } });
      expect(headers.get('access-control-allow-methods')).toContain(method);
      expect(headers.get('access-control-allow-headers')).not.toContain('csrf');
    }
  });

  it('is reached with both', async () => {
    const found: string[] = [];
    for (const { method, path } of endpoints) {
      // Each with a session of its own: some of them end it.
      const name = path.startsWith('/operator/') ? 'operator' : newName();
      const own = await SessionPage.open(steward, await steward.signIn(name));
      const body = method === 'POST' ? { body: '{}' } : {};
      const { status, body: answer } = await own.call(path, { method, ...body, headers: { 'content-type': 'application/json' } });
      if (status === 401 || status === 403 || status >= 500) found.push(`${method} ${path} ${status} ${answer?.code}`);
    }
    expect(found).toEqual([]);
  });

  it('is not opened by a link from elsewhere, unless it is a page', async () => {
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', accept: 'text/html', cookie: page.cookie };
    const reads = endpoints.filter((one) => !isChange(one));
    const pages = reads.filter(({ path }) =>
      /^\/(approvals(\/[^/]+)?|oauth\/consent\/.*|notifications\/confirm\/.*|auth\/sources\/entry\/.*)$/.test(path),
    );
    expect(
      await others(
        '403 forbidden',
        reads.filter((one) => !pages.includes(one)),
        link,
      ),
    ).toEqual([]);
    expect((await steward.call('/approvals', { headers: link })).status).toBe(200);
    expect((await steward.call(`/approvals/${UNKNOWN}`, { headers: link })).status).toBe(404);
  });

  it('takes an ID token as before, of any front end, whatever session the browser has', async () => {
    const token = await steward.signIn(newName());
    const headers = { cookie: page.cookie, origin: FRONT_END, 'sec-fetch-site': 'cross-site' };
    const response = await steward.call('/auth/bank/accounts', { token, headers });
    expect(response).toMatchObject({ status: 200, body: { accounts: [] } });
    expect(response.headers.get('access-control-allow-origin')).toBe(FRONT_END);
  });
});

describe('what a session does', () => {
  it('makes and revokes a token with a recent sign-in, and deletes its user', async () => {
    const own = await SessionPage.open(steward, await steward.signIn(newName()));
    const made = await own.json('/tokens', { name: 'Digest', actions: ['mail.*'], access: 'read' });
    expect(made.status).toBe(200);
    expect((await own.call(`/tokens/${made.body.id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await own.call('/user', { method: 'DELETE' })).status).toBe(200);
    expect((await own.call('/tokens')).status).toBe(401);
  });

  it('keeps the time of its sign-in: what needs a recent one is refused five minutes later', async () => {
    const own = await SessionPage.open(steward, await steward.signIn(newName()));
    await steward.clock.advance(5 * 60_000 + 1_000);
    try {
      expect((await own.call('/user', { method: 'DELETE' })).body.code).toBe('recent_login_required');
      expect((await own.call('/tokens')).status).toBe(200);
    } finally {
      await steward.clock.advance(-5 * 60_000 - 1_000);
    }
  });
});

describe('a session of an ID token from an earlier sign-in', () => {
  it('is no recent one', async () => {
    const token = await steward.signIn(newName());
    await steward.clock.advance(5 * 60_000 + 1_000);
    try {
      const own = await SessionPage.open(steward, token);
      const made = await own.json('/tokens', { name: 'Digest', actions: ['mail.*'], access: 'read' });
      expect(made.body.code).toBe('recent_login_required');
      expect((await own.call('/user', { method: 'DELETE' })).body.code).toBe('recent_login_required');
    } finally {
      await steward.clock.advance(-5 * 60_000 - 1_000);
    }
  });
});

describe('GET /auth/session', () => {
  it('says who is signed in, and how one signs in', async () => {
    const name = newName();
    const own = await SessionPage.open(steward, await steward.signIn(name));
    const { status, body, headers } = await own.call('/auth/session');
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    const [user] = await steward.sql<{ id: string }>('select id from users where email = $1', [`${name}@example.com`]);
    expect(body).toEqual({
      session: {
        user: { key: user?.id, label: `${name}@example.com`, email: `${name}@example.com` },
        csrf_token: own.csrf,
        signed_in_at: expect.stringMatching(/Z$/),
        expires_at: expect.stringMatching(/Z$/),
        operator: false,
      },
      sign_in: { url: '/sign-in', sandbox: true, token: true },
    });
  });

  it('says that nobody is, without an error, also after the session has ended', async () => {
    const own = await SessionPage.open(steward, await steward.signIn(newName()));
    expect((await own.call('/auth/session', { method: 'DELETE' })).status).toBe(200);
    for (const headers of [own.headers, {}, { cookie: 'steward_session=x' }]) {
      expect(await steward.call('/auth/session', { headers })).toMatchObject({ status: 200, body: { session: null } });
    }
  });

  it.each(Object.entries(FOREIGN))('says nothing to %s', async (_where, from) => {
    const { status, text } = await steward.call('/auth/session', { headers: { cookie: page.cookie, ...from } });
    expect(status).toBe(403);
    expect(text).not.toContain(page.csrf);
  });

  it('says nothing to a page that navigates to it from elsewhere', async () => {
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', accept: 'text/html', cookie: page.cookie };
    expect((await steward.call('/auth/session', { headers: link })).status).toBe(403);
  });
});

describe('every page', () => {
  it('may not be shown in a frame', async () => {
    const { paths } = (await steward.call('/openapi.json')).body;
    const pages: string[] = [];
    for (const path of [...Object.keys(paths), '/oauth/authorize', '/nothing']) {
      const response = await page.call(path.replace(/\{\w+\}/g, UNKNOWN), { headers: { accept: 'text/html' } });
      if (response.headers.get('content-type')?.includes('html') !== true) continue;
      pages.push(path);
      expect([path, response.headers.get('x-frame-options')]).toEqual([path, 'SAMEORIGIN']);
      expect([path, response.headers.get('content-security-policy')]).toEqual([path, expect.stringContaining("frame-ancestors 'none'")]);
    }
    expect(pages).toEqual(expect.arrayContaining(['/', '/api-docs', '/approvals', '/approvals/{id}', '/signed-in', '/oauth/authorize']));
  });
});
