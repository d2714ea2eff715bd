import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/clock.ts';
import { decode, FormBrowser } from '../../support/browser/browser.ts';
import { startIssuer, type TestIssuer } from '../../support/servers/issuer.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { locationOf, openSignIn, signedIn, submitSignIn } from '../../support/users/sign-in.ts';

const SECRET = 'a-secret';
const CLIENT = { OIDC_CLIENT_ID: 'pages', OIDC_CLIENT_SECRET: SECRET };
const EVIL = [
  '//evil.example',
  '/\\evil.example',
  'https://evil.example/approvals',
  'https:evil.example',
  '/approvals/../../evil',
  '/approvals//evil.example',
  '/approvals?next=//evil.example',
  '%2F%2Fevil.example',
  '/approvals%2F..%2F..%2Fevil',
  '/approvals\t//evil.example',
  '/approvals/00000000-0000-4000-8000-000000000000/x',
  'javascript:alert(1)',
  '',
];

describe('GET /sign-in at the sandbox’s issuer', () => {
  let steward: TestSteward;
  beforeAll(async () => {
    steward = await startSteward();
  });
  afterAll(() => steward.stop());

  it('leads from a page to the sign-in and back to it, with a session of 12 hours', async () => {
    const path = '/approvals/00000000-0000-4000-8000-000000000000';
    const { browser, signInUrl } = await openSignIn(steward, path);
    const callback = await submitSignIn(browser, signInUrl, 'ada');
    const back = await browser.visit(callback);
    expect(back).toMatchObject({ status: 303, text: '' });
    expect(locationOf(back)).toBe(path);
    const [cookie] = back.headers.getSetCookie().filter((line) => line.startsWith('steward_session='));
    expect(cookie).toMatch(/^steward_session=[\w-]{43}; Max-Age=43200; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
    expect((await browser.visit('/approvals')).text).toContain('Signed in as <bdi>ada@example.com</bdi>');
    const [row] = await steward.sql<{ hours: number }>(
      'select extract(epoch from expires_at - created_at)::int / 3600 as hours from web_sessions where expires_at > now()',
    );
    expect(row?.hours).toBe(12);
  });

  it('proves the code’s owner with PKCE, and binds state and nonce to the browser', async () => {
    const { signInUrl } = await openSignIn(steward);
    const query = new URL(signInUrl).searchParams;
    expect(query.get('code_challenge_method')).toBe('S256');
    expect(query.get('scope')).toBe('openid email');
    for (const name of ['code_challenge', 'state', 'nonce']) expect(query.get(name)).toMatch(/^[\w-]{43}$/);
    const without = new URL(signInUrl);
    without.searchParams.delete('code_challenge');
    expect(await new FormBrowser(steward.url).visit(without.href)).toMatchObject({ status: 400, text: expect.stringContaining('PKCE') });
  });

  it.each(EVIL)('does not lead to %j', async (target) => {
    const response = await new FormBrowser(steward.url).visit(`/sign-in?return_to=${encodeURIComponent(target)}`);
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  it('rejects a callback in another browser and with another state', async () => {
    const { browser, signInUrl } = await openSignIn(steward);
    const callback = await submitSignIn(browser, signInUrl, 'bea');
    const other = await openSignIn(steward);
    const forged = new URL(callback);
    forged.searchParams.set('state', 'x'.repeat(43));
    const truncated = new URL(callback);
    truncated.searchParams.set('state', String(forged.searchParams.get('state')).slice(0, 16));
    for (const [where, url] of [
      [other.browser, callback],
      [new FormBrowser(steward.url), callback],
      [browser, forged.href],
      [browser, truncated.href],
    ] as const) {
      const response = await where.visit(url);
      expect(response).toMatchObject({ status: 403, text: expect.stringContaining('Start again.') });
      expect(where.cookies.has('steward_session')).toBe(false);
    }
    const kept = new FormBrowser(steward.url).take(browser);
    for (const path of ['//evil.example', '/approvals/../x', '']) {
      const edited = new FormBrowser(steward.url).take(browser);
      for (const [name, value] of edited.cookies) edited.cookies.set(name, value.slice(0, 44) + encodeURIComponent(path));
      expect((await edited.visit(callback)).status, path).toBe(403);
    }
    expect((await browser.visit(callback)).status).toBe(303);
    // Where the flow's cookie was kept: the code is used, and signs in nobody.
    const late = await kept.visit(callback);
    expect([late.status, locationOf(late)]).toEqual([303, '/approvals']);
    expect(kept.cookies.has('steward_session')).toBe(false);
    expect((await kept.visit('/approvals')).status).toBe(303);
  });

  it('leads on once more when its callback is loaded again, and signs in nobody', async () => {
    const path = '/approvals/00000000-0000-4000-8000-000000000000';
    const { browser, signInUrl } = await openSignIn(steward, path);
    const callback = await submitSignIn(browser, signInUrl, 'bea');
    await browser.visit(callback);
    const session = browser.cookies.get('steward_session');
    for (const times of [2, 3]) {
      const again = await browser.visit(callback);
      expect([again.status, locationOf(again), again.headers.getSetCookie()], `${times}`).toEqual([303, path, []]);
    }
    expect(browser.cookies.get('steward_session')).toBe(session);
    // The session has ended since: the page leads to another sign-in.
    browser.cookies.delete('steward_session');
    expect(locationOf(await browser.visit(callback))).toBe(path);
    expect(browser.cookies.has('steward_session')).toBe(false);
    expect(locationOf(await browser.visit(path))).toBe(`/sign-in?return_to=${encodeURIComponent(path)}`);
    for (const forged of ['finished.//evil.example', 'finished.', 'finished./sign-out', 'finished']) {
      for (const [name] of browser.cookies) browser.cookies.set(name, forged);
      expect((await browser.visit(callback)).status, forged).toBe(403);
    }
  });

  it('signs in with a callback that is loaded twice at the same moment', async () => {
    const { browser, signInUrl } = await openSignIn(steward);
    const callback = await submitSignIn(browser, signInUrl, 'bea');
    const tabs = [1, 2, 3].map(() => new FormBrowser(steward.url).take(browser));
    const responses = await Promise.all(tabs.map((tab) => tab.visit(callback)));
    expect(responses.map((response) => [response.status, locationOf(response)])).toEqual(Array(3).fill([303, '/approvals']));
    // The browser keeps the cookies of one of the responses.
    expect((await tabs[2]?.visit('/approvals'))?.text).toContain('bea@example.com');
  });

  it('may be under way in 16 tabs of a browser, of which each leads to its page', async () => {
    const browser = new FormBrowser(steward.url);
    const paths = Array.from({ length: 16 }, (_, index) => `/approvals/00000000-0000-4000-8000-${`${index}`.padStart(12, '0')}`);
    // At the same moment, as when a browser opens its former tabs: each tab has the cookies of the beginning.
    const tabs = paths.map(() => new FormBrowser(steward.url));
    const begun = await Promise.all(tabs.map(async (tab, index) => locationOf(await tab.visit(`/sign-in?return_to=${paths[index]}`))));
    for (const tab of tabs) browser.take(tab);
    for (const [index, signInUrl] of begun.entries()) {
      const back = await browser.visit(await submitSignIn(browser, signInUrl, 'ada'));
      expect([back.status, locationOf(back)]).toEqual([303, paths[index]]);
    }
  });

  it('gives way to later ones beyond 16, the oldest first', async () => {
    const browser = new FormBrowser(steward.url);
    browser.cookies.set('other', 'cookie');
    const begun: string[] = [];
    for (let index = 0; index < 18; index += 1) begun.push(locationOf(await browser.visit('/sign-in')));
    expect([...browser.cookies.keys()].filter((name) => /^steward_sign_in_[\w-]{16}$/.test(name)).length).toBe(16);
    expect(browser.cookies.get('other')).toBe('cookie');
    const statuses = [];
    for (const index of [1, 2, 17]) {
      const response = await browser.visit(await submitSignIn(browser, begun[index] as string, 'ada'));
      statuses.push(response.status);
    }
    expect(statuses).toEqual([403, 303, 303]);
  });

  it('says so when the user cancels', async () => {
    const { browser, signInUrl } = await openSignIn(steward);
    const response = await browser.visit(await submitSignIn(browser, signInUrl, 'cy', 'cancel'));
    expect(response).toMatchObject({ status: 403, text: expect.stringContaining('You were not signed in.') });
  });

  it('begins with a new secret each time, and ends the browser’s former session', async () => {
    const browser = await signedIn(steward, 'dan');
    const former = browser.cookies.get('steward_session') as string;
    const signInUrl = locationOf(await browser.visit('/sign-in'));
    await browser.visit(await submitSignIn(browser, signInUrl, 'dan'));
    expect(browser.cookies.get('steward_session')).not.toBe(former);
    const response = await steward.call('/approvals', { headers: { cookie: `steward_session=${former}` } });
    expect(response).toMatchObject({ status: 401, body: { code: 'invalid_token' } });
  });
});

describe('GET /sign-in at an OpenID Connect issuer', () => {
  let issuer: TestIssuer;
  let steward: TestSteward;
  beforeAll(async () => {
    issuer = await startIssuer();
    steward = await startSteward({ ...issuer.env, ...CLIENT });
  });
  afterAll(async () => {
    await steward.stop();
    await issuer.close();
  });

  it('asks the issuer once for the addresses of many sign-ins, and again after it was away', async () => {
    const signIns = () =>
      Promise.all(Array.from({ length: 20 }, async () => (await new FormBrowser(steward.url).visit('/sign-in')).status));
    // What was read before is not used any more.
    await steward.clock.advance(60_000);
    issuer.goDown();
    try {
      expect(new Set(await signIns())).toEqual(new Set([503]));
    } finally {
      issuer.goUp();
    }
    for (let minute = 0; minute < 2; minute += 1) {
      const before = issuer.discoveries();
      expect(new Set(await signIns())).toEqual(new Set([303]));
      expect(issuer.discoveries() - before).toBe(1);
      await steward.clock.advance(60_000);
    }
  });

  let browser: FormBrowser;
  let query: URLSearchParams;
  let forms: URLSearchParams[];
  beforeEach(async () => {
    browser = new FormBrowser(steward.url);
    query = new URL(locationOf(await browser.visit('/sign-in'))).searchParams;
    forms = [];
    issuer.requires(SECRET);
  });

  /** The issuer signs in a user, with other claims, and more in its response; returns what the callback does. */
  async function finish(claims: Record<string, unknown> = {}, parameters: Record<string, string> = {}, more: object = {}) {
    issuer.issues(async (form) => {
      forms.push(form);
      const nonce = query.get('nonce');
      return { access_token: 'x', token_type: 'Bearer', id_token: await issuer.sign('ada', { aud: 'pages', nonce, ...claims }), ...more };
    });
    const callback = new URLSearchParams({ code: 'c', state: query.get('state') ?? '', ...parameters });
    return browser.visit(`/auth/session/callback?${callback}`);
  }

  it('signs in with the client’s own ID token, which is no credential of the API', async () => {
    expect((await finish()).status).toBe(303);
    expect((await browser.visit('/approvals')).text).toContain('ada@example.com');
    expect(forms[0]?.get('code_verifier')).toMatch(/^[\w-]{43}$/);
    const own = await issuer.sign('ada', { aud: 'pages' });
    expect((await steward.call('/approvals', { token: own })).status).toBe(401);
  });

  it.each([
    [{ refresh_token: null, expires_in: null, scope: null }],
    [{ refresh_token: '', expires_in: '', scope: '' }],
    [{ scope: ['openid', 'email'], expires_in: '3600' }],
  ])('needs nothing else of the issuer’s response: %j', async (more) => {
    expect((await finish({}, {}, more)).status).toBe(303);
  });

  it('takes an ID token of an issuer whose clock is almost a minute ahead', async () => {
    const ahead = Math.floor(systemClock.now() / 1000) + 50;
    expect((await finish({ iat: ahead, nbf: ahead, auth_time: ahead })).status).toBe(303);
  });

  it.each([
    ['another nonce', { nonce: 'x'.repeat(43) }],
    ['no nonce', { nonce: undefined }],
    ['another audience', { aud: 'other' }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['an end in the past', { iat: 1, exp: 2 }],
  ])('rejects an ID token with %s', async (_what, claims) => {
    expect((await finish(claims)).status).toBe(403);
    expect(browser.cookies.has('steward_session')).toBe(false);
  });

  it('rejects an ID token that the issuer did not sign', async () => {
    const stranger = await startIssuer();
    const forged = await stranger.sign('ada', { iss: issuer.env.OIDC_ISSUER, aud: 'pages', nonce: query.get('nonce') });
    issuer.issues(async () => ({ access_token: 'x', token_type: 'Bearer', id_token: forged }));
    expect((await browser.visit(`/auth/session/callback?code=c&state=${query.get('state')}`)).status).toBe(401);
    expect(browser.cookies.has('steward_session')).toBe(false);
    await stranger.close();
  });

  describe.each([
    ['the header', {}, null],
    ['the form, where the issuer takes it there', { token_endpoint_auth_methods_supported: ['client_secret_post'] }, SECRET],
  ])('with the client’s secret in %s', (_where, discovery, inForm) => {
    beforeEach(async () => {
      issuer.publishes(discovery, []);
      // What was read before is not used any more.
      await steward.clock.advance(60_000);
    });

    it('proves its client', async () => {
      expect((await finish()).status).toBe(303);
      expect(forms.map((form) => form.get('client_secret'))).toEqual([inForm]);
    });

    it('says that the issuer did not accept it, where the issuer rejects the client', async () => {
      issuer.requires('another-secret');
      expect((await finish()).status).toBe(502);
      expect(browser.cookies.has('steward_session')).toBe(false);
    });
  });

  it('rejects the response of another issuer before the code is sent (RFC 9207)', async () => {
    expect((await finish({}, { iss: 'https://evil.example' })).status).toBe(403);
    expect(forms).toEqual([]);
  });

  it('rejects what the token endpoint rejects, and survives an issuer that is down', async () => {
    issuer.issues(async () => null);
    expect((await browser.visit(`/auth/session/callback?code=c&state=${query.get('state')}`)).status).toBe(403);
    const again = new URL(locationOf(await browser.visit('/sign-in'))).searchParams;
    issuer.goDown();
    expect((await browser.visit(`/auth/session/callback?code=c&state=${again.get('state')}`)).status).toBe(503);
    const wayOn = /href="(\/sign-in[^"]*)">Sign in again/;
    const away = new FormBrowser(steward.url);
    // Not within the minute for which the addresses are known.
    await steward.clock.advance(60_000);
    for (const [path, again] of [
      ['/sign-in?return_to=/', '/sign-in?return_to=%2F'],
      ['/sign-in?return_to=/&prompt=login', '/sign-in?return_to=%2F&amp;prompt=login'],
    ] as const) {
      const { status, text } = await away.visit(path);
      expect([status, wayOn.exec(text)?.[1]]).toEqual([503, again]);
    }
    await steward.clock.advance(-60_000);
    issuer.goUp();
    // Loaded again, it goes on.
    query = again;
    expect((await finish()).status).toBe(303);
    expect((await browser.visit('/sign-in')).status).toBe(303);
  });

  describe('with prompt=login', () => {
    beforeEach(async () => {
      query = new URL(locationOf(await browser.visit('/sign-in?prompt=login&return_to=/signed-in'))).searchParams;
    });
    const ago = (seconds: number) => Math.floor(steward.clock.now() / 1000) - seconds;

    it('asks the issuer to sign in the user anew, and leads to a page that says that the window can be closed', async () => {
      expect([query.get('prompt'), query.get('max_age')]).toEqual(['login', '300']);
      const back = await finish({ auth_time: ago(200) });
      expect([back.status, locationOf(back)]).toEqual([303, '/signed-in']);
      const { text } = await browser.visit('/signed-in');
      expect(text).toContain('You can close this window.');
      expect(text).toContain('Signed in as <bdi>ada@example.com</bdi>');
      const { session } = (await steward.call('/auth/session', { headers: { cookie: browser.cookieHeader } })).body;
      expect(Date.parse(session.signed_in_at) / 1000).toBeCloseTo(ago(200), -1);
    });

    it('leads a browser that is not signed in to the sign-in, not to the page that says that it is', async () => {
      const early = await new FormBrowser(steward.url).visit('/signed-in');
      expect([early.status, locationOf(early)]).toEqual([303, '/sign-in?return_to=%2Fsigned-in']);
      const script = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' };
      expect((await browser.visit('/signed-in', { headers: script })).status).toBe(403);
    });

    it.each([
      ['before', { auth_time: Math.floor(systemClock.now() / 1000) - 3_600 }],
      ['at a time that the issuer does not say (OpenID Connect Core, 3.1.2.1)', { auth_time: undefined }],
    ])('signs in nobody who has signed in %s', async (_when, claims) => {
      expect(await finish(claims)).toMatchObject({ status: 502, text: expect.stringContaining('did not ask you to sign in again') });
      expect(browser.cookies.has('steward_session')).toBe(false);
    });
  });

  it('asks for no new sign-in otherwise, and takes one of before', async () => {
    expect([query.get('prompt'), query.get('max_age')]).toEqual([null, null]);
    expect((await finish({ auth_time: Math.floor(systemClock.now() / 1000) - 3_600 })).status).toBe(303);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ['an address', { email: 'eve@example.com' }, 'eve@example.com', 'admits certain addresses only'],
    ['an address that is not verified', { email: 'bea@example.com', email_verified: false }, 'bea@example.com', 'no verified address'],
    ['no address', { email: undefined }, 'ada', 'no verified address'],
    ['no address, and a name of markup', { email: undefined, sub: '<b>admitted' }, '&lt;b&gt;admitted', 'no verified address'],
  ])('is refused to users whom the operator does not admit, and names another way: %s', async (_who, claims, shown, why) => {
    const closed = await startSteward({ ...issuer.env, ...CLIENT, ALLOWED_USERS: 'bea@example.com' });
    browser = new FormBrowser(closed.url);
    query = new URL(locationOf(await browser.visit('/sign-in?return_to=/'))).searchParams;
    const { status, text } = await finish(claims);
    expect([status, browser.cookies.size]).toEqual([403, 0]);
    expect(text).toContain(`You have just signed in as <bdi>${shown}</bdi>.`);
    expect(text).toContain(why);
    const [, again = ''] = /<a class="button primary" href="([^"]+)">Sign in again<\/a>/.exec(text) ?? [];
    // Not as the same user at once, by a session of the issuer.
    const next = new URL(locationOf(await browser.visit(decode(again)))).searchParams;
    expect([next.get('prompt'), again]).toEqual(['login', '/sign-in?return_to=%2F&amp;prompt=login']);
    query = next;
    expect(locationOf(await finish({ email: 'bea@example.com' }))).toBe('/');
    await closed.stop();
  });

  it.each<[string, () => Promise<string>]>([
    ['cancelled', async () => `error=access_denied&state=${query.get('state')}`],
    ['used', async () => `code=c&state=${query.get('state')}`],
    ['of another browser', async () => 'code=c&state=x'],
  ])('that was %s can be begun again', async (_what, answer) => {
    issuer.issues(async () => null);
    const { status, text } = await browser.visit(`/auth/session/callback?${await answer()}`);
    expect([status, /href="(\/sign-in[^"]*)">Sign in again/.exec(text)?.[1]]).toEqual([
      403,
      expect.stringMatching(/^\/sign-in(\?return_to=%2Fapprovals)?$/),
    ]);
    expect(text).not.toContain('You have just signed in');
    expect((await browser.visit('/sign-in')).status).toBe(303);
  });
});
