import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FormBrowser } from '../../support/browser/browser.ts';
import { answerConfirmation, consent, newName, outcome } from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';
import { request, send } from '../../support/users/request.ts';

const DONE = 'https://app.example/done?x=1';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward({ ALLOWED_REDIRECT_URIS: `${DONE},https://app.example/other` });
});

afterAll(() => steward.stop());

async function flows(): Promise<number> {
  const [row] = await steward.sql<{ n: number }>('select count(*)::int as n from oauth_flows');
  return row?.n ?? -1;
}

function post(body: string, type = 'application/x-www-form-urlencoded') {
  return async () => {
    const token = await steward.signIn();
    return steward.call('/workspace_access_request', { method: 'POST', token, body, headers: { 'content-type': type } });
  };
}

describe('POST /workspace_access_request', () => {
  it('is protected', async () => {
    const before = await flows();
    const response = await request(steward.url).post('/workspace_access_request').type('form').send({ email: 'demo@example.com' });
    expectError(response, 'invalid_token');
    expect(response.headers).not.toHaveProperty('set-cookie');
    expect(await flows()).toBe(before);
  });

  it('returns a login address with a ticket and its expiry, and the flow lasts ten minutes', async () => {
    const token = await steward.signIn(newName());
    const response = await request(steward.url)
      .post('/workspace_access_request')
      .set('Authorization', token)
      .type('form')
      .send({ email: 'demo@example.com' });
    expect(response.status).toBe(200);
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.body).toEqual({ status: 'success', login_url: expect.any(String), expires_at: expect.any(String) });
    expect(response.body.login_url).toMatch(/\/auth\/workspace\/login\?token=[\w-]{43}$/);
    expect(response.body.login_url.startsWith(`${steward.url}/`)).toBe(true);
    const [row] = await steward.sql(
      `select extract(epoch from ticket_expires_at - created_at)::int as life, extract(epoch from expires_at - created_at)::int as flow,
         ticket_expires_at as ends from oauth_flows order by created_at desc limit 1`,
    );
    expect(row).toEqual({ life: 60, flow: 600, ends: new Date(response.body.expires_at) });
  });

  it('accepts the same fields as JSON', async () => {
    const response = await post(JSON.stringify({ email: 'demo@example.com', redirect_uri: DONE }), 'application/json')();
    expect(response.status).toBe(200);
  });

  it('binds the browser to the user by a cookie of that host only', async () => {
    const response = await post('email=demo%40example.com')();
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^steward_binding=[\w-]{43}; Max-Age=86400; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/),
    ]);
  });

  it('binds the browser for a day from the latest request', async () => {
    const browser = new FormBrowser(steward.url);
    const token = await steward.signIn(newName());
    const secretHash = () =>
      createHash('sha256')
        .update(browser.cookies.get('steward_binding') ?? '')
        .digest();
    const ask = async () => {
      await browser.visit('/workspace_access_request', { token, form: { email: 'demo@example.com' } });
      return steward.sql(
        `select b.expires_at between f.created_at + interval '24 hours' and now() + interval '24 hours' as "isDay"
         from browser_bindings b join oauth_flows f using (user_id) where b.secret_hash = $1 order by f.created_at desc limit 1`,
        [secretHash()],
      );
    };
    expect(await ask()).toEqual([{ isDay: true }]);
    await steward.sql(`update browser_bindings set expires_at = now() + interval '1 hour' where secret_hash = $1`, [secretHash()]);
    expect(await ask()).toEqual([{ isDay: true }]);
  });

  it('keeps the secret of a browser that is bound to the user, and never that of another user’s', async () => {
    const browser = new FormBrowser(steward.url);
    const ask = async (user: string) => {
      await browser.visit('/workspace_access_request', { token: await steward.signIn(user), form: { email: 'demo@example.com' } });
      return browser.cookies.get('steward_binding');
    };
    const [one, two] = [newName(), newName()];
    const first = await ask(one);
    expect(await ask(one)).toBe(first);
    const second = await ask(two);
    expect(second).not.toBe(first);
    browser.cookies.set('steward_binding', 'x'.repeat(43));
    expect(await ask(two)).not.toBe('x'.repeat(43));
  });

  it.each([
    ['missing', 'redirect_uri=https%3A%2F%2Fapp.example%2Fother', 'email: is required'],
    ['empty', 'email=', 'email: must be a mail address'],
    ['no address', 'email=demo', 'email: must be a mail address'],
    ['given twice', 'email=demo%40example.com&email=demo%40example.com', 'email: must be a single string'],
    ['an array by name', 'email%5B%5D=demo%40example.com', 'email[]: is unknown (did you mean email?)'],
    ['followed by CR/LF', 'email=demo%40example.com%0D%0ABcc%3Ax%40example.com', 'email: must not contain control characters'],
    ['ended by a line feed', 'email=demo%40example.com%0A', 'email: must not contain control characters'],
    ['cut by NUL', 'email=demo%00%40example.com', 'email: must not contain control characters'],
    ['of 300 characters', `email=${'a'.repeat(288)}%40example.com`, 'email: must have at most 254 characters'],
  ])('rejects a mail address that is %s', async (_name, body, message) => {
    const before = await flows();
    const response = await post(body)();
    expectError(response, 'invalid_request');
    expect(response.body.message.startsWith(message)).toBe(true);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await flows()).toBe(before);
  });

  it.each([
    ['{"email":["demo@example.com"]}'],
    ['{"email":{"$ne":""}}'],
    ['{"email":null}'],
    ['["demo@example.com"]'],
    ['{"email":"demo@example.com"'],
  ])('rejects the JSON %s', async (body) => {
    const before = await flows();
    expectError(await post(body, 'application/json')(), 'invalid_request');
    expect(await flows()).toBe(before);
  });
});

describe('unfinished connections', () => {
  it('are rejected beyond a hundred of a user until one ends, without effect on other users', async () => {
    const token = await steward.signIn(newName());
    const ask = () =>
      request(steward.url).post('/workspace_access_request').set('Authorization', token).type('form').send({ email: 'demo@example.com' });
    for (let count = 0; count < 100; count += 1) expect((await ask()).status).toBe(200);
    const before = await flows();
    const response = await ask();
    expectError(response, 'rate_limited');
    expect(response.headers).not.toHaveProperty('set-cookie');
    expectError(
      await request(steward.url).get(`/auth/workspace/login?${new URLSearchParams({ token, email: 'a@example.com' })}`),
      'rate_limited',
    );
    expect(await flows()).toBe(before);
    expect((await post('email=demo%40example.com')()).status).toBe(200);
    await steward.sql(
      `update oauth_flows set expires_at = now() where id = (select id from oauth_flows where ticket_hash is not null
      and user_id = (select id from users where subject = $1) limit 1)`,
      [JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sub],
    );
    expect((await ask()).status).toBe(200);
  });
});

const REJECTED_URIS = [
  ['without a scheme', '//app.example/done?x=1'],
  ['a path', '/done'],
  ['a bare host', 'app.example/done?x=1'],
  ['another host', 'https://evil.example/'],
  ['another host behind the allowed one as a user name', 'https://app.example@evil.example/done?x=1'],
  ['a user name before the allowed host', 'https://evil@app.example/done?x=1'],
  ['a password', 'https://a:b@app.example/done?x=1'],
  ['a backslash for a slash', 'https:\\\\app.example\\done?x=1'],
  ['a backslash before the at sign', 'https://evil.example\\@app.example/done?x=1'],
  ['the allowed host as a prefix', 'https://app.example.evil.example/done?x=1'],
  ['loopback as a prefix', 'http://localhost.evil.example/'],
  ['loopback as a user name', 'http://127.0.0.1@evil.example/'],
  ['a sub-domain', 'https://www.app.example/done?x=1'],
  ['plain http', 'http://app.example/done?x=1'],
  ['another port', 'https://app.example:8443/done?x=1'],
  ['another path', 'https://app.example/done2?x=1'],
  ['a deeper path', 'https://app.example/done/..;/x'],
  ['another query', 'https://app.example/done?x=1&y=2'],
  ['no query', 'https://app.example/done'],
  ['a fragment', `${DONE}#x`],
  ['an empty fragment', `${DONE}#`],
  ['a fragment on loopback', 'http://localhost:5173/#/done'],
  ['javascript', 'javascript:alert(1)//app.example'],
  ['data', 'data:text/html,hello'],
  ['a custom scheme', 'steward://app.example/done?x=1'],
  ['a scheme that loopback looks like', 'localhost:5173/done'],
  ['a space before it', ` ${DONE}`],
  ['a tab in it', 'https://app.exa\tmple/done?x=1'],
  ['a line feed', `${DONE}\n`],
  ['over 2,048 characters', `http://localhost/${'a'.repeat(2048)}`],
  ['empty', ''],
] as const;

describe('redirect_uri', () => {
  it.each(REJECTED_URIS)('is rejected with %s, on every endpoint', async (_name, uri) => {
    const token = await steward.signIn();
    const prepared = await request(steward.url)
      .post('/workspace_access_request')
      .set('Authorization', token)
      .type('form')
      .send({ email: 'demo@example.com' });
    const before = await flows();
    const posted = await request(steward.url)
      .post('/workspace_access_request')
      .set('Authorization', token)
      .type('form')
      .send({ email: 'demo@example.com', redirect_uri: uri });
    const atLogin = await request(steward.url).get(`/auth/workspace/login?${new URLSearchParams({ token, redirect_uri: uri })}`);
    const ticket = new URL(prepared.body.login_url).searchParams.get('token') ?? '';
    const withTicket = await request(steward.url).get(`/auth/workspace/login?${new URLSearchParams({ token: ticket, redirect_uri: uri })}`);
    for (const response of [posted, atLogin, withTicket]) {
      expectError(response, 'invalid_request', /^redirect_uri: /);
      expect(response.headers.location).toBeUndefined();
      expect(response.headers).not.toHaveProperty('set-cookie');
    }
    expect(await flows()).toBe(before);
    await request().get(prepared.body.login_url).expect(303);
  });

  it.each([[DONE], ['https://app.example/other'], ['http://localhost:5173/done?keep=1'], ['http://127.0.0.1:1/'], ['http://[::1]:8000/x']])(
    'may be %s',
    async (uri) => {
      const token = await steward.signIn();
      const posted = await request(steward.url)
        .post('/workspace_access_request')
        .set('Authorization', token)
        .type('form')
        .send({ email: 'demo@example.com', redirect_uri: uri });
      expect(posted.status).toBe(200);
      const atLogin = await request(steward.url).get(`/auth/workspace/login?${new URLSearchParams({ token, redirect_uri: uri })}`);
      expect(atLogin.status).toBe(303);
    },
  );
});

describe('with an https PUBLIC_URL', () => {
  const PUBLIC_URL = 'https://steward.example';
  let secure: TestSteward;
  let self: string;

  beforeAll(async () => {
    secure = await startSteward({ PUBLIC_URL });
    self = secure.context.addresses.selfUrl;
  });
  afterAll(() => secure.stop());

  const local = (url: string | null | undefined) => (url ?? '').replace(PUBLIC_URL, self);

  async function start() {
    const signIn = await send(self, '/sandbox/identity/token', { form: { user: newName() } });
    const browser = new FormBrowser(self);
    const token = signIn.body.id_token;
    const asked = await browser.visit('/workspace_access_request', { token, form: { email: 'demo@example.com' } });
    const login = await browser.visit(local(asked.body.login_url));
    return { asked, browser, consentUrl: local(login.headers.get('location')) };
  }

  it('cookies are Secure and carry the __Host- prefix, and connect', async () => {
    const { asked, browser, consentUrl } = await start();
    expect(asked.body.login_url.startsWith(`${PUBLIC_URL}/auth/workspace/login?token=`)).toBe(true);
    expect(asked.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-steward_binding=[\w-]{43}; Max-Age=86400; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/),
    ]);
    const callback = await browser.visit(local(await consent(browser, consentUrl)));
    expect(outcome(callback)).toMatchObject({ status: 'connected' });
  });

  it('a cookie without the prefix, as a neighbouring host could set it, is ignored', async () => {
    const { browser, consentUrl } = await start();
    browser.cookies.set('steward_binding', browser.cookies.get('__Host-steward_binding') ?? '');
    browser.cookies.delete('__Host-steward_binding');
    const callback = await browser.visit(local(await consent(browser, consentUrl)));
    expect(callback.status).toBe(200);
    expect(callback.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-steward_confirmation_[\w-]{16}=[\w-]{43}; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
    const confirmed = await answerConfirmation(browser, callback, 'confirm');
    expect(outcome(confirmed)).toMatchObject({ status: 'connected' });
  });
});
