import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FormBrowser } from '../../support/browser/browser.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';
import { locationOf, sessionOf } from '../../support/users/sign-in.ts';

const ACTION = 'test.notify';
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';

let scene: ExecutorScene;
let user: ConnectedGrant;
let browser: FormBrowser;
let id: string;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  scene.policies.set(ACTION, { approval: 'destructive' });
  scene.sending(200);
  user = await scene.connect();
  browser = await sessionOf(scene.steward, user.token);
  id = String((await scene.ask(user, ACTION, { to: ['ana@example.com'] })).approvalId);
});

/** The hidden fields of a page's form that approves; of a page without one, of its first form. */
async function fieldsOf(where: FormBrowser, path = `/approvals/${id}`): Promise<Record<string, string>> {
  const { text } = await where.visit(path);
  const [, form = ''] = text.split(text.includes('<form id="approve"') ? '<form id="approve"' : '<form');
  return Object.fromEntries([...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]));
}
const isPending = async () => (await scene.steward.call(`/approvals/${id}`, { token: user.token })).status === 200;
const post = (form: Record<string, string>, headers: Record<string, string>, where = browser) =>
  where.visit(`/approvals/${id}`, { form, headers });

describe('a decision by a session', () => {
  it.each<[string, Record<string, string>]>([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another site that hides its origin', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['a subdomain', { origin: 'http://sub.127.0.0.1', 'sec-fetch-site': 'same-site' }],
    ['another port of this machine, which CORS admits in development', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['an opaque origin, from an old browser', { origin: 'null' }],
    ['nowhere', {}],
    ['a bookmark', { 'sec-fetch-site': 'none' }],
    ['an origin that contradicts', { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }],
  ])('is not made from %s, even with a stolen form', async (_where, headers) => {
    const response = await post(await fieldsOf(browser), headers);
    expect(response).toMatchObject({ status: 403, text: expect.stringContaining('forbidden') });
    expect(await isPending()).toBe(true);
    expect(scene.sent).toBe(0);
  });

  it.each<[string, Record<string, string>]>([
    ['a modern browser', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
    ['one without Sec-Fetch-Site', { origin: 'OWN' }],
  ])('is made by the page’s form in %s', async (_which, headers) => {
    const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('OWN', scene.steward.url)]));
    expect((await post(await fieldsOf(browser), own)).status).toBe(200);
    expect(scene.sent).toBe(1);
  });

  it('is not made without the form’s token, with another session’s, or with one of another time', async () => {
    const own = { 'sec-fetch-site': 'same-origin', origin: scene.steward.url };
    const { csrf, ...rest } = await fieldsOf(browser);
    const second = await sessionOf(scene.steward, user.token);
    const stolen = (await fieldsOf(second)).csrf as string;
    for (const token of [undefined, '', 'x', stolen, `${csrf}x`, csrf?.slice(1)]) {
      const response = await post({ ...rest, ...(token !== undefined && { csrf: token }) }, own);
      // To the question with the token of this session: another sign-in in another tab has ended the form's.
      expect([response.status, locationOf(response)], token).toEqual([403, `/approvals/${id}`]);
    }
    for (const body of ['{"approved":true}', `{"approved":true,"csrf":["${csrf}"]}`, `{"approved":true,"csrf":"${stolen}"}`]) {
      const response = await browser.visit(`/approvals/${id}`, { body, headers: { ...own, 'content-type': JSON_TYPE } });
      expect(response.status, body).toBe(403);
    }
    expect(await isPending()).toBe(true);
    // The token alone does not say which question was shown.
    expect((await post({ csrf: csrf as string, approved: 'true' }, own)).status).toBe(409);
    const json = JSON.stringify({ approved: true, csrf, shown: rest.shown });
    const decided = await browser.visit(`/approvals/${id}`, {
      body: json,
      headers: { ...own, 'content-type': JSON_TYPE, accept: JSON_TYPE },
    });
    expect(decided).toMatchObject({ status: 200, body: { data: { id: 'm1' } } });
    // Reused: the page says how it ended.
    expect((await post({ ...rest, csrf: csrf as string }, own)).text).toContain('You approved this on');
    expect(scene.sent).toBe(1);
  });

  it('is made once by a double click, whose second answer says how it ended', async () => {
    const form = await fieldsOf(browser);
    const own = { 'sec-fetch-site': 'same-origin', origin: scene.steward.url };
    const ends = await Promise.all([1, 2, 3].map(() => post(form, own)));
    expect(ends.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const { text } of ends) expect(text).toMatch(/You approved (it, and it was done|this on .+ It (is running|was done))\./);
    expect(scene.sent).toBe(1);
  });

  it('is not one of another user, who sees nothing either', async () => {
    const other = await sessionOf(scene.steward, (await scene.connect()).token);
    expect((await other.visit('/approvals')).text).toContain('Nothing waits for your decision.');
    expect((await other.visit(`/approvals/${id}`)).status).toBe(404);
    const { shown } = await fieldsOf(browser);
    const { csrf } = await fieldsOf(other, '/approvals');
    const response = await post(
      { csrf: csrf as string, shown: shown as string, approved: 'true' },
      { 'sec-fetch-site': 'same-origin' },
      other,
    );
    expect(response.status).toBe(404);
    expect(await isPending()).toBe(true);
  });

  it('is not seen by scripts of other origins, which CORS admits', async () => {
    const headers = { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' };
    expect((await browser.visit(`/approvals/${id}`, { headers })).status).toBe(403);
    expect((await browser.visit('/approvals', { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' } })).status).toBe(
      403,
    );
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await browser.visit(`/approvals/${id}`, { headers: link })).status).toBe(200);
  });
});

describe('a personal access token', () => {
  it('approves nothing in 100 tries, also together with a session', async () => {
    const { token } = await scene.steward.context.clientTokens.create(user.userId, { name: 'x', actions: ['*'], access: 'write', days: 1 });
    const { csrf = '', shown = '' } = await fieldsOf(browser);
    const session = { cookie: `steward_session=${browser.cookies.get('steward_session')}` };
    const tries = [];
    for (const path of [`/approvals/${id}`, '/approvals', `/approvals/${id}/decision`, '/auth/session', '/sign-out'])
      for (const method of ['POST', 'GET', 'DELETE'])
        for (const authorization of [token, `Bearer ${token}`, `bearer  ${token}`, ` ${token} `])
          for (const cookie of [{}, session]) tries.push({ path, method, authorization, cookie });
    expect(tries.length).toBeGreaterThanOrEqual(100);
    const decision = { approved: 'true', csrf, shown };
    for (const { path, method, authorization, cookie } of tries) {
      const headers = { authorization, ...cookie, 'sec-fetch-site': 'same-origin', origin: scene.steward.url, 'x-csrf-token': csrf };
      for (const [type, body] of [
        [FORM, new URLSearchParams(decision).toString()],
        [JSON_TYPE, JSON.stringify({ ...decision, approved: true })],
      ] as const) {
        const sent = path === '/auth/session' ? '' : body;
        const response = await scene.steward.call(path, {
          method,
          headers: { ...headers, 'content-type': type },
          ...(method !== 'GET' && sent !== '' && { body: sent }),
        });
        expect(response.headers.getSetCookie()).toEqual([]);
        // It answers everyone, and with a token it is about nobody.
        if (`${method} ${path}` === 'GET /auth/session') {
          expect(response.body.session).toBeNull();
          continue;
        }
        expect(response.status, `${method} ${path} ${authorization.slice(0, 8)}`).toBeGreaterThanOrEqual(403);
        expect(response.status).toBeLessThan(406);
      }
    }
    const asCookie = await scene.steward.call(`/approvals/${id}`, { headers: { cookie: `steward_session=${token}` } });
    expect(asCookie.status).toBe(401);
    for (const query of [`?token=${token}`, `?access_token=${token}`]) {
      expect((await scene.steward.call(`/approvals/${id}${query}`)).status).toBe(401);
    }
    expect(await isPending()).toBe(true);
    expect(scene.sent).toBe(0);
    const seen = await scene.steward.call(`/approvals/${id}`, { token });
    expect(seen).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  });
});
