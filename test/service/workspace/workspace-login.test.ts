import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FormBrowser } from '../../support/browser/browser.ts';
import { consent, newName, outcome, workspaceAccounts } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';
import { request } from '../../support/users/request.ts';

const AT_LOGIN = '/auth/workspace/login';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});

afterAll(() => steward.stop());

interface Prepared {
  browser: FormBrowser;
  token: string;
  ticket: string;
  loginUrl: string;
}

/** Step 1 of a new user, in a new browser. */
async function prepare(form: Record<string, string> = {}, token?: string): Promise<Prepared> {
  const idToken = token ?? (await steward.signIn(newName()));
  const browser = new FormBrowser(steward.url);
  const { body } = await browser.visit('/workspace_access_request', { token: idToken, form: { email: 'demo@example.com', ...form } });
  return { browser, token: idToken, loginUrl: body.login_url, ticket: new URL(body.login_url).searchParams.get('token') ?? '' };
}

function login(query: Record<string, string>, headers: Record<string, string> = {}) {
  return request(steward.url)
    .get(`${AT_LOGIN}?${new URLSearchParams(query)}`)
    .set(headers);
}

function asked(location: string | null | undefined): Record<string, string> {
  return Object.fromEntries(new URL(location ?? '').searchParams);
}

/** Updates the row of a ticket. */
async function age(ticket: string, change: string): Promise<void> {
  const hash = createHash('sha256').update(ticket).digest();
  const rows = await steward.sql(`update oauth_flows set ${change} where ticket_hash = $1 returning id`, [hash]);
  expect(rows).toHaveLength(1);
}

interface Flow {
  email: string | null;
  redirect_uri: string;
  opened: boolean;
}

async function flowsOf(token: string): Promise<Flow[]> {
  const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  return steward.sql<Flow>(
    `select f.email, f.redirect_uri, f.opened_at is not null as opened from oauth_flows f join users u on u.id = f.user_id
     where u.subject = $1 order by f.created_at`,
    [sub],
  );
}

describe('GET /auth/workspace/login', () => {
  it.each([
    ['no token', ''],
    ['an empty token', '?token='],
    ['the token given twice', '?token=a.b.c&token=a.b.c'],
    ['a token of over 8,192 characters', `?token=${'a'.repeat(8193)}`],
    ['NUL in the token', '?token=a%00b'],
    ['a mail address with a line feed', '?token=a.b.c&email=demo%40example.com%0A'],
    ['two mail addresses', '?token=a.b.c&email=a%40example.com&email=b%40example.com'],
  ])('rejects %s', async (_name, query) => {
    expectError(await request(steward.url).get(`${AT_LOGIN}${query}`), 'invalid_request');
  });

  it.each([
    ['an unknown ticket', 'x'.repeat(43)],
    ['an invalid token', 'a.b.c'],
    ['an unsigned token', `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"sub":"x"}').toString('base64url')}.`],
  ])('rejects %s with JSON for programs, with a page for browsers', async (_name, token) => {
    const response = await login({ token });
    expectError(response, 'invalid_token');
    const page = await login({ token }, { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect(page.status).toBe(401);
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    expect(page.headers['cache-control']).toBe('no-store');
    expect(page.headers['www-authenticate']).toMatch(/^Bearer /);
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(page.text).toContain('<code>invalid_token</code>');
    expect(page.text).not.toContain(token);
  });

  it('redirects to the consent page with an empty response that is neither cached nor disclosed, and sets no cookie', async () => {
    const { ticket, token } = await prepare();
    for (const response of [await login({ token: ticket }), await login({ token })]) {
      expect(response.status).toBe(303);
      expect(response.text).toBe('');
      expect(response.headers['content-type']).toBeUndefined();
      expect(response.headers['cache-control']).toBe('no-store');
      expect(response.headers['referrer-policy']).toBe('no-referrer');
      expect(response.headers).not.toHaveProperty('set-cookie');
      expect(response.headers.location).not.toContain(ticket);
      expect(response.headers.location).not.toContain(token);
    }
  });

  it('requests every scope, offline, with PKCE, a nonce and the account', async () => {
    const { ticket } = await prepare({ email: 'ana.mueller@example.org' });
    const location = (await login({ token: ticket })).headers.location;
    expect(location?.startsWith(`${steward.url}/sandbox/workspace/auth?`)).toBe(true);
    const { scope = '', ...query } = asked(location);
    expect(query).toEqual({
      client_id: 'sandbox-client',
      redirect_uri: `${steward.url}/auth/workspace/callback`,
      response_type: 'code',
      access_type: 'offline',
      prompt: 'select_account consent',
      include_granted_scopes: 'false',
      login_hint: 'ana.mueller@example.org',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(new Set([query.code_challenge, query.state, query.nonce]).size).toBe(3);
    const names = ['userinfo.email', 'userinfo.profile', 'calendar.events.owned', 'gmail.send', 'gmail.modify', 'documents', 'docs'];
    names.push('drive', 'spreadsheets.readonly', 'presentations.readonly');
    expect(scope.split(' ')).toEqual(['openid', ...names.map((name) => `https://www.googleapis.com/auth/${name}`)]);
  });

  it.each([
    ['HEAD', { method: 'HEAD' }],
    ['a prefetch', { headers: { 'sec-purpose': 'prefetch' } }],
    ['a prerender', { headers: { 'sec-purpose': 'prefetch;prerender' } }],
    ['an old prefetch', { headers: { purpose: 'prefetch' } }],
    ['POST', { method: 'POST' }],
    ['PUT', { method: 'PUT' }],
    ['DELETE', { method: 'DELETE' }],
  ])('rejects %s with 405 and does not change the ticket', async (_name, options) => {
    const { loginUrl } = await prepare();
    const response = await steward.call(loginUrl, options);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET');
    expect(response.headers.get('location')).toBeNull();
    if (response.text !== '') expect(response.body.code).toBe('method_not_allowed');
    await request().get(loginUrl).expect(303);
  });
});

describe('GET /auth/workspace/login with a ticket', () => {
  it('opens once, and again to the same address in the requesting browser', async () => {
    const { browser, loginUrl } = await prepare();
    const first = await browser.visit(loginUrl);
    const again = await browser.visit(loginUrl);
    expect(first.status).toBe(303);
    expect(again.status).toBe(303);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
  });

  it('opens in a browser without the cookie too, but then only once', async () => {
    const { loginUrl } = await prepare();
    await request().get(loginUrl).expect(303);
    expectError(await request().get(loginUrl), 'invalid_token', /used already/);
  });

  it('does not open again for a browser of another user', async () => {
    const { browser, loginUrl } = await prepare();
    const other = await prepare();
    expect((await browser.visit(loginUrl)).status).toBe(303);
    expectError(await other.browser.visit(loginUrl, { headers: { accept: 'application/json' } }), 'invalid_token');
  });

  it('does not open again after a minute, nor once the flow has ended', async () => {
    const { browser, loginUrl, ticket } = await prepare();
    const headers = { accept: 'application/json' };
    await browser.visit(loginUrl);
    await age(ticket, `opened_at = opened_at - interval '61 seconds'`);
    expectError(await browser.visit(loginUrl, { headers }), 'invalid_token', /used already/);

    const second = await prepare();
    const opened = await second.browser.visit(second.loginUrl);
    await second.browser.visit(await consent(second.browser, opened.headers.get('location') ?? ''));
    expectError(await second.browser.visit(second.loginUrl, { headers }), 'invalid_token', /used already/);
  });

  it('expires after a minute', async () => {
    const { browser, loginUrl, ticket, token } = await prepare();
    await age(ticket, `ticket_expires_at = now() - interval '1 millisecond'`);
    const response = await browser.visit(loginUrl, { headers: { accept: 'application/json' } });
    expectError(response, 'token_expired');
    expect(await flowsOf(token)).toMatchObject([{ opened: false }]);
  });

  it('opens its own flow, whatever the rest of the query', async () => {
    const { ticket, token } = await prepare({ email: 'demo.work@example.com' });
    const response = await login({ token: ticket, email: 'ana.mueller@example.org' });
    expect(asked(response.headers.location).login_hint).toBe('demo.work@example.com');
    expect(await flowsOf(token)).toHaveLength(1);
  });

  it('twenty tabs with a ticket each connect twenty accounts', async () => {
    const { browser, token } = await prepare();
    const emails = Array.from({ length: 20 }, () => `${newName()}@example.com`);
    const tab = async (email: string) => {
      const redirectUri = `http://localhost:5173/${email}`;
      const { body } = await browser.visit('/workspace_access_request', { token, form: { email, redirect_uri: redirectUri } });
      const opened = await browser.visit(body.login_url);
      const callback = await browser.visit(await consent(browser, opened.headers.get('location') ?? '', { email }));
      expect(callback.headers.get('location')?.startsWith(`${redirectUri}?`)).toBe(true);
      return outcome(callback);
    };
    const outcomes = await Promise.all(emails.map(tab));
    expect(outcomes.map(({ status }) => status)).toEqual(emails.map(() => 'connected'));
    const accounts = await workspaceAccounts(steward, token);
    expect(accounts.map(({ email }) => email).sort()).toEqual([...emails].sort());
    expect(accounts.filter((account) => account.default)).toHaveLength(1);
    const ids = new Map(accounts.map(({ email, id }) => [email, id]));
    expect(outcomes.map(({ account_id }) => account_id)).toEqual(emails.map((email) => ids.get(email)));
  });
});

describe('GET /auth/workspace/login with an ID token', () => {
  it('opens the flow prepared with the same mail address and redirect_uri', async () => {
    const wanted = { email: 'demo.work@example.com', redirect_uri: 'http://localhost:5173/a' };
    const { token } = await prepare(wanted);
    await prepare({ ...wanted, redirect_uri: 'http://localhost:5173/b' }, token);
    await prepare({ ...wanted, email: 'demo@example.com' }, token);
    const response = await login({ token, ...wanted });
    expect(asked(response.headers.location).login_hint).toBe('demo.work@example.com');
    expect((await flowsOf(token)).map(({ opened }) => opened)).toEqual([true, false, false]);
  });

  it('opens the newest unopened flow if neither is given', async () => {
    const { token } = await prepare({ email: 'demo@example.com' });
    await prepare({ email: 'demo.work@example.com', redirect_uri: 'http://localhost:5173/b' }, token);
    const hints = [];
    for (const _round of [1, 2, 3]) hints.push(asked((await login({ token })).headers.location).login_hint);
    expect(hints).toEqual(['demo.work@example.com', 'demo@example.com', undefined]);
    expect(await flowsOf(token)).toMatchObject([
      { opened: true },
      { opened: true },
      { email: null, redirect_uri: `${steward.url}/`, opened: true },
    ]);
  });

  it('opens a new flow if none matches, and none of another user’s', async () => {
    const other = await prepare({ email: 'demo@example.com' });
    const token = await steward.signIn(newName());
    const response = await login({ token, email: 'demo@example.com' });
    expect(asked(response.headers.location).login_hint).toBe('demo@example.com');
    expect(await flowsOf(token)).toMatchObject([{ email: 'demo@example.com', opened: true }]);
    expect(await flowsOf(other.token)).toMatchObject([{ opened: false }]);
  });

  it('does not open a prepared flow that has expired', async () => {
    const { token, ticket } = await prepare({ email: 'demo.work@example.com' });
    await age(ticket, `expires_at = now() - interval '1 second'`);
    expect(asked((await login({ token })).headers.location).login_hint).toBeUndefined();
    expect((await flowsOf(token)).map(({ opened }) => opened)).toEqual([false, true]);
  });

  it('returns each of several concurrent requests its own flow', async () => {
    const { token } = await prepare();
    const responses = await Promise.all(Array.from({ length: 5 }, () => login({ token, email: 'demo@example.com' })));
    expect(responses.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303]);
    expect(new Set(responses.map(({ headers }) => asked(headers.location).state)).size).toBe(5);
    expect((await flowsOf(token)).filter(({ opened }) => opened)).toHaveLength(5);
  });

  it('connects only after the confirmation page, since it is not bound to a browser', async () => {
    const token = await steward.signIn(newName());
    const browser = new FormBrowser(steward.url);
    const opened = await browser.visit(`${AT_LOGIN}?${new URLSearchParams({ token })}`);
    const page = await browser.visit(await consent(browser, opened.headers.get('location') ?? ''));
    expect(page.status).toBe(200);
    expect(await workspaceAccounts(steward, token)).toEqual([]);
  });
});
