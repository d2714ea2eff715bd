import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  connect,
  connectUnbound,
  consent,
  exchanges,
  liveTokens,
  newName,
  openConsent,
  outcome,
  workspaceAccounts,
} from '../../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { advancing } from '../../support/time/advancing.ts';
import { eventually } from '../../support/time/eventually.ts';

const DONE = 'http://localhost:5173/done?keep=1';
const CALLBACK = '/auth/workspace/callback';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});

afterAll(() => steward.stop());
afterEach(async () => {
  await steward.control('faults/clear', {});
  await steward.control('workspace', { omit_refresh_token: false, omit_id_token: false });
});

/** A new user at the point where the provider sends the browser back. */
async function approved(options: Parameters<typeof openConsent>[1] = {}) {
  const email = options.email ?? `${newName()}@example.com`;
  const token = await steward.signIn(newName());
  const opened = await openConsent(steward, { redirectUri: DONE, token, ...options, email });
  const callbackUrl = await consent(opened.browser, opened.consentUrl, { ...options, email });
  return { ...opened, email, callbackUrl };
}

/** The address with other query parameters; null removes one. */
function altered(url: string, change: Record<string, string | null>): string {
  const result = new URL(url);
  for (const [name, value] of Object.entries(change)) {
    if (value === null) result.searchParams.delete(name);
    else result.searchParams.set(name, value);
  }
  return result.href;
}

function stateHash(url: string): Buffer {
  return createHash('sha256')
    .update(new URL(url).searchParams.get('state') ?? '')
    .digest();
}

/** The row of the flow an address belongs to. */
async function row(url: string): Promise<Record<string, unknown> | undefined> {
  return (await steward.sql<Record<string, unknown>>('select * from oauth_flows where state_hash = $1', [stateHash(url)]))[0];
}

async function alter(url: string, change: string): Promise<void> {
  expect(await steward.sql(`update oauth_flows set ${change} where state_hash = $1 returning id`, [stateHash(url)])).toHaveLength(1);
}

describe('GET /auth/workspace/callback', () => {
  it('redirects with an empty response that is neither cached nor disclosed', async () => {
    const { browser, callbackUrl } = await approved();
    const response = await browser.visit(callbackUrl);
    expect(response.status).toBe(303);
    expect(response.text).toBe('');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('location')).toMatch(
      /^http:\/\/localhost:5173\/done\?keep=1&integration=workspace&status=connected&account_id=[0-9a-f-]{36}$/,
    );
  });

  it.each([
    ['no query', ''],
    ['no state', '?code=4%2Fabc'],
    ['an unknown state', `?state=${'x'.repeat(43)}&code=4%2Fabc`],
    ['an unknown state and an error', '?state=x&error=access_denied'],
  ])('with %s redirects to the default page as expired', async (_name, query) => {
    const before = await exchanges(steward);
    const response = await steward.call(`${CALLBACK}${query}`);
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(`${steward.url}/?integration=workspace&status=error&code=expired`);
    expect(await exchanges(steward)).toBe(before);
  });

  it.each([
    ['the state twice', '?state=a&state=b&code=c'],
    ['the code twice', '?state=a&code=b&code=c'],
    ['NUL in the state', '?state=a%00&code=b'],
    ['a code of over 4,096 characters', `?state=a&code=${'b'.repeat(4097)}`],
  ])('rejects %s', async (_name, query) => {
    const response = await steward.call(`${CALLBACK}${query}`);
    expect(response.status).toBe(400);
    expect(response.body.code).toBe('invalid_request');
    expect(response.headers.get('location')).toBeNull();
  });

  it.each([
    ['HEAD', { method: 'HEAD' }],
    ['a prefetch', { headers: { 'sec-purpose': 'prefetch' } }],
    ['POST', { method: 'POST' }],
  ])('rejects %s with 405 and does not change the flow', async (_name, options) => {
    const { browser, callbackUrl } = await approved();
    const response = await browser.visit(callbackUrl, options);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET');
    expect(outcome(await browser.visit(callbackUrl)).status).toBe('connected');
  });

  it('of an expired flow redirects to its redirect_uri as expired, without an exchange', async () => {
    const { browser, callbackUrl, token } = await approved();
    await alter(callbackUrl, `expires_at = now() - interval '1 millisecond'`);
    const before = await exchanges(steward);
    const response = await browser.visit(callbackUrl);
    expect(response.headers.get('location')).toBe(`${DONE}&integration=workspace&status=error&code=expired`);
    expect(await exchanges(steward)).toBe(before);
    expect(await workspaceAccounts(steward, token)).toEqual([]);
  });

  it('repeated returns the same outcome without an exchange', async () => {
    const { browser, callbackUrl, token } = await approved();
    const first = await browser.visit(callbackUrl);
    const before = await exchanges(steward);
    const again = await browser.visit(callbackUrl);
    const elsewhere = await steward.call(callbackUrl);
    expect(outcome(first).status).toBe('connected');
    for (const response of [again, elsewhere]) {
      expect(response.status).toBe(303);
      expect(response.headers.get('location')).toBe(first.headers.get('location'));
    }
    expect(await exchanges(steward)).toBe(before);
    expect(await workspaceAccounts(steward, token)).toHaveLength(1);
  });

  it('exchanges once for fifty concurrent callbacks, which all get the same outcome', async () => {
    const { browser, callbackUrl, token, email } = await approved();
    await steward.control('faults', { part: 'workspace', path: '/token', kind: 'delay', ms: 300, times: 1 });
    const before = await exchanges(steward);
    const responses = await Promise.all(Array.from({ length: 50 }, () => browser.visit(callbackUrl)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([303]));
    expect(new Set(responses.map(({ headers }) => headers.get('location'))).size).toBe(1);
    expect(outcome(responses[0]!).status).toBe('connected');
    expect(await exchanges(steward)).toBe(before + 1);
    expect(await workspaceAccounts(steward, token)).toHaveLength(1);
    expect(await liveTokens(steward, email)).toEqual({ access: 1, refresh: 1 });
  });

  it('of a flow whose process was killed after the claim ends as expired, with nothing half done', async () => {
    const { browser, callbackUrl, token } = await approved();
    await alter(callbackUrl, `consumed_at = now() - interval '46 seconds', secrets = null`);
    const before = await exchanges(steward);
    expect(outcome(await browser.visit(callbackUrl))).toMatchObject({ status: 'error', code: 'expired' });
    expect(await exchanges(steward)).toBe(before);
    expect(await workspaceAccounts(steward, token)).toEqual([]);
    expect(outcome((await connect(steward, { token, browser })).callback).status).toBe('connected');
  });

  it('deletes verifier, nonce and state once claimed', async () => {
    const { browser, callbackUrl } = await approved();
    await browser.visit(callbackUrl);
    expect(await row(callbackUrl)).toMatchObject({ secrets: null, pending: null });
  });
});

describe('the provider’s rejection at the callback', () => {
  it.each([
    ['access_denied', 'access_denied'],
    ['admin_policy_enforced', 'provider_error'],
    ['org_internal', 'provider_error'],
    ['<script>', 'provider_error'],
  ])('%s ends as %s without an exchange, even beside a code', async (error, code) => {
    const { browser, callbackUrl, token } = await approved();
    const before = await exchanges(steward);
    const response = await browser.visit(altered(callbackUrl, { error }));
    expect(response.headers.get('location')).toBe(`${DONE}&integration=workspace&status=error&code=${code}`);
    expect(outcome(await browser.visit(callbackUrl)).code).toBe(code);
    expect(await exchanges(steward)).toBe(before);
    expect(await workspaceAccounts(steward, token)).toEqual([]);
  });

  it('is access_denied when the user presses Deny', async () => {
    const { browser, callbackUrl } = await approved({ decision: 'deny' });
    expect(outcome(await browser.visit(callbackUrl))).toMatchObject({ status: 'error', code: 'access_denied' });
  });

  it.each([
    ['another issuer', { iss: 'https://evil.example' }],
    ['an empty issuer', { iss: '' }],
    ['the issuer with a slash more', { iss: 'https://accounts.sandbox.invalid/' }],
  ])('never sends the code if the response is from %s', async (_name, change) => {
    const { browser, callbackUrl, token } = await approved();
    const before = await exchanges(steward);
    const response = await browser.visit(altered(callbackUrl, change));
    if (response.status !== 400) expect(outcome(response)).toMatchObject({ status: 'error', code: 'provider_error' });
    expect(await exchanges(steward)).toBe(before);
    expect(await workspaceAccounts(steward, token)).toEqual([]);
  });

  it('accepts a response without an issuer, which is optional', async () => {
    const { browser, callbackUrl } = await approved();
    expect(outcome(await browser.visit(altered(callbackUrl, { iss: null }))).status).toBe('connected');
  });

  it('a response without a code is provider_error', async () => {
    const { browser, callbackUrl } = await approved();
    expect(outcome(await browser.visit(altered(callbackUrl, { code: null })))).toMatchObject({ code: 'provider_error' });
  });

  it('a code of another flow is provider_error: it does not match the verifier', async () => {
    const attacker = await approved();
    const victim = await approved();
    const injected = altered(victim.callbackUrl, { code: new URL(attacker.callbackUrl).searchParams.get('code') });
    expect(outcome(await victim.browser.visit(injected))).toMatchObject({ status: 'error', code: 'provider_error' });
    expect(await workspaceAccounts(steward, victim.token)).toEqual([]);
  });
});

describe('scopes at the callback', () => {
  it('that the user unticked are named in the redirect and in the list', async () => {
    const { browser, callbackUrl, token } = await approved({ untick: ['/drive', '/gmail.send'] });
    const response = await browser.visit(callbackUrl);
    expect(outcome(response)).toMatchObject({ status: 'connected', missing_scopes: 'mail.send,drive' });
    expect(await workspaceAccounts(steward, token)).toMatchObject([{ status: 'active', missing_scopes: ['mail.send', 'drive'] }]);
  });

  it('docs is never missed, since drive covers it', async () => {
    const { browser, callbackUrl, token } = await approved({ untick: ['/docs'] });
    expect(outcome(await browser.visit(callbackUrl))).not.toHaveProperty('missing_scopes');
    expect(await workspaceAccounts(steward, token)).toMatchObject([{ missing_scopes: [] }]);
  });

  it('granted the next time are no longer missing', async () => {
    const email = `${newName()}@example.com`;
    const { browser, callbackUrl, token } = await approved({ email, untick: ['/drive'] });
    await browser.visit(callbackUrl);
    const again = await connect(steward, { token, email, browser });
    expect(outcome(again.callback)).not.toHaveProperty('missing_scopes');
    expect(await workspaceAccounts(steward, token)).toMatchObject([{ email, missing_scopes: [] }]);
  });
});

describe('no refresh token at the callback', () => {
  it('is no_refresh_token for a new account, and its tokens are revoked', async () => {
    await steward.control('workspace', { omit_refresh_token: true });
    const { browser, callbackUrl, token, email } = await approved();
    const response = await browser.visit(callbackUrl);
    expect(response.headers.get('location')).toBe(`${DONE}&integration=workspace&status=error&code=no_refresh_token`);
    expect(await workspaceAccounts(steward, token)).toEqual([]);
    await eventually(async () => expect(await liveTokens(steward, email)).toEqual({ access: 0, refresh: 0 }));
  });

  it('keeps the stored one of an account that is connected', async () => {
    const { browser, callbackUrl, token, email } = await approved();
    const first = outcome(await browser.visit(callbackUrl));
    await steward.control('workspace', { omit_refresh_token: true });
    const again = await connect(steward, { token, email, browser });
    expect(outcome(again.callback)).toMatchObject({ status: 'connected', account_id: first.account_id });
    expect(await liveTokens(steward, email)).toEqual({ access: 2, refresh: 1 });
  });

  it('is no_refresh_token if the stored one is no longer valid', async () => {
    const { browser, callbackUrl, token, email } = await approved();
    const { account_id: id } = outcome(await browser.visit(callbackUrl));
    await steward.sql(`update grants g set status = 'reauth_required' from workspace_accounts a where a.grant_id = g.id and a.id = $1`, [
      id,
    ]);
    await steward.control('workspace', { omit_refresh_token: true });
    const again = await connect(steward, { token, email, browser });
    expect(outcome(again.callback)).toMatchObject({ status: 'error', code: 'no_refresh_token' });
    expect(await workspaceAccounts(steward, token)).toMatchObject([{ id, status: 'reauth_required' }]);
    await steward.control('workspace', { omit_refresh_token: false });
    // The revocation of what was not stored ends every token and code of the account, also those of the next consent.
    await eventually(async () => expect(await liveTokens(steward, email)).toEqual({ access: 0, refresh: 0 }));
    expect(outcome((await connect(steward, { token, email, browser })).callback)).toMatchObject({ status: 'connected', account_id: id });
    expect(await workspaceAccounts(steward, token)).toMatchObject([{ id, status: 'active' }]);
  });
});

describe('a fault of the provider at the callback', () => {
  const FAULTS = [
    ['a web page', { kind: 'html' }],
    ['JSON that breaks off', { kind: 'malformed' }],
    ['500', { kind: 'status', status: 500 }],
    ['503', { kind: 'status', status: 503 }],
    ['429', { kind: 'status', status: 429 }],
    ['invalid_client', { kind: 'status', status: 401, error: 'invalid_client' }],
  ] as const;

  it.each(FAULTS)('%s for tokens is provider_error, recorded, with nothing stored', async (_name, fault) => {
    const { browser, callbackUrl, token } = await approved();
    await steward.control('faults', { part: 'workspace', path: '/token', times: 1, ...fault });
    const response = await browser.visit(callbackUrl);
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(`${DONE}&integration=workspace&status=error&code=provider_error`);
    expect((await browser.visit(callbackUrl)).headers.get('location')).toBe(response.headers.get('location'));
    expect(await workspaceAccounts(steward, token)).toEqual([]);
  });

  it.each(FAULTS)('%s for userinfo is provider_error, and the tokens are revoked', async (_name, fault) => {
    const { browser, callbackUrl, token, email } = await approved();
    await steward.control('faults', { part: 'workspace', path: '/userinfo', times: 1, ...fault });
    expect(outcome(await browser.visit(callbackUrl))).toMatchObject({ status: 'error', code: 'provider_error' });
    expect(await workspaceAccounts(steward, token)).toEqual([]);
    await eventually(async () => expect(await liveTokens(steward, email)).toEqual({ access: 0, refresh: 0 }));
  });

  it('does not change an account that was connected before', async () => {
    const { browser, callbackUrl, token, email } = await approved();
    const { account_id: id } = outcome(await browser.visit(callbackUrl));
    await steward.control('faults', { part: 'workspace', path: '/userinfo', kind: 'html', times: 1 });
    expect(outcome((await connect(steward, { token, email, browser })).callback).code).toBe('provider_error');
    await eventually(async () => expect(await steward.sql(`select id from revocations where token is not null`)).toEqual([]));
    expect(await workspaceAccounts(steward, token)).toMatchObject([{ id, status: 'active' }]);
    expect((await liveTokens(steward, email)).refresh).toBe(2);
  });
});

describe('a provider that hangs at the callback', () => {
  it.each(['/token', '/userinfo'])('on %s times out, and ends as provider_error', async (path) => {
    const { browser, callbackUrl, token } = await approved();
    await steward.control('faults', { part: 'workspace', path, kind: 'hang' });
    const response = await advancing(steward.clock, browser.visit(callbackUrl));
    expect(response.headers.get('location')).toBe(`${DONE}&integration=workspace&status=error&code=provider_error`);
    expect(await workspaceAccounts(steward, token)).toEqual([]);
  });

  it('returns its outcome to a second callback, even if the flow expires meanwhile', async () => {
    const { browser, callbackUrl } = await approved();
    await steward.control('faults', { part: 'workspace', path: '/token', kind: 'hang' });
    const asked = async () => (await steward.control('state')).calls.workspace['/token'] ?? 0;
    const before = await asked();
    const first = browser.visit(callbackUrl);
    await eventually(async () => (await asked()) > before);
    await alter(callbackUrl, `expires_at = now() - interval '1 millisecond'`);
    // The second waits little longer than an exchange may take: it begins when most of that is over.
    const { providerTimeoutMs } = steward.context.config.limits;
    await steward.clock.advance(providerTimeoutMs - 1_000);
    const second = browser.visit(callbackUrl);
    await steward.clock.advance(1_000);
    const [one, other] = (await Promise.all([first, second])).map(outcome);
    expect(other).toMatchObject({ status: 'error', code: 'provider_error' });
    expect(one).toEqual(other);
  });
});

describe('another account than the requested one', () => {
  it.each([
    ['another address', 'demo.work@example.com'],
    ['an alias of it', 'demo+x@example.com'],
  ])('%s shows the confirmation page even with the cookie', async (_name, asked) => {
    const token = await steward.signIn(newName());
    const { callback } = await connect(steward, { token, email: asked, chosen: 'demo@example.com', redirectUri: DONE });
    expect(callback.status).toBe(200);
    expect(callback.text).toContain('demo@example.com');
    expect(await workspaceAccounts(steward, token)).toEqual([]);
  });

  it('in another case is the same account', async () => {
    const token = await steward.signIn(newName());
    const { callback } = await connect(steward, { token, email: 'Demo@Example.COM', chosen: 'demo@example.com' });
    expect(outcome(callback).status).toBe('connected');
  });

  it('is unknown without the scope of the address, so the page asks with the account’s id', async () => {
    const token = await steward.signIn(newName());
    const email = `${newName()}@example.com`;
    const { callback } = await connect(steward, { token, email, untick: ['userinfo.email', 'userinfo.profile'] });
    expect(callback.status).toBe(200);
    expect(callback.text).toMatch(/workspace account <strong><bdi>1\d{20}<\/bdi><\/strong>/);
    expect((await connectUnbound(steward, { token, email })).page.status).toBe(200);
  });
});
