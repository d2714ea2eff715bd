import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FormBrowser } from '../../support/browser/browser.ts';
import {
  answerConfirmation,
  connect,
  connectUnbound,
  consent,
  exchanges,
  liveTokens,
  newName,
  openConsent,
  outcome,
  sweepNow,
  workspaceAccounts,
} from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { expectError } from '../../support/users/expect-error.ts';
import type { HttpResponse } from '../../support/users/request.ts';
import { locationOf } from '../../support/users/sign-in.ts';

const DONE = 'https://app.example/done';
const CONFIRM = '/auth/workspace/confirm';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward({ ALLOWED_REDIRECT_URIS: DONE });
});

afterAll(() => steward.stop());

/** A flow of a new user in a browser without the cookie, at the confirmation page. */
async function asked(options: Parameters<typeof connectUnbound>[1] = {}) {
  const email = options.email ?? `${newName()}@example.com`;
  const token = options.token ?? (await steward.signIn(newName()));
  return { ...(await connectUnbound(steward, { redirectUri: DONE, ...options, email, token })), email };
}

function secretOf(page: HttpResponse): string {
  return /name="confirmation" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
}

function post(fields: Record<string, string>, headers: Record<string, string> = {}) {
  return steward.call(CONFIRM, { form: fields, headers });
}

/** Makes the confirmation page expire. */
async function expire(page: HttpResponse): Promise<void> {
  expect(page.status).toBe(200);
  const rows = await steward.sql(
    `update oauth_flows set confirmation_expires_at = now() - interval '1 millisecond'
     where id = (select id from oauth_flows where pending is not null order by created_at desc limit 1) returning id`,
  );
  expect(rows).toHaveLength(1);
}

async function nothingLeft(email: string): Promise<void> {
  await eventually(async () => expect(await liveTokens(steward, email)).toEqual({ access: 0, refresh: 0 }));
  await eventually(async () => expect(await steward.sql('select id from revocations')).toEqual([]));
}

describe('the confirmation page', () => {
  it('names user and account, and its policy allows only this service', async () => {
    const user = newName();
    const { page, email } = await asked({ token: await steward.signIn(user) });
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.headers.get('cache-control')).toBe('no-store');
    const question = `Connect the workspace account <strong><bdi>${email}</bdi></strong> to the Steward user <strong><bdi>${user}@example.com</bdi></strong>?`;
    expect(page.text).toContain(question);
    expect(page.text).toContain('Continue only if you started this.');
    expect(page.text).not.toContain('<script');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining(["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'"]),
    );
    expect(page.headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('names the address once if user and account have the same', async () => {
    const user = newName();
    const { page, email } = await asked({ token: await steward.signIn(user), email: `${user}@example.com` });
    expect(page.text).toContain(
      `Connect the workspace account <strong><bdi>${email}</bdi></strong> to the Steward user with the same address?`,
    );
    expect(page.text.split(email)).toHaveLength(2);
  });

  it('sets its own cookie for ten minutes, and never the binding cookie', async () => {
    const { page } = await asked();
    expect(page.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^steward_confirmation_[\w-]{16}=[\w-]{43}; Max-Age=600; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/),
    ]);
    expect(page.text).not.toContain(/=([\w-]{43});/.exec(page.headers.getSetCookie()[0] ?? '')?.[1]);
  });

  it('can be answered for ten minutes', async () => {
    expect((await asked()).page.status).toBe(200);
    const held = await steward.sql(
      `select confirmation_expires_at between consumed_at + interval '10 minutes' and now() + interval '10 minutes' as "isTenMinutes"
       from oauth_flows where pending is not null order by created_at desc limit 1`,
    );
    expect(held).toEqual([{ isTenMinutes: true }]);
  });

  it('is also shown to a browser whose binding has expired', async () => {
    const email = `${newName()}@example.com`;
    const { browser, consentUrl, token } = await openConsent(steward, { token: await steward.signIn(newName()), email });
    const callbackUrl = await consent(browser, consentUrl, { email });
    const expired = await steward.sql(
      `update browser_bindings set expires_at = now() - interval '1 second'
       where user_id = (select user_id from oauth_flows order by created_at desc limit 1) returning 1`,
    );
    expect(expired).toHaveLength(1);
    expect((await browser.visit(callbackUrl)).status).toBe(200);
    expect(await workspaceAccounts(steward, token)).toEqual([]);
  });

  it('escapes its content', async () => {
    const { page } = await asked({ email: `o'brien@example.com` });
    expect(page.text).toContain('<strong><bdi>o&#39;brien@example.com</bdi></strong>');
  });

  it('activates nothing before the user’s decision', async () => {
    const { token } = await asked();
    expect(await workspaceAccounts(steward, token)).toEqual([]);
    expect((await steward.call('/integrations', { token })).body.workspace).toEqual({ connected: false, needs_attention: 0 });
  });

  it('is the same for every callback of the browser with the code, concurrently and later', async () => {
    const email = `${newName()}@example.com`;
    const token = await steward.signIn(newName());
    const { body } = await steward.call('/workspace_access_request', { token, form: { email } });
    const browser = new FormBrowser(steward.url);
    const login = await browser.visit(body.login_url);
    const callbackUrl = await consent(browser, login.headers.get('location') ?? '', { email });
    const before = await exchanges(steward);
    const pages = await Promise.all(Array.from({ length: 10 }, () => browser.visit(callbackUrl)));
    pages.push(await browser.visit(callbackUrl));
    expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(pages.map(({ text }) => text)).size).toBe(1);
    expect(await exchanges(steward)).toBe(before + 1);
    expect(outcome(await answerConfirmation(browser, pages[3]!, 'confirm')).status).toBe('connected');
  });

  it('is not shown for the state alone', async () => {
    const { callbackUrl } = await asked();
    const guessed = new URL(callbackUrl);
    guessed.searchParams.set('code', '4/guessed');
    const response = await steward.call(guessed.href);
    expect(outcome(response)).toEqual({ integration: 'workspace', status: 'error', code: 'expired' });
    expect(response.headers.getSetCookie()).toEqual([]);
  });
});

describe('POST /auth/workspace/confirm', () => {
  it('connects, and answers a browser with a page that leads to the flow’s end', async () => {
    const { browser, page, token, email } = await asked();
    const response = await answerConfirmation(browser, page, 'confirm');
    expect(response.status).toBe(200);
    expect(response.headers.get('location')).toBeNull();
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('content-security-policy')).toContain("form-action 'self';");
    expect(response.text).not.toContain('<script');
    const accounts = await workspaceAccounts(steward, token);
    expect(accounts).toMatchObject([{ email, default: true, status: 'active' }]);
    const end = `${DONE}?integration=workspace&status=connected&account_id=${accounts[0]?.id}`;
    expect(locationOf(response)).toBe(end);
    expect(response.text).toContain(`<a href="${end.replaceAll('&', '&amp;')}">`);
  });

  it('redirects other clients with an empty body', async () => {
    const { browser, page } = await asked();
    const accept = { accept: '*/*' };
    const response = await browser.submit(page, CONFIRM, (fields) => fields.set('decision', 'cancel'), accept);
    expect([response.status, response.text]).toEqual([303, '']);
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('location')).toBe(`${DONE}?integration=workspace&status=error&code=access_denied`);
  });

  it('of another account than requested connects the one that was shown', async () => {
    const token = await steward.signIn(newName());
    const chosen = `${newName()}@example.com`;
    const { browser, callback } = await connect(steward, { token, email: 'demo@example.com', chosen });
    expect(outcome(await answerConfirmation(browser, callback, 'confirm')).status).toBe('connected');
    expect((await workspaceAccounts(steward, token)).map(({ email }) => email)).toEqual([chosen]);
  });

  it('is rejected from another browser, and the page stays valid', async () => {
    const { browser, page, token } = await asked();
    expectError(await post({ confirmation: secretOf(page), decision: 'confirm' }), 'forbidden');
    const stranger = await asked();
    const response = await stranger.browser.visit(CONFIRM, {
      form: { confirmation: secretOf(page), decision: 'confirm' },
      headers: { accept: 'application/json' },
    });
    expectError(response, 'forbidden');
    expect(await workspaceAccounts(steward, token)).toEqual([]);
    expect(outcome(await answerConfirmation(browser, page, 'confirm')).status).toBe('connected');
  });

  it('is rejected with a cookie of one flow and the form of another', async () => {
    const [one, two] = [await asked(), await asked()];
    const [cookie = ''] = [...two.browser.cookies.values()];
    const name = `steward_confirmation_${secretOf(one.page).slice(0, 16)}`;
    const response = await post({ confirmation: secretOf(one.page), decision: 'confirm' }, { cookie: `${name}=${cookie}` });
    expectError(response, 'forbidden');
    expect(await workspaceAccounts(steward, one.token)).toEqual([]);
  });

  it('twice, or ten times concurrently, returns the recorded outcome', async () => {
    const { browser, page, token } = await asked();
    const responses = await Promise.all(Array.from({ length: 10 }, () => answerConfirmation(browser, page, 'confirm')));
    responses.push(await answerConfirmation(browser, page, 'confirm'), await answerConfirmation(browser, page, 'cancel'));
    expect(outcome(responses[0]!).status).toBe('connected');
    expect(new Set(responses.map(locationOf)).size).toBe(1);
    expect(await workspaceAccounts(steward, token)).toHaveLength(1);
  });

  it('a later callback gets its outcome', async () => {
    const { browser, page, callbackUrl } = await asked();
    const response = await answerConfirmation(browser, page, 'confirm');
    expect(locationOf(await browser.visit(callbackUrl))).toBe(locationOf(response));
  });

  it('accepts two pages in one browser, in any order', async () => {
    const token = await steward.signIn(newName());
    const first = await asked({ token });
    const second = await asked({ token, browser: first.browser });
    expect(outcome(await answerConfirmation(first.browser, first.page, 'confirm')).status).toBe('connected');
    expect(outcome(await answerConfirmation(first.browser, second.page, 'confirm')).status).toBe('connected');
    expect((await workspaceAccounts(steward, token)).map(({ email }) => email)).toEqual([first.email, second.email]);
  });

  it('cancelled is access_denied: it connects no account and revokes the tokens', async () => {
    const { browser, page, token, email } = await asked();
    expect(await liveTokens(steward, email)).toEqual({ access: 1, refresh: 1 });
    const response = await answerConfirmation(browser, page, 'cancel');
    expect(locationOf(response)).toBe(`${DONE}?integration=workspace&status=error&code=access_denied`);
    expect(outcome(await answerConfirmation(browser, page, 'confirm')).code).toBe('access_denied');
    expect(await workspaceAccounts(steward, token)).toEqual([]);
    await nothingLeft(email);
  });

  it('cancelled is account_mismatch if it was another account than requested', async () => {
    const chosen = `${newName()}@example.com`;
    const token = await steward.signIn(newName());
    const { browser, callback } = await connect(steward, { token, email: 'demo@example.com', chosen, redirectUri: DONE });
    const response = await answerConfirmation(browser, callback, 'cancel');
    expect(locationOf(response)).toBe(`${DONE}?integration=workspace&status=error&code=account_mismatch`);
    await nothingLeft(chosen);
  });

  it('cancelled does not change an account that is connected already', async () => {
    const { browser, page, token, email } = await asked();
    await answerConfirmation(browser, page, 'confirm');
    const again = await asked({ token, email });
    await answerConfirmation(again.browser, again.page, 'cancel');
    await eventually(async () => expect(await steward.sql('select id from revocations')).toEqual([]));
    expect(await liveTokens(steward, email)).toEqual({ access: 2, refresh: 2 });
    expect(await workspaceAccounts(steward, token)).toMatchObject([{ email, status: 'active' }]);
  });

  it('after ten minutes is too late: expired, deleted by the sweep, and revoked', async () => {
    const { browser, page, callbackUrl, token, email } = await asked();
    await expire(page);
    expect(outcome(await answerConfirmation(browser, page, 'confirm')).code).toBe('expired');
    expect(outcome(await browser.visit(callbackUrl)).code).toBe('expired');
    expect(await workspaceAccounts(steward, token)).toEqual([]);
    await sweepNow(steward);
    await nothingLeft(email);
    expect(await steward.sql('select id from oauth_flows where pending is not null and confirmation_expires_at <= now()')).toEqual([]);
    expect(outcome(await answerConfirmation(browser, page, 'confirm')).code).toBe('expired');
  });

  it.each([
    ['no form', {}],
    ['no decision', { confirmation: 'x' }],
    ['another decision', { confirmation: 'x', decision: 'yes' }],
    ['a secret of over 100 characters', { confirmation: 'x'.repeat(101), decision: 'confirm' }],
  ])('rejects %s', async (_name, fields) => {
    expectError(await post(fields), 'invalid_request');
  });

  it('rejects GET with 405', async () => {
    const response = await steward.call(CONFIRM);
    expectError(response, 'method_not_allowed');
    expect(response.headers.get('allow')).toBe('POST');
  });
});

describe('a victim of phishing', () => {
  it('who opens an attacker’s link sees whose assistant it is, and discloses nothing by closing the page', async () => {
    const [attacker, victim] = [newName(), newName()];
    const attackerToken = await steward.signIn(attacker);
    const email = `${victim}@example.com`;
    const browser = new FormBrowser(steward.url);
    await browser.visit('/workspace_access_request', { token: await steward.signIn(victim), form: { email } });
    const link = `/auth/workspace/login?${new URLSearchParams({ token: attackerToken, email })}`;
    const login = await browser.visit(link);
    const page = await browser.visit(await consent(browser, login.headers.get('location') ?? '', { email }));
    expect(page.status).toBe(200);
    expect(page.text).toContain(`<strong><bdi>${attacker}@example.com</bdi></strong>`);
    expect(await workspaceAccounts(steward, attackerToken)).toEqual([]);
    await expire(page);
    await sweepNow(steward);
    await nothingLeft(email);
  });

  it('whose callback URL the attacker opens in a bound browser connects only what was consented there', async () => {
    const attackerToken = await steward.signIn(newName());
    const email = `${newName()}@example.com`;
    const attacker = new FormBrowser(steward.url);
    const { body } = await attacker.visit('/workspace_access_request', { token: attackerToken, form: { email } });
    const victim = new FormBrowser(steward.url);
    const login = await victim.visit(body.login_url);
    const callbackUrl = await consent(victim, login.headers.get('location') ?? '', { email });
    const page = await victim.visit(callbackUrl);
    expect(page.status).toBe(200);
    const withoutCode = new URL(callbackUrl);
    withoutCode.searchParams.delete('code');
    expect(outcome(await attacker.visit(withoutCode.href)).status).toBe('error');
    expect(await workspaceAccounts(steward, attackerToken)).toEqual([]);
  });
});
