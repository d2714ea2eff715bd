import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FormBrowser } from '../../support/browser/browser.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { eventually } from '../../support/time/eventually.ts';
import { newClient } from '../../support/users/new-client.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';
import type { HttpResponse } from '../../support/users/request.ts';
import { locationOf, sessionOf } from '../../support/users/sign-in.ts';

const ACTION = 'test.notify';

let scene: ExecutorScene;
let user: ConnectedGrant;
let browser: FormBrowser;

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
});

const ask = async (input: object = { to: ['ana@example.com'] }) => String((await scene.ask(user, ACTION, input)).approvalId);
/** The form of a decision, as the page's button sends it. */
const decide = (page: HttpResponse, id: string, approved: boolean) => {
  const [deny = '', approve = ''] = page.text.split('<form').slice(1);
  const text = `<form${approved ? approve : deny}`;
  return browser.submit({ ...page, text }, `/approvals/${id}`, () => {}, { 'sec-fetch-site': 'same-origin' });
};

describe('the page of an approval', () => {
  it('shows what happens, and does it once when approved', async () => {
    const id = await ask();
    expect((await browser.visit('/approvals')).text).toContain(`<a href="/approvals/${id}"`);
    const page = await browser.visit(`/approvals/${id}`);
    expect(page.status).toBe(200);
    for (const text of ['Tell ana@example.com from someone@example.com', 'Hello.', user.email, '9 minutes left', 'UTC'])
      expect(page.text).toContain(text);
    const [who, what] = [page.text.indexOf('Who sees it'), page.text.indexOf('<dl class="fields">')];
    expect(who).toBeGreaterThan(0);
    expect(what).toBeGreaterThan(who);
    const done = await decide(page, id, true);
    expect(done).toMatchObject({ status: 200, text: expect.stringContaining('<h1>Done</h1>') });
    expect(done.text).not.toContain('<code>');
    expect(scene.sent).toBe(1);
    const again = await decide(page, id, true);
    expect(again).toMatchObject({ status: 200, text: expect.stringMatching(/You approved this on .+ UTC\. It was done\./) });
    expect(scene.sent).toBe(1);
    const decided = await browser.visit(`/approvals/${id}`);
    expect(decided).toMatchObject({ status: 200, text: expect.stringMatching(/You approved this on .+ UTC\. It was done\./) });
    expect(decided.text).toContain(ACTION);
    expect((await scene.audit(user)).find(({ decision }) => decision === 'approved')).toMatchObject({ decided_surface: 'http' });
  });

  it('shows what others wrote and was read before', async () => {
    scene.reading(200, { emailAddress: '<b>\u202emallory@example.net' });
    await scene.call(user, 'test.read');
    // Sources are stored after the result.
    await eventually(async () => (await scene.steward.sql('select 1 from context_reads where user_id = $1', [user.userId])).length > 0);
    const page = await browser.visit(`/approvals/${await ask()}`);
    expect(page.text).toContain('<h2>Read before this, written by others</h2>');
    expect(page.text).toMatch(/“Test read”, written by <q><bdi>&lt;b&gt;<span class="hidden-character">U\+202E<\/span>mallory/);
  });

  it.each([
    ['Claude Code', 'Claude Code'],
    ['<b>Bank</b>\u202egnp', '&lt;b&gt;Bank&lt;/b&gt;<span class="hidden-character">U+202E</span>gnp'],
  ])('and the list say which client asked: %j', async (name, shown) => {
    const own = await ask();
    const clientId = await newClient(scene, user, name);
    const { approvalId } = await scene.ask({ userId: user.userId, clientId }, ACTION, { to: ['ana@example.com'] });
    const asked = `Asked by an app that calls itself <q><bdi>${shown}</bdi></q>. A program on the device where you signed in.`;
    expect((await browser.visit(`/approvals/${approvalId}`)).text).toContain(
      `<p class="muted">${asked} Any program there can use this name.</p>`,
    );
    expect((await browser.visit(`/approvals/${own}`)).text).not.toMatch(/Asked by|<p><\/p>/);
    const entries = (await browser.visit('/approvals')).text.split('<li>').slice(1);
    expect(entries.map((entry) => entry.includes(asked))).toEqual([false, true]);
    expect(entries[0]).not.toContain('Asked by');
  });

  it.each([
    ['verified', 'https://app.example/metadata', 'app.example', 'From app.example.'],
    [
      'verified, and gets access elsewhere',
      'https://app.example/metadata',
      'other.example:8443',
      'From app.example. It received access at other.example:8443.',
    ],
    ['registered itself', 'abc', 'app.example', 'It registered itself, and its name is not verified. It received access at app.example.'],
    [
      'runs on a computer',
      'https://app.example/metadata',
      '127.0.0.1:33418',
      'A program on the device where you signed in, as app.example.',
    ],
    ['is an editor', 'abc', 'cursor:', 'A program on the device where you signed in.'],
    ['signed in at the operator’s own server', 'abc', null, 'It signed in at the operator’s own server.'],
  ])('and JSON say where an app is from that %s', async (_what, oauthClientId, redirectHost, about) => {
    const clientId = await newClient(scene, user, 'Bank', { oauthClientId, redirectHost });
    const { approvalId } = await scene.ask({ userId: user.userId, clientId }, ACTION, { to: ['ana@example.com'] });
    const page = await browser.visit(`/approvals/${approvalId}`);
    expect(page.text).toContain(`Asked by an app that calls itself <q><bdi>Bank</bdi></q>. ${about}`);
    const { body } = await scene.steward.call(`/approvals/${approvalId}`, { token: user.token });
    expect(body.client).toMatchObject({
      id: clientId,
      name: 'Bank',
      kind: 'oauth',
      redirect_host: redirectHost,
      about: expect.stringContaining(about),
    });
  });

  it.each([
    ['on the web', 'app.example', '<a class="button" href="https://app.example/">Back to app.example</a>'],
    ['on a computer', '127.0.0.1:33418', 'You can close this window.'],
    ['in an editor', 'cursor:', 'You can close this window.'],
  ])('leads back, after the decision, to an app %s', async (_where, redirectHost, way) => {
    const clientId = await newClient(scene, user, 'Assistant', { redirectHost });
    const { approvalId } = await scene.ask({ userId: user.userId, clientId }, ACTION, { to: ['ana@example.com'] });
    const page = await browser.visit(`/approvals/${approvalId}`);
    expect(page.text).not.toContain(way);
    expect((await decide(page, approvalId, false)).text).toContain(way);
  });

  it('say which of the user’s tokens asked', async () => {
    const { grant } = await scene.steward.context.clientTokens.create(user.userId, {
      name: 'script',
      actions: ['*'],
      access: 'write',
      days: 1,
    });
    const { approvalId } = await scene.ask({ userId: user.userId, clientId: grant.id }, ACTION, { to: ['ana@example.com'] });
    expect((await browser.visit(`/approvals/${approvalId}`)).text).toContain(
      '<p class="muted">Asked by your token <q><bdi>script</bdi></q>.</p>',
    );
  });

  it('decides nothing for a client under another name than it showed', async () => {
    const clientId = await newClient(scene, user, 'Assistant');
    const id = String((await scene.ask({ userId: user.userId, clientId }, ACTION, { to: ['ana@example.com'] })).approvalId);
    const page = await browser.visit(`/approvals/${id}`);
    await scene.steward.sql(`update client_grants set name = 'Another' where id = $1`, [clientId]);
    expect(await decide(page, id, true)).toMatchObject({ status: 409, text: expect.stringContaining('The question has changed') });
    expect(await decide(await browser.visit(`/approvals/${id}`), id, true)).toMatchObject({ status: 200 });
    expect(scene.sent).toBe(1);
  });

  it('says its times in the user’s zone', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ time_zone: 'Asia/Tokyo' });
    expect((await scene.steward.call('/user/preferences', { method: 'PATCH', token: user.token, body, headers })).status).toBe(200);
    const id = await ask();
    const page = await browser.visit(`/approvals/${id}`);
    expect(page.text).toMatch(/<strong>9 minutes left<\/strong>, until <time datetime="[^"]+">[^<]+ Tokyo time<\/time>/);
    await decide(page, id, false);
    for (const path of [`/approvals/${id}`, '/approvals']) {
      expect((await browser.visit(path)).text).toMatch(/You denied this on [^<]+ Tokyo time\. Nothing was done\./);
    }
  });

  it('of another user, or unknown, is none', async () => {
    const other = await sessionOf(scene.steward, (await scene.connect()).token);
    const id = await ask();
    for (const [of, path] of [
      [other, `/approvals/${id}`],
      [browser, '/approvals/00000000-0000-4000-8000-000000000000'],
    ] as const) {
      expect(await of.visit(path)).toMatchObject({ status: 404, text: expect.stringContaining('There is no such question') });
    }
    await decide(await browser.visit(`/approvals/${id}`), id, true);
    expect((await other.visit(`/approvals/${id}`)).status).toBe(404);
    expect((await other.visit('/approvals')).text).not.toContain(id);
  });

  it('says that it has expired, and what ended it', async () => {
    const [expired, gone] = [await ask(), await ask({ to: ['bob@example.com'] })];
    await scene.steward.sql(`update approvals set expires_at = now() - interval '1 second' where id = $1`, [expired]);
    expect((await browser.visit(`/approvals/${expired}`)).text).toMatch(/Nobody decided on this until .+ Nothing was done\./);
    await scene.steward.call(`/auth/workspace/accounts/${user.accountId}`, { method: 'DELETE', token: user.token });
    expect(await browser.visit(`/approvals/${gone}`)).toMatchObject({
      status: 200,
      text: expect.stringContaining('Its account was disconnected.'),
    });
  });

  it('denies', async () => {
    const id = await ask();
    const end = await decide(await browser.visit(`/approvals/${id}`), id, false);
    expect(end).toMatchObject({ status: 200, text: expect.stringContaining('<h1>Denied</h1>') });
    expect(scene.sent).toBe(0);
  });

  it('says what went wrong', async () => {
    const id = await ask();
    scene.sending(503, {});
    const end = await decide(await browser.visit(`/approvals/${id}`), id, true);
    expect(end.status).toBeGreaterThanOrEqual(500);
    expect(end.text).toContain('<h1>Not known</h1>');
  });

  it('is the address that the error names', async () => {
    const details = await scene.ask(user, ACTION, { to: ['ana@example.com'] });
    expect(details.url).toBe(`${scene.steward.url}/approvals/${details.approvalId}`);
    const { body } = await scene.steward.call(`/agents/${ACTION}`, {
      token: user.token,
      body: JSON.stringify({ to: ['ana@example.com'] }),
      headers: { 'content-type': 'application/json' },
    });
    expect(body).toMatchObject({ code: 'approval_required', details: { url: details.url } });
    expect(await scene.steward.context.executor.approvals(user.userId)).toMatchObject([{ url: details.url }]);
  });

  it('sends a browser that is signed out to the sign-in, a program an error', async () => {
    const id = await ask();
    browser.cookies.clear();
    for (const [method, status] of [
      ['GET', 303],
      ['POST', 200],
    ] as const) {
      const response = await browser.visit(`/approvals/${id}`, { method });
      expect(response.status).toBe(status);
      expect(locationOf(response)).toBe(`/sign-in?return_to=${encodeURIComponent(`/approvals/${id}`)}`);
    }
    expect((await scene.steward.call(`/approvals/${id}`)).body.code).toBe('invalid_token');
  });

  it('can be neither framed nor cached, and runs no script', async () => {
    const id = await ask();
    for (const path of ['/approvals', `/approvals/${id}`]) {
      const { headers, text } = await browser.visit(path);
      const policy = String(headers.get('content-security-policy'));
      for (const part of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
        expect(policy).toContain(part);
      }
      expect(policy).not.toContain('script-src');
      expect(headers.get('x-frame-options')).toMatch(/deny|sameorigin/i);
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(text).not.toMatch(/<script|\son\w+=|style=/i);
    }
  });

  it('does not decide another question than the one it showed', async () => {
    const id = await ask();
    const page = await browser.visit(`/approvals/${id}`);
    await scene.decide(user, id, { input: { to: ['ana@example.com', 'zoe@example.com'] } }).catch(() => {});
    expect(await decide(page, id, true)).toMatchObject({ status: 409, text: expect.stringContaining('The question has changed') });
    expect(scene.sent).toBe(0);
    expect(await decide(await browser.visit(`/approvals/${id}`), id, true)).toMatchObject({ status: 200 });
  });

  it.each([
    [
      'markup',
      '<script>alert(1)</script><img src=x onerror=alert(1)>',
      '&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;',
    ],
    ['quotes', `"><form action='//evil'>`, '&quot;&gt;&lt;form action=&#39;//evil&#39;&gt;'],
    ['an end of the quotation', '</blockquote><h1>Approved by Steward</h1>', '&lt;/blockquote&gt;&lt;h1&gt;Approved by Steward&lt;/h1&gt;'],
    ['right-to-left marks', 'pay \u202eeurt\u202c', 'pay <span class="hidden-character">U+202E</span>eurt'],
    ['invisible text', 'a\u200b\u{e0041}\u0007b', 'a<span class="hidden-character">U+200B and 2 more</span>b'],
    ['lines and spaces', 'one\n\n  two\tthree', 'one\n\n  two\tthree'],
  ])('shows %s as text', async (_what, text, shown) => {
    const id = await ask({ to: ['ana@example.com'], text });
    const page = await browser.visit(`/approvals/${id}`);
    expect(page.text).toContain(shown);
    expect(page.text.match(/<h1>/g)).toHaveLength(1);
    expect(page.text.match(/<form/g)).toHaveLength(3);
  });

  it('shows 200 kB in full, and says how much more is left out', async () => {
    const long = await ask({ to: ['ana@example.com'], text: `${'x'.repeat(200_000)}END` });
    expect((await browser.visit(`/approvals/${long}`)).text).toContain('xEND</blockquote>');
    const longer = await ask({ to: ['ana@example.com'], text: `${'y'.repeat(900_000)}END` });
    const page = await browser.visit(`/approvals/${longer}`);
    expect(page.text).toMatch(/600,\d{3} more characters are not shown here\./);
    expect(page.text.length).toBeLessThan(400_000);
  });

  it('stays small when a text is full of hidden characters', async () => {
    const page = await browser.visit(`/approvals/${await ask({ to: ['ana@example.com'], text: 'a\u200b'.repeat(100_000) })}`);
    expect(page.text).toContain('a\ufffda\ufffda');
    expect(page.text.length).toBeLessThan(700_000);
  });

  it('takes hundreds of recipients and names of strangers', async () => {
    const to = Array.from({ length: 500 }, (_, index) => `<b>\u202e${index}@example.com`);
    const page = await browser.visit(`/approvals/${await ask({ to })}`);
    expect(page.text).toContain('and 300 more');
    expect(page.text).not.toContain('<b>');
    expect(page.text).not.toContain('\u202e');
  });
});
