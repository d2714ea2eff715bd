import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FormBrowser } from '../../support/browser/browser.ts';
import { type Change, WorkspaceEmulator } from '../../support/emulators/workspace-emulator.ts';
import { answerConfirmation, newName, outcome, workspaceAccounts } from '../../support/scenes/flows.ts';
import type { Handler } from '../../support/servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

const GOOGLE = 'https://www.googleapis.com/auth/';

let provider: WorkspaceEmulator;
let steward: TestSteward;

beforeAll(async () => {
  provider = await new WorkspaceEmulator().start();
  steward = await startSteward({ ...provider.env, LIMIT_REVOCATION_RETRY_SECONDS: '1' });
});

afterAll(async () => {
  await steward.stop();
  await provider.stop();
});
beforeEach(() => provider.reset());
afterEach(() => provider.reset());

/** A flow of a bound browser, with the provider's changed responses. */
async function connect(change: Change = {}, of: { token?: string; email?: string; asked?: string } = {}) {
  const token = of.token ?? (await steward.signIn(newName()));
  const email = of.email ?? `${newName()}@example.com`;
  const browser = new FormBrowser(steward.url);
  const { body } = await browser.visit('/workspace_access_request', { token, form: { email: of.asked ?? email } });
  const consentUrl = (await browser.visit(body.login_url)).headers.get('location') ?? '';
  const issuedBefore = provider.issued.length;
  const callback = await browser.visit(provider.approve(consentUrl, email, change));
  const [access = '', refresh = ''] = provider.issued.slice(issuedBefore);
  return { token, email, browser, consentUrl, callback, access, refresh };
}

async function grantsOf(email: string): Promise<number> {
  const rows = await steward.sql('select 1 from workspace_accounts where email = $1', [email]);
  return rows.length;
}

const revokedAtProvider = (token: string) => eventually(() => provider.revoked.includes(token));

describe('the exchange', () => {
  it('sends code, verifier and callback address once, as a form', async () => {
    const before = provider.exchanges.length;
    const { callback, consentUrl } = await connect();
    expect(outcome(callback).status).toBe('connected');
    expect(provider.exchanges).toHaveLength(before + 1);
    expect(Object.fromEntries(provider.exchanges.at(-1) ?? [])).toEqual({
      grant_type: 'authorization_code',
      code: expect.stringMatching(/^code-/),
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
      redirect_uri: `${steward.url}/auth/workspace/callback`,
      client_id: 'emulated-client',
      client_secret: 'emulated-client-secret',
    });
    expect(consentUrl).not.toContain(provider.exchanges.at(-1)?.get('code_verifier'));
    expect(consentUrl.startsWith(`${provider.url}/auth?`)).toBe(true);
  });

  it.each([
    ['another nonce', { nonce: 'x'.repeat(43) }],
    ['no nonce', { nonce: undefined }],
    ['another audience', { aud: 'someone-else' }],
    ['another issuer', { iss: 'https://accounts.evil.invalid' }],
    ['an issuer in plain http', { iss: 'http://accounts.emulated.invalid' }],
    ['an end long ago', { exp: 1_700_000_000 }],
    ['no end', { exp: undefined }],
    ['no subject', { sub: undefined }],
  ])('an id_token with %s is provider_error, and nothing is stored', async (_name, claims) => {
    const { callback, email } = await connect({ claims });
    expect(outcome(callback)).toMatchObject({ status: 'error', code: 'provider_error' });
    expect(await grantsOf(email)).toBe(0);
  });

  it.each([
    ['the issuer’s old name', { iss: 'accounts.emulated.invalid' }],
    ['several audiences', { aud: ['another', 'emulated-client'] }],
  ])('an id_token with %s is accepted', async (_name, claims) => {
    expect(outcome((await connect({ claims })).callback).status).toBe('connected');
  });

  it('userinfo about another account than the id_token is provider_error, and the token is revoked', async () => {
    const { callback, email, refresh } = await connect({ userinfo: { sub: 'someone-else' } });
    expect(outcome(callback)).toMatchObject({ status: 'error', code: 'provider_error' });
    expect(await grantsOf(email)).toBe(0);
    await revokedAtProvider(refresh);
  });

  it('without an id_token uses userinfo', async () => {
    const { callback, token, email } = await connect({ omit: ['id_token'] });
    expect(outcome(callback).status).toBe('connected');
    expect(await workspaceAccounts(steward, token)).toMatchObject([{ email }]);
  });

  it('without an access token, or with another token type than Bearer, is provider_error', async () => {
    expect(outcome((await connect({ omit: ['access_token'] })).callback).code).toBe('provider_error');
    expect(outcome((await connect({ fields: { token_type: 'mac' } })).callback).code).toBe('provider_error');
  });

  it('with neither openid nor the address is missing_scopes, and the token is revoked', async () => {
    const { callback, email, refresh } = await connect({ scope: `${GOOGLE}drive ${GOOGLE}documents` });
    expect(outcome(callback)).toMatchObject({ status: 'error', code: 'missing_scopes' });
    expect(await grantsOf(email)).toBe(0);
    await revokedAtProvider(refresh);
  });

  it('accepts the short names of scopes', async () => {
    const { callback, token } = await connect({ scope: 'openid email profile' });
    expect(outcome(callback)).toMatchObject({ status: 'connected' });
    const [account] = await workspaceAccounts(steward, token);
    expect(account?.missing_scopes).not.toContain('userinfo.email');
    expect(account?.missing_scopes).toContain('drive');
  });

  it('an address that the provider has not verified requires confirmation', async () => {
    const { callback, token } = await connect({ userinfo: { email_verified: false } });
    expect(callback.status).toBe(200);
    expect(await workspaceAccounts(steward, token)).toEqual([]);
  });

  it('shows the provider’s text as text, never as markup', async () => {
    const { callback } = await connect({ userinfo: { email: `"><script>alert(1)</script>&'@example.com` } });
    expect(callback.status).toBe(200);
    expect(callback.text).toContain('<strong><bdi>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#39;@example.com</bdi></strong>');
    expect(callback.text).not.toContain('<script');
  });

  it('shows a picture only with an https address', async () => {
    const harmful = await connect({ userinfo: { picture: 'javascript:alert(1)' } });
    expect(await workspaceAccounts(steward, harmful.token)).toMatchObject([{ picture: '' }]);
    const picture = 'https://pictures.example/a.png';
    const fine = await connect({ userinfo: { picture } });
    expect(await workspaceAccounts(steward, fine.token)).toMatchObject([{ picture, name: 'Ada Example' }]);
  });
});

const json = { 'content-type': 'application/json' };
const INVALID_RESPONSES: [string, Handler][] = [
  ['a web page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Hello')],
  ['500', (response) => response.writeHead(500).end()],
  ['JSON that breaks off', (response) => response.writeHead(200, json).end('{"access_token":"ya')],
  ['a list', (response) => response.writeHead(200, json).end('[]')],
  ['1 MB', (response) => response.writeHead(200, json).end(JSON.stringify({ access_token: 'a'.repeat(1_048_576) }))],
  ['nothing', (response) => response.writeHead(200, json).end()],
  ['a cut connection', (response) => response.destroy()],
  ['a body that is cut', (response) => response.writeHead(200, { 'content-length': '1000' }).write('{', () => response.destroy())],
];

describe('a provider that responds with', () => {
  it.each(INVALID_RESPONSES)('%s for tokens ends as provider_error', async (_name, response) => {
    provider.on('/token', response);
    const { callback, email } = await connect();
    expect(callback.status).toBe(303);
    expect(outcome(callback)).toEqual({ integration: 'workspace', status: 'error', code: 'provider_error' });
    expect(await grantsOf(email)).toBe(0);
  });

  it.each(INVALID_RESPONSES)('%s for userinfo ends as provider_error, and the token is revoked', async (_name, response) => {
    provider.on('/userinfo', response);
    const { callback, email, refresh } = await connect();
    expect(outcome(callback)).toEqual({ integration: 'workspace', status: 'error', code: 'provider_error' });
    expect(await grantsOf(email)).toBe(0);
    await revokedAtProvider(refresh);
  });

  it.each(['/token', '/userinfo'] as const)('a redirect on %s is not followed: it would send secrets elsewhere', async (path) => {
    const before = provider.exchanges.length;
    provider.on(path, (response, { method }) => {
      provider.off(path);
      response.writeHead(method === 'POST' ? 307 : 302, { location: `${provider.url}${path}` }).end();
    });
    const { callback } = await connect();
    expect(outcome(callback).code).toBe('provider_error');
    expect(provider.exchanges).toHaveLength(before + 1);
  });
});

describe('connecting the same account again', () => {
  it('without a refresh token keeps the stored one, which is revoked at the disconnect', async () => {
    const first = await connect();
    const again = await connect({ omit: ['refresh_token'] }, first);
    const { account_id: id } = outcome(again.callback);
    expect(id).toBe(outcome(first.callback).account_id);
    await steward.call(`/auth/workspace/accounts/${id}`, { method: 'DELETE', token: first.token });
    await revokedAtProvider(first.refresh);
    expect(provider.revoked).not.toContain(again.refresh);
  });

  it('replaces its tokens by the new ones, and its name and picture', async () => {
    const first = await connect();
    const again = await connect({ userinfo: { name: 'Another Name', picture: 'https://pictures.example/b.png' } }, first);
    const { account_id: id } = outcome(again.callback);
    const accounts = await workspaceAccounts(steward, first.token);
    expect(accounts).toMatchObject([{ id, name: 'Another Name', picture: 'https://pictures.example/b.png', default: true }]);
    await steward.call(`/auth/workspace/accounts/${id}`, { method: 'DELETE', token: first.token });
    await revokedAtProvider(again.refresh);
    expect(provider.revoked).not.toContain(first.refresh);
  });

  it('identifies the account by its id: a renamed address is the same account', async () => {
    const first = await connect();
    const sub = `sub-of-${first.email}`;
    const renamed = `${newName()}@example.com`;
    const again = await connect({ claims: { sub }, userinfo: { sub } }, { token: first.token, email: renamed });
    expect(outcome(again.callback).account_id).toBe(outcome(first.callback).account_id);
    expect((await workspaceAccounts(steward, first.token)).map(({ email }) => email)).toEqual([renamed]);
  });

  it('identifies the account by its id: the same address of another account is another', async () => {
    const first = await connect();
    const sub = `sub-of-a-successor-of-${first.email}`;
    const other = await connect({ claims: { sub }, userinfo: { sub } }, first);
    expect(outcome(other.callback).account_id).not.toBe(outcome(first.callback).account_id);
    expect(await workspaceAccounts(steward, first.token)).toHaveLength(2);
  });

  it('confirmed after the stored refresh token has ended is no_refresh_token, and its tokens are revoked', async () => {
    const first = await connect();
    const held = await connect({ fields: { refresh_token: undefined } }, { ...first, asked: 'someone.else@example.com' });
    expect(held.callback.status).toBe(200);
    await steward.sql(`update grants g set status = 'reauth_required' from workspace_accounts a where a.grant_id = g.id and a.id = $1`, [
      outcome(first.callback).account_id,
    ]);
    const confirmed = await answerConfirmation(held.browser, held.callback, 'confirm');
    expect(outcome(confirmed)).toMatchObject({ status: 'error', code: 'no_refresh_token' });
    await revokedAtProvider(held.access);
  });

  it('confirmed after the same account was disconnected and revoked reports that it is no longer valid, also after a sweep', async () => {
    const first = await connect();
    const held = await connect({}, { ...first, asked: 'someone.else@example.com' });
    expect(held.callback.status).toBe(200);
    await steward.call(`/auth/workspace/accounts/${outcome(first.callback).account_id}`, { method: 'DELETE', token: first.token });
    await eventually(async () => expect(await steward.sql('select id from revocations')).toEqual([]));
    expect(provider.revoked).toContain(first.refresh);
    await steward.context.revocations.sweep();
    // A revocation invalidates every token of the account, including those that wait for confirmation.
    provider.on('/userinfo', (response) => void response.writeHead(401, json).end('{"error":"invalid_token"}'));
    const confirmed = await answerConfirmation(held.browser, held.callback, 'confirm');
    expect(outcome(confirmed)).toMatchObject({ status: 'error', code: 'provider_error' });
    expect(await workspaceAccounts(steward, first.token)).toEqual([]);
  });
});
