import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FormBrowser } from '../../support/browser/browser.ts';
import { createPostgresDatabase, hasPostgres } from '../../support/database/postgres.ts';
import { newName } from '../../support/scenes/flows.ts';
import { serviceAt, startSteward, type TestSteward } from '../../support/steward.ts';
import { SessionPage } from '../../support/users/session-page.ts';
import { locationOf, sessionOf, signedIn } from '../../support/users/sign-in.ts';

const COOKIE = 'steward_session';

describe('a session at the service’s own pages', () => {
  let steward: TestSteward;
  beforeAll(async () => {
    steward = await startSteward();
  });
  afterAll(() => steward.stop());

  const list = (cookie: string | undefined) => steward.call('/approvals', { headers: { cookie: `${COOKIE}=${cookie}` } });
  const ended = { status: 401, body: { code: 'invalid_token' } };

  it('begins with an ID token in the Authorization header', async () => {
    const browser = await sessionOf(steward, await steward.signIn('ada'));
    expect(await list(browser.cookies.get(COOKIE))).toMatchObject({ status: 200, body: { approvals: [] } });
  });

  it.each([
    [{}, 401],
    [{ form: {} }, 401],
    [{ method: 'POST', token: 'nonsense' }, 401],
    [{ method: 'POST', token: `stw_pat_${'0'.repeat(36)}` }, 403],
    [{ form: { id_token: 'TOKEN' } }, 403],
    [{ form: { id_token: 'TOKEN', state: 'x'.repeat(43) } }, 403],
    [{ form: { id_token: 'TOKEN', return_to: '//evil.example' } }, 400],
  ])('does not begin with %j', async (options: object, status) => {
    const token = await steward.signIn('ada');
    const sent = JSON.parse(JSON.stringify({ method: 'POST', ...options }).replace('TOKEN', token));
    const response = await steward.call('/auth/session', sent);
    expect(response.status).toBe(status);
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  it('is stored as a hash only, and ends after 12 hours', async () => {
    const browser = await sessionOf(steward, await steward.signIn(newName()));
    const secret = browser.cookies.get(COOKIE) as string;
    const rows = await steward.sql<{ row: string }>('select row_to_json(s)::text as row from web_sessions s');
    expect(rows.some(({ row }) => row.includes(secret))).toBe(false);
    await steward.sql(`update web_sessions set expires_at = expires_at - interval '12 hours' where secret_hash = sha256($1::bytea)`, [
      Buffer.from(secret),
    ]);
    expect(await list(secret)).toMatchObject(ended);
  });

  it.each(['', 'x', 'x'.repeat(43), 'x'.repeat(5_000), '%00', 'a.b.c', "' or 1=1 --"])('is not %j', async (secret) => {
    expect(await list(secret)).toMatchObject(ended);
  });

  it('ends with DELETE /auth/session, and all of the user’s with an ID token', async () => {
    const token = await steward.signIn(newName());
    const browsers = [await sessionOf(steward, token), await sessionOf(steward, token), await sessionOf(steward, token)];
    const secrets = browsers.map((browser) => browser.cookies.get(COOKIE) as string);
    const page = await browsers[0]?.visit('/approvals');
    const csrf = /name="csrf" value="([^"]+)"/.exec(page?.text ?? '')?.[1] as string;
    const own = { cookie: `${COOKIE}=${secrets[0]}`, 'sec-fetch-site': 'same-origin' };
    expect((await steward.call('/auth/session', { method: 'DELETE', headers: own })).status).toBe(403);
    expect((await list(secrets[0])).status).toBe(200);
    expect((await steward.call('/auth/session', { method: 'DELETE', headers: { ...own, 'x-csrf-token': csrf } })).status).toBe(200);
    expect(await list(secrets[0])).toMatchObject(ended);
    expect((await list(secrets[1])).status).toBe(200);
    expect((await steward.call('/auth/session', { method: 'DELETE', token })).status).toBe(200);
    for (const secret of secrets) expect(await list(secret)).toMatchObject(ended);
  });

  it('ends with the button of a page', async () => {
    const browser = await signedIn(steward, newName());
    const secret = browser.cookies.get(COOKIE);
    const page = await browser.visit('/approvals');
    expect((await browser.submit(page, '/approvals', () => {})).text).toContain('You are signed out');
    expect(browser.cookies.has(COOKIE)).toBe(false);
    expect(await list(secret)).toMatchObject(ended);
    expect(locationOf(await browser.visit('/approvals'))).toBe('/sign-in?return_to=%2Fapprovals');
  });

  it('that has ended already leads from the button of its page to the sign-in', async () => {
    const browser = await signedIn(steward, newName());
    const page = await browser.visit('/approvals');
    browser.cookies.delete(COOKIE);
    const response = await browser.submit(page, '/approvals', () => {});
    expect([response.status, locationOf(response)]).toEqual([200, '/sign-in']);
    expect((await browser.visit(locationOf(response))).status).toBe(303);
  });

  it('ends with its user, and stays ended when the user signs up again', async () => {
    const name = newName();
    const token = await steward.signIn(name);
    const secret = (await sessionOf(steward, token)).cookies.get(COOKIE);
    const other = await steward.sql<{ n: number }>('select count(*)::int as n from web_sessions');
    expect((await steward.call('/user', { method: 'DELETE', token })).status).toBe(200);
    expect(await list(secret)).toMatchObject(ended);
    expect(await steward.sql('select count(*)::int as n from web_sessions')).toEqual([{ n: (other[0]?.n ?? 0) - 1 }]);
    await steward.control('clock', { advance_ms: 2_000 });
    expect((await steward.call('/approvals', { token: await steward.signIn(name) })).status).toBe(200);
    await steward.control('clock', { advance_ms: -2_000 });
    expect(await list(secret)).toMatchObject(ended);
  });

  it('is one of 20 at most', async () => {
    const token = await steward.signIn(newName());
    const first = (await sessionOf(steward, token)).cookies.get(COOKIE);
    for (let more = 0; more < 19; more += 1) await sessionOf(steward, token);
    expect((await list(first)).status).toBe(200);
    await sessionOf(steward, token);
    expect(await list(first)).toMatchObject(ended);
  });

  it('is no credential of MCP, and none in place of an ID token that is not valid', async () => {
    const page = await SessionPage.open(steward, await steward.signIn('ada'));
    expect((await page.call('/mcp', { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })).status).toBe(401);
    expect((await page.call('/oauth/token', { form: { grant_type: 'refresh_token', refresh_token: 'x' } })).status).toBe(400);
    for (const token of ['', 'nonsense', 'Bearer x']) expect(await page.call('/tokens', { token })).toMatchObject(ended);
  });
});

describe.skipIf(!hasPostgres)('a session on two replicas', () => {
  it('is one of both, and has ended on both when either has ended it', async () => {
    const database = await createPostgresDatabase();
    const env = { DATABASE_URL: database.url, MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}` };
    const [first, second] = [await startSteward(env), await startSteward(env)];
    const token = await first.signIn('ada');
    const cookie = `${COOKIE}=${(await sessionOf(first, token)).cookies.get(COOKIE)}`;
    for (const replica of [first, second]) expect((await replica.call('/approvals', { headers: { cookie } })).status).toBe(200);
    expect((await first.call('/auth/session', { method: 'DELETE', token })).status).toBe(200);
    for (const replica of [first, second]) expect((await replica.call('/approvals', { headers: { cookie } })).status).toBe(401);
    await Promise.all([first.stop(), second.stop()]);
    await database.drop();
  });
});

describe('a sign-in at the operator’s page (SIGN_IN_URL)', () => {
  let steward: TestSteward;
  beforeAll(async () => {
    steward = await startSteward({ SIGN_IN_URL: 'https://app.example.com/sign-in?lang=en' });
  });
  afterAll(() => steward.stop());

  it('receives state and return_to, and posts an ID token back once', async () => {
    const browser = new FormBrowser(steward.url);
    const path = '/approvals/00000000-0000-4000-8000-000000000000';
    const url = new URL(locationOf(await browser.visit(`/sign-in?return_to=${path}`)));
    expect(url.href.split('?')[0]).toBe('https://app.example.com/sign-in');
    expect(url.searchParams.get('return_to')).toBe(path);
    const form = { id_token: await steward.signIn('ada'), state: url.searchParams.get('state') as string };
    const post = (where: FormBrowser, state = form.state) =>
      where.visit('/auth/session', {
        form: { ...form, state },
        headers: { origin: 'https://app.example.com', 'sec-fetch-site': 'cross-site' },
      });
    // The form of an attacker who began a flow of their own.
    expect((await post(new FormBrowser(steward.url))).status).toBe(403);
    const victim = new FormBrowser(steward.url);
    await victim.visit('/sign-in');
    expect((await post(victim)).status).toBe(403);
    expect(victim.cookies.has(COOKIE)).toBe(false);
    // Of the same cookie's name.
    expect((await post(new FormBrowser(steward.url).take(browser), `${form.state[0]}${'x'.repeat(42)}`)).status).toBe(403);
    const response = await post(browser);
    expect(response.status).toBe(200);
    expect(locationOf(response)).toBe(path);
    expect((await browser.visit('/approvals')).text).toContain('ada@example.com');
    const session = browser.cookies.get(COOKIE);
    // Submitted again, it leads on, and signs in nobody.
    const again = await post(browser);
    expect([again.status, locationOf(again), browser.cookies.get(COOKIE)]).toEqual([200, path, session]);
    expect((await post(new FormBrowser(steward.url))).status).toBe(403);
  });

  it('keeps its flow in a cookie that browsers take from http on loopback', async () => {
    const [flow] = (await steward.call('/sign-in')).headers.getSetCookie();
    expect(flow).toMatch(/^steward_sign_in_[\w-]{16}=[^;]+; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
  });

  it('may lead to another page of the service than the one that it began at', async () => {
    const browser = new FormBrowser(steward.url);
    const state = new URL(locationOf(await browser.visit('/sign-in?return_to=/approvals'))).searchParams.get('state') as string;
    const path = '/approvals/00000000-0000-4000-8000-000000000000';
    const form = { id_token: await steward.signIn('ada'), state, return_to: path };
    const headers = { origin: 'https://app.example.com', 'sec-fetch-site': 'cross-site' };
    const response = await browser.visit('/auth/session', { form, headers });
    expect(response.status).toBe(200);
    expect(locationOf(response)).toBe(path);
  });

  it('is told that the user has to sign in anew', async () => {
    const location = locationOf(await new FormBrowser(steward.url).visit('/sign-in?prompt=login&return_to=/console'));
    const { searchParams } = new URL(location);
    expect([searchParams.get('prompt'), searchParams.get('return_to')]).toEqual(['login', '/console']);
    expect((await new FormBrowser(steward.url).visit('/sign-in?prompt=none')).status).toBe(400);
  });

  it.each([
    ['a recent sign-in', 0, 200],
    ['one of before', 10 * 60_000, 502],
  ])('where the user has to sign in anew, takes %s with the status that it deserves', async (_which, ago, status) => {
    const token = await steward.signIn('ada');
    await steward.clock.advance(ago);
    try {
      const browser = new FormBrowser(steward.url);
      const location = locationOf(await browser.visit('/sign-in?prompt=login&return_to=/signed-in'));
      const form = { id_token: token, state: new URL(location).searchParams.get('state') as string };
      const headers = { origin: 'https://app.example.com', 'sec-fetch-site': 'cross-site' };
      const response = await browser.visit('/auth/session', { form, headers });
      expect([response.status, browser.cookies.has(COOKIE)]).toEqual([status, status === 200]);
      if (status !== 200) expect(response.text).toContain('did not ask you to sign in again');
    } finally {
      await steward.clock.advance(-ago);
    }
  });

  it('has no callback of an issuer', async () => {
    expect((await steward.call('/auth/session/callback?code=x&state=y')).body.code).toBe('not_configured');
  });
});

describe('the cookies of a service at a public https address', () => {
  it('are __Host- cookies; only the flow’s is sent with a form of another site', async () => {
    const steward = await startSteward({ SIGN_IN_URL: 'https://app.example.com/', PUBLIC_URL: 'https://steward.example.com' });
    const service = serviceAt(steward.context.addresses.selfUrl);
    const token = await service.signIn('ada');
    const [session] = (await service.call('/auth/session', { method: 'POST', token })).headers.getSetCookie();
    expect(session).toMatch(/^__Host-steward_session=[\w-]{43}; Max-Age=43200; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/);
    // A sibling's page can set a cookie of any other name.
    const [, secret] = /=([\w-]{43});/.exec(session ?? '') ?? [];
    const approvals = async (cookie: string) => (await service.call('/approvals', { headers: { cookie } })).status;
    expect(await approvals(`__Host-${COOKIE}=${secret}`)).toBe(200);
    expect(await approvals(`${COOKIE}=${secret}`)).toBe(401);
    expect(await approvals(`${COOKIE}=x; __Host-${COOKIE}=${secret}`)).toBe(200);
    const [flow] = (await service.call('/sign-in')).headers.getSetCookie();
    expect(flow).toMatch(/^__Host-steward_sign_in_[\w-]{16}=[^;]+; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=None$/);
    await steward.stop();
  });
});

describe('a service where nobody can sign in', () => {
  it.each([
    [{ FIREBASE_PROJECT_ID: 'project', ALLOW_MIXED: '1' }, 'SIGN_IN_URL'],
    [{ OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_AUDIENCE: 'steward' }, 'OIDC_CLIENT_ID'],
  ])('says which variable is missing: %j', async (env: Record<string, string>, variable) => {
    const steward = await startSteward(env);
    const response = await new FormBrowser(steward.url).visit('/sign-in?return_to=/approvals');
    expect(response).toMatchObject({ status: 503, text: expect.stringContaining(variable) });
    await steward.stop();
  });
});
