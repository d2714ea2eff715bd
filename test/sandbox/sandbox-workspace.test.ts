import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CodeChallengeMethod, OAuth2Client } from 'google-auth-library';
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostSandbox, type SandboxHost, temporaryDirectory } from '../support/emulators/sandbox-host.ts';

const ROOT = 'https://www.googleapis.com/auth/';
const EMAIL = `${ROOT}userinfo.email`;
const PROFILE = `${ROOT}userinfo.profile`;
const DRIVE = `${ROOT}drive`;
const SCOPES = ['openid', EMAIL, PROFILE, DRIVE];

let directory: ReturnType<typeof temporaryDirectory>;
let host: SandboxHost;

beforeEach(async () => {
  directory = temporaryDirectory();
  host = await hostSandbox(directory.path, ['https://front.example']);
});

afterEach(async () => {
  await host.stop();
  directory.remove();
});

const verifier = randomBytes(32).toString('base64url');
const challenge = createHash('sha256').update(verifier).digest('base64url');
const callback = () => `${host.url}/auth/workspace/callback`;

function authUrl(change: Record<string, string | undefined> = {}): string {
  const url = new URL(host.sandbox.workspace.authUrl);
  const parameters: Record<string, string | undefined> = {
    client_id: host.sandbox.workspace.clientId,
    redirect_uri: callback(),
    response_type: 'code',
    scope: SCOPES.join(' '),
    state: 'the-state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    nonce: 'the-nonce',
    access_type: 'offline',
    prompt: 'select_account consent',
    ...change,
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

async function openPage(change: Record<string, string | undefined> = {}): Promise<{ text: string; request: string; response: Response }> {
  const response = await fetch(authUrl(change));
  const text = await response.text();
  return { text, response, request: /name="request" value="([^"]+)"/.exec(text)?.[1] ?? '' };
}

interface Choice {
  account?: string;
  other_account?: string;
  scope?: string[];
  decision?: string;
}

/** Posts the consent form as a browser without script does. */
function submit(
  request: string,
  { account = 'demo@example.com', other_account: other = '', scope = SCOPES.slice(1), decision = 'allow' }: Choice = {},
): Promise<Response> {
  const form = new URLSearchParams({ request, account, other_account: other, decision });
  for (const name of scope) form.append('scope', name);
  return fetch(`${host.url}/sandbox/workspace/consent`, { method: 'POST', body: form, redirect: 'manual' });
}

/** Query parameters of the redirect to the callback. */
async function consent(choice: Choice = {}, change: Record<string, string | undefined> = {}): Promise<URLSearchParams> {
  const { request } = await openPage(change);
  const response = await submit(request, choice);
  expect(response.status).toBe(303);
  const location = response.headers.get('location') ?? '';
  expect(location.split('?')[0]).toBe(callback());
  return new URL(location).searchParams;
}

async function codeOf(choice: Choice = {}, change: Record<string, string | undefined> = {}): Promise<string> {
  return (await consent(choice, change)).get('code') ?? '';
}

interface Tokens {
  access_token: string;
  expires_in: number;
  refresh_token?: string;
  scope: string;
  token_type: string;
  id_token?: string;
  error?: string;
}

async function token(
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; body: Tokens }> {
  const response = await fetch(host.sandbox.workspace.tokenUrl, { method: 'POST', body: new URLSearchParams(fields), headers });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Tokens };
}

const client = () => ({ client_id: host.sandbox.workspace.clientId, client_secret: host.sandbox.workspace.clientSecret });

function exchange(code: string, change: Record<string, string> = {}) {
  return token({ grant_type: 'authorization_code', code, redirect_uri: callback(), code_verifier: verifier, ...client(), ...change });
}

function refresh(refreshToken: string | undefined) {
  return token({ grant_type: 'refresh_token', refresh_token: refreshToken ?? '', ...client() });
}

async function connect(choice: Choice = {}, change: Record<string, string | undefined> = {}): Promise<Tokens> {
  const { status, body } = await exchange(await codeOf(choice, change));
  expect(status).toBe(200);
  return body;
}

function userinfo(accessToken: string): Promise<Response> {
  return fetch(host.sandbox.workspace.userinfoUrl, { headers: { authorization: `Bearer ${accessToken}` } });
}

function revoke(value: string): Promise<Response> {
  return fetch(host.sandbox.workspace.revokeUrl, { method: 'POST', body: new URLSearchParams({ token: value }) });
}

describe('GET /sandbox/workspace/auth', () => {
  it('shows accounts, scopes in plain words, Allow and Deny', async () => {
    const { response, text } = await openPage();
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(text).toContain('Sandbox: a local emulator, nothing here is real.');
    for (const account of ['demo@example.com', 'demo.work@example.com', 'ana.mueller@example.org', 'Ana Müller'])
      expect(text).toContain(account);
    expect(text.match(/type="checkbox" name="scope" value="[^"]+" checked/g)).toHaveLength(3);
    expect(text).toContain('Read, change and delete every file in the drive');
    expect(text).toMatch(/value="allow">Allow/);
    expect(text).toMatch(/value="deny" formnovalidate>Deny/);
    expect(text).not.toContain('<script');
  });

  it('labels every field', async () => {
    const { text } = await openPage();
    const ids = [...text.matchAll(/<input id="([^"]+)"/g)].map((match) => match[1]);
    expect(ids).toHaveLength(7);
    for (const id of ids) expect(text).toContain(`for="${id}"`);
  });

  it('has a strict policy', async () => {
    const { response } = await openPage();
    const policy = response.headers.get('content-security-policy') ?? '';
    const directives = new Map(policy.split('; ').map((directive) => [directive.split(' ')[0], directive.split(' ').slice(1)]));
    expect(directives.get('default-src')).toEqual(["'none'"]);
    expect(directives.get('frame-ancestors')).toEqual(["'none'"]);
    expect(directives.get('base-uri')).toEqual(["'none'"]);
    expect(directives.get('style-src')).toEqual(["'self'"]);
    expect(directives.get('form-action')).toEqual(["'self'"]);
    expect(directives.has('script-src')).toBe(false);
  });

  it.each([
    ['ana.mueller@example.org', 4],
    ['someone@example.net', 5],
  ])('preselects the login_hint %s', async (hint, radios) => {
    const { text } = await openPage({ login_hint: hint });
    expect([...text.matchAll(/type="radio" name="account" value="([^"]+)" checked/g)].map((match) => match[1])).toEqual([hint]);
    expect(text.match(/type="radio"/g)).toHaveLength(radios - 1);
  });

  it('escapes a login_hint', async () => {
    const { text } = await openPage({ login_hint: '"><script>alert(1)</script>' });
    expect(text).not.toContain('<script');
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;');
  });

  it.each([
    ['client_id', 'someone-else'],
    ['client_id', undefined],
    ['redirect_uri', 'https://evil.example/auth/workspace/callback'],
    ['redirect_uri', undefined],
    ['response_type', 'token'],
    ['scope', `${ROOT}calendar`],
    ['scope', ' '],
    ['scope', undefined],
    ['state', undefined],
    ['code_challenge', undefined],
    ['code_challenge', 'short'],
    ['code_challenge_method', 'plain'],
    ['code_challenge_method', undefined],
  ])('shows an error page and does not redirect when %s is %j', async (name, value) => {
    const response = await fetch(authUrl({ [name]: value }), { redirect: 'manual' });
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    const text = await response.text();
    expect(text).toContain(`${name}:`);
    expect(text).not.toContain('<form');
    expect(text).not.toContain('evil.example');
  });

  it('rejects a parameter given twice', async () => {
    expect((await fetch(`${authUrl()}&state=other`)).status).toBe(400);
  });
});

describe('POST /sandbox/workspace/consent', () => {
  it('Allow redirects with code, state, granted scopes and issuer', async () => {
    const response = await consent();
    expect(response.get('code')).toMatch(/^4\//);
    expect(response.get('state')).toBe('the-state');
    expect(response.get('scope')).toBe(SCOPES.join(' '));
    expect(response.get('iss')).toBe(host.sandbox.workspace.issuer);
  });

  it('Deny redirects with access_denied', async () => {
    const response = await consent({ decision: 'deny' });
    expect(Object.fromEntries(response)).toEqual({ error: 'access_denied', state: 'the-state', iss: host.sandbox.workspace.issuer });
  });

  it('grants the ticked scopes only, and never one that was not requested', async () => {
    const tokens = await connect({ scope: [EMAIL, `${ROOT}gmail.send`] });
    expect(tokens.scope).toBe(`openid ${EMAIL}`);
  });

  it('returns short scope names in the long form', async () => {
    const response = await consent({ scope: [EMAIL, PROFILE] }, { scope: 'openid email profile' });
    expect(response.get('scope')).toBe(`openid ${EMAIL} ${PROFILE}`);
  });

  it('nothing ticked is a denial if openid was not requested', async () => {
    expect((await consent({ scope: [] }, { scope: DRIVE })).get('error')).toBe('access_denied');
  });

  it('decides once: a second click redirects to the same address', async () => {
    const { request } = await openPage();
    const first = (await submit(request)).headers.get('location');
    expect((await submit(request, { decision: 'deny' })).headers.get('location')).toBe(first);
  });

  it('leads a browser on by a page, whose redirects are none of the form', async () => {
    const { request } = await openPage();
    const form = new URLSearchParams({ request, decision: 'deny' });
    const headers = { accept: 'text/html' };
    const response = await fetch(`${host.url}/sandbox/workspace/consent`, { method: 'POST', body: form, headers, redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([200, null]);
    expect(await response.text()).toContain(`<meta http-equiv="refresh" content="0; url=${callback()}?`);
  });

  it('asks again when the typed address is invalid', async () => {
    const { request } = await openPage();
    const response = await submit(request, { other_account: 'not an address' });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('role="alert"');
    expect((await submit(request)).status).toBe(303);
  });

  it('rejects an unknown request, and one that has ended', async () => {
    expect((await submit('made-up')).status).toBe(400);
    const { request } = await openPage();
    await host.control('clock', { advance_ms: 600_001 });
    const response = await submit(request);
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
  });

  it.each(['allow=1', 'request=a&request=b&decision=allow', ''])('rejects the incomplete form %j', async (body) => {
    const response = await fetch(`${host.url}/sandbox/workspace/consent`, { method: 'POST', body: new URLSearchParams(body) });
    expect(response.status).toBe(400);
  });
});

describe('accounts', () => {
  it('any address is an account, always the same one', async () => {
    const first = await connect({ other_account: 'Someone@Example.NET' });
    const second = await connect({ account: 'someone@example.net' });
    const info = (await (await userinfo(first.access_token)).json()) as { sub: string; email: string };
    expect(info.email).toBe('someone@example.net');
    expect(info.sub).toMatch(/^\d{21}$/);
    expect(decodeJwt(second.id_token ?? '').sub).toBe(info.sub);
  });

  it('an alias is the account without the tag', async () => {
    const [plain, alias] = [await connect(), await connect({ account: 'demo+travel@example.com' })];
    const claims = decodeJwt(alias.id_token ?? '');
    expect(claims.email).toBe('demo@example.com');
    expect(claims.sub).toBe(decodeJwt(plain.id_token ?? '').sub);
  });
});

describe("google-auth-library's client", () => {
  const library = () => {
    const { workspace } = host.sandbox;
    return new OAuth2Client({
      clientId: workspace.clientId,
      clientSecret: workspace.clientSecret,
      redirectUri: callback(),
      endpoints: { oauth2AuthBaseUrl: workspace.authUrl, oauth2TokenUrl: workspace.tokenUrl, oauth2RevokeUrl: workspace.revokeUrl },
    });
  };

  it('connects, refreshes and revokes', async () => {
    const oauth = library();
    const url = oauth.generateAuthUrl({
      access_type: 'offline',
      prompt: 'select_account consent',
      scope: SCOPES,
      state: 's',
      code_challenge: challenge,
      code_challenge_method: CodeChallengeMethod.S256,
    });
    const text = await (await fetch(url)).text();
    const response = await submit(/name="request" value="([^"]+)"/.exec(text)?.[1] ?? '');
    const code = new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? '';

    const { tokens } = await oauth.getToken({ code, codeVerifier: verifier });
    expect(tokens.scope).toBe(SCOPES.join(' '));
    expect(tokens.refresh_token).toMatch(/^1\/\/sandbox-/);
    oauth.setCredentials({ refresh_token: tokens.refresh_token ?? null });
    const { token: fresh } = await oauth.getAccessToken();
    expect(fresh).toMatch(/^ya29\.sandbox-/);
    expect(fresh).not.toBe(tokens.access_token);
    expect((await userinfo(fresh ?? '')).status).toBe(200);

    expect((await oauth.revokeToken(tokens.refresh_token ?? '')).status).toBe(200);
    expect((await userinfo(fresh ?? '')).status).toBe(401);
    await expect(oauth.refreshAccessToken()).rejects.toMatchObject({ status: 400, message: 'invalid_grant' });
  });

  it('is rejected with the wrong verifier', async () => {
    await expect(library().getToken({ code: await codeOf(), codeVerifier: 'x'.repeat(43) })).rejects.toMatchObject({
      status: 400,
      message: 'invalid_grant',
    });
  });
});

describe('POST /sandbox/workspace/token, authorization_code', () => {
  it('returns tokens and a valid ID token', async () => {
    const { status, headers, body } = await exchange(await codeOf());
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3599, scope: SCOPES.join(' ') });
    const keys = createRemoteJWKSet(new URL(`${host.url}/sandbox/workspace/certs`));
    const { workspace } = host.sandbox;
    const { payload } = await jwtVerify(body.id_token ?? '', keys, { issuer: workspace.issuer, audience: workspace.clientId });
    expect(payload).toMatchObject({ email: 'demo@example.com', email_verified: true, nonce: 'the-nonce' });
    const half = createHash('sha256').update(body.access_token).digest().subarray(0, 16);
    expect(payload.at_hash).toBe(half.toString('base64url'));
  });

  it('accepts the client by Basic authentication', async () => {
    const basic = (secret: string) => ({ authorization: `Basic ${Buffer.from(`sandbox-client:${secret}`).toString('base64')}` });
    const fields = { grant_type: 'authorization_code', code: await codeOf(), redirect_uri: callback(), code_verifier: verifier };
    const rejected = await token(fields, basic('wrong'));
    expect(rejected.status).toBe(401);
    expect(rejected.headers.get('www-authenticate')).toContain('Basic');
    expect((await token(fields, basic('sandbox-secret'))).status).toBe(200);
  });

  it.each([
    [{ client_secret: 'wrong' }, 401, 'invalid_client'],
    [{ client_id: 'wrong' }, 401, 'invalid_client'],
    [{ redirect_uri: 'http://127.0.0.1:1/auth/workspace/callback' }, 400, 'redirect_uri_mismatch'],
    [{ code: '4/made-up' }, 400, 'invalid_grant'],
    [{ code_verifier: 'v'.repeat(43) }, 400, 'invalid_grant'],
    [{ code_verifier: challenge }, 400, 'invalid_grant'],
    [{ code_verifier: '' }, 400, 'invalid_grant'],
    [{ grant_type: 'password' }, 400, 'unsupported_grant_type'],
  ])('rejects %j', async (change, status, error) => {
    const code = await codeOf();
    expect(await exchange(code, change)).toMatchObject({ status, body: { error } });
    expect((await exchange(code)).status).toBe(200);
  });

  it('rejects an absent verifier', async () => {
    const fields = { grant_type: 'authorization_code', code: await codeOf(), redirect_uri: callback(), ...client() };
    expect(await token(fields)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('accepts forms only, each field once', async () => {
    const json = await fetch(host.sandbox.workspace.tokenUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ grant_type: 'authorization_code', code: await codeOf(), ...client() }),
    });
    expect([json.status, await json.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_request' })]);
    const twice = await fetch(host.sandbox.workspace.tokenUrl, { method: 'POST', body: new URLSearchParams('grant_type=a&grant_type=b') });
    expect(twice.status).toBe(400);
  });

  it('rejects a code that is used again and revokes its tokens', async () => {
    const code = await codeOf();
    const { body } = await exchange(code);
    const other = await connect();
    expect((await userinfo(body.access_token)).status).toBe(200);
    expect(await exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect((await userinfo(body.access_token)).status).toBe(401);
    expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await userinfo(other.access_token)).status).toBe(200);
  });

  it('fifty concurrent exchanges: one succeeds', async () => {
    const code = await codeOf();
    const responses = await Promise.all(Array.from({ length: 50 }, () => exchange(code)));
    expect(responses.filter((response) => response.status === 200)).toHaveLength(1);
    expect((await host.state()).calls.workspace.exchanges).toBe(50);
  });

  it('a code expires after ten minutes', async () => {
    const code = await codeOf();
    await host.control('clock', { advance_ms: 600_001 });
    expect((await exchange(code)).body.error).toBe('invalid_grant');
  });

  it('returns a refresh token for offline access only, and only with consent or the first time', async () => {
    expect((await connect({}, { access_type: undefined })).refresh_token).toBeUndefined();
    const ana = { account: 'ana.mueller@example.org' };
    expect((await connect(ana, { prompt: undefined })).refresh_token).toBeDefined();
    expect((await connect(ana, { prompt: 'select_account' })).refresh_token).toBeUndefined();
    expect((await connect(ana)).refresh_token).toBeDefined();
  });

  it('returns no ID token without openid', async () => {
    expect((await connect({ scope: [EMAIL] }, { scope: EMAIL })).id_token).toBeUndefined();
  });
});

describe('POST /sandbox/workspace/token, refresh_token', () => {
  it('returns new access tokens for the same refresh token', async () => {
    const { refresh_token: refreshToken } = await connect();
    const [first, second] = [await refresh(refreshToken), await refresh(refreshToken)];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(first.body.refresh_token).toBeUndefined();
    expect(first.body.access_token).not.toBe(second.body.access_token);
    expect((await userinfo(first.body.access_token)).status).toBe(200);
    expect((await host.state()).calls.workspace.refreshes).toBe(2);
  });

  it('rejects an access token in its place', async () => {
    const { access_token: accessToken } = await connect();
    expect(await refresh(accessToken)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('strict rotation invalidates the old one', async () => {
    await host.control('workspace', { rotation: 'strict' });
    const { refresh_token: old } = await connect();
    const { body } = await refresh(old);
    expect(body.refresh_token).not.toBe(old);
    expect((await refresh(old)).body.error).toBe('invalid_grant');
    expect((await refresh(body.refresh_token)).status).toBe(200);
  });

  it('the oldest of more than a hundred becomes invalid', async () => {
    const tokens: (string | undefined)[] = [];
    for (let count = 0; count < 101; count += 1) tokens.push((await connect()).refresh_token);
    expect((await refresh(tokens[0])).body.error).toBe('invalid_grant');
    expect((await refresh(tokens[1])).status).toBe(200);
  });
});

describe('GET /sandbox/workspace/userinfo', () => {
  it('shows the account with a picture that loads', async () => {
    const { access_token: accessToken } = await connect({ account: 'ana.mueller@example.org' });
    const info = (await (await userinfo(accessToken)).json()) as { picture: string };
    expect(info).toMatchObject({ email: 'ana.mueller@example.org', email_verified: true, name: 'Ana Müller' });
    const picture = await fetch(info.picture);
    expect(picture.headers.get('content-type')).toContain('image/svg+xml');
    expect((await fetch(info.picture.replace(/\d+\.svg/, '1.svg'))).status).toBe(404);
  });

  it('shows only what the scopes allow', async () => {
    const only = await connect({ scope: [] });
    expect(Object.keys((await (await userinfo(only.access_token)).json()) as object)).toEqual(['sub']);
    const drive = await connect({ scope: [DRIVE] }, { scope: DRIVE });
    expect((await userinfo(drive.access_token)).status).toBe(403);
  });

  it('rejects unknown, expired and refresh tokens', async () => {
    const { access_token: accessToken, refresh_token: refreshToken } = await connect();
    for (const value of ['made-up', refreshToken ?? '']) {
      const response = await userinfo(value);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
    await host.control('clock', { advance_ms: 3_599_000 });
    expect((await userinfo(accessToken)).status).toBe(401);
    expect((await fetch(host.sandbox.workspace.userinfoUrl)).status).toBe(401);
  });
});

describe('POST /sandbox/workspace/revoke', () => {
  it.each(['access_token', 'refresh_token'] as const)('by %s: invalidates every token of the account, and of no other', async (which) => {
    const [first, second] = [await connect(), await connect()];
    const other = await connect({ account: 'demo.work@example.com' });
    const pending = await codeOf();
    const response = await revoke(first[which] ?? '');
    expect([response.status, await response.json()]).toEqual([200, {}]);
    expect((await userinfo(second.access_token)).status).toBe(401);
    expect((await refresh(second.refresh_token)).body.error).toBe('invalid_grant');
    expect((await exchange(pending)).body.error).toBe('invalid_grant');
    expect((await userinfo(other.access_token)).status).toBe(200);
  });

  it('an unknown token is invalid_token', async () => {
    const response = await revoke('made-up');
    expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_token' })]);
    expect((await host.state()).calls.workspace.revocations).toBe(1);
  });
});

describe('the API root', () => {
  it("returns 404 in the provider's format, 401 without a token", async () => {
    const { apiUrl } = host.sandbox.workspace;
    const { access_token: accessToken } = await connect();
    const found = await fetch(`${apiUrl}/gmail/v1/users/me/nothing`, { headers: { authorization: `Bearer ${accessToken}` } });
    expect([found.status, await found.json()]).toEqual([404, { error: expect.objectContaining({ code: 404, status: 'NOT_FOUND' }) }]);
    expect((await fetch(`${apiUrl}/gmail/v1/users/me/nothing`)).status).toBe(401);
  });
});

describe('controls', () => {
  it('workspace: token lifetime, reported lifetime, no refresh token, no ID token', async () => {
    await host.control('workspace', { token_life_seconds: 5, omit_refresh_token: true, omit_id_token: 'true' });
    const tokens = await connect();
    expect(tokens).toMatchObject({ expires_in: 5 });
    expect(tokens.refresh_token).toBeUndefined();
    expect(tokens.id_token).toBeUndefined();
    await host.control('workspace', { report_expires_in: 'soon' });
    expect((await connect()).expires_in).toBe('soon');
    await host.control('workspace', { report_expires_in: null });
    expect((await connect()).expires_in).toBe(5);
  });

  it('workspace/revoke: the account withdraws access', async () => {
    const tokens = await connect();
    await host.control('workspace/revoke', { email: 'demo@example.com' });
    expect((await refresh(tokens.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('state: accounts with their valid tokens, and no secret', async () => {
    const tokens = await connect();
    await refresh(tokens.refresh_token);
    const state = await host.state();
    expect(state.accounts).toContainEqual({ email: 'demo@example.com', sub: expect.any(String), access_tokens: 2, refresh_tokens: 1 });
    expect(JSON.stringify(state)).not.toContain('sandbox-');
    await host.control('clock', { advance_ms: 3_600_000 });
    expect((await host.state()).accounts).toContainEqual(
      expect.objectContaining({ email: 'demo@example.com', access_tokens: 0, refresh_tokens: 1 }),
    );
  });
});

describe('a restart', () => {
  it('keeps accounts, codes and tokens', async () => {
    const tokens = await connect({ account: 'someone@example.net' });
    const before = (await host.state()).accounts;
    await host.stop();
    host = await hostSandbox(directory.path);
    expect((await userinfo(tokens.access_token)).status).toBe(200);
    expect((await refresh(tokens.refresh_token)).status).toBe(200);
    expect((await host.state()).accounts.map(({ sub }) => sub)).toEqual(before.map(({ sub }) => sub));
  });

  it('stores tokens and codes as hashes only, readable by the owner only', async () => {
    const tokens = await connect();
    const code = await codeOf();
    for (const name of readdirSync(directory.path)) {
      const file = join(directory.path, name);
      const text = readFileSync(file, 'utf8');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      for (const secret of [tokens.access_token, tokens.refresh_token ?? '', code]) expect(text).not.toContain(secret.slice(-20));
    }
  });

  it('names a file that is not JSON', async () => {
    const file = join(directory.path, 'workspace.json');
    writeFileSync(file, '{"accounts":');
    await expect(hostSandbox(directory.path)).rejects.toThrow(file);
  });
});
