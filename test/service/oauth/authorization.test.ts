import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceSecrets } from '../../../src/vault/keys/service-secrets.ts';
import { FormBrowser } from '../../support/browser/browser.ts';
import { newName } from '../../support/scenes/flows.ts';
import { Authorization, authorized, newClient, type OAuthClient, REDIRECT, refresh, revoke } from '../../support/scenes/oauth-scene.ts';
import { serviceAt, startSteward, type TestSteward } from '../../support/steward.ts';
import { locationOf, sessionOf } from '../../support/users/sign-in.ts';

let steward: TestSteward;
let client: OAuthClient;
beforeAll(async () => {
  steward = await startSteward({ LIMIT_OAUTH_REGISTRATIONS_PER_MINUTE: '1000' });
  client = await newClient(steward);
});
afterAll(() => steward.stop());

const browserOf = async (user = newName()) => sessionOf(steward, await steward.signIn(user));
const authenticate = (token: string) => steward.context.authenticateClient(token);
const METADATA = '/.well-known/oauth-authorization-server';

/** The parameters with which an authorization request returns to the client. */
async function returned(parameters: Record<string, string | undefined>, more = ''): Promise<Record<string, string>> {
  const browser = new FormBrowser(steward.url);
  const response = await browser.visit(new Authorization(client, browser, parameters).path + more);
  expect(response.status).toBe(303);
  const url = new URL(locationOf(response));
  expect(`${url.origin}${url.pathname}`).toBe(REDIRECT);
  // Errors of response types with tokens are in the fragment.
  return Object.fromEntries([...url.searchParams, ...new URLSearchParams(url.hash.slice(1))]);
}

describe('an MCP client', () => {
  it('registers, is authorized, gets tokens, refreshes and revokes them', async () => {
    const browser = await browserOf();
    const authorization = new Authorization(client, browser);
    const consent = await authorization.begin();
    const agents = [...(await browser.visit(consent)).text.matchAll(/name="agent" value="([^"]+)" checked/g)].map(([, name]) => name);
    expect(agents).toContain('mail');
    const back = await authorization.decide(consent);
    expect(`${back.origin}${back.pathname}`).toBe(REDIRECT);
    expect(Object.fromEntries(back.searchParams)).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: authorization.state,
      iss: steward.url,
    });
    const first = await authorization.exchange(steward, back.searchParams.get('code') as string);
    expect(first.body).toEqual({
      access_token: expect.stringMatching(/^[\w-]{43}$/),
      refresh_token: expect.stringMatching(/^[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'read',
    });
    expect(first.headers.get('cache-control')).toBe('no-store');
    const principal = await authenticate(first.body.access_token);
    expect(principal).toMatchObject({ label: 'Notes', clientId: expect.any(String) });
    const second = await refresh(steward, client, first.body.refresh_token);
    expect(second).toMatchObject({ status: 200, body: { scope: 'read' } });
    expect(second.body.refresh_token).not.toBe(first.body.refresh_token);
    expect(await authenticate(second.body.access_token)).toMatchObject({ clientId: principal.clientId });
    expect(await revoke(steward, client, second.body.refresh_token)).toMatchObject({ status: 200, text: '' });
    await expect(authenticate(second.body.access_token)).rejects.toMatchObject({ code: 'invalid_token' });
    expect(await refresh(steward, client, second.body.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    const [grant] = await steward.context.clientGrants.list(principal.userId);
    expect(grant).toMatchObject({ kind: 'oauth', oauthClientId: client.client_id, redirectHost: 'app.example.com' });
    // Not `*`, which would be also what the operator adds later.
    expect(grant?.actions).toEqual(agents.map((agent) => `${agent}.*`));
    expect(grant?.revokedAt).not.toBeNull();
  });

  it('stores and logs no secret', async () => {
    const { tokens, client: own } = await authorized(steward, await browserOf());
    const confidential = await newClient(steward, { token_endpoint_auth_method: 'client_secret_post' });
    const rows = await steward.sql<{ row: string }>(
      'select row_to_json(e)::text as row from oauth_entries e union all select row_to_json(k)::text from service_keys k',
    );
    const all = rows.map(({ row }) => row).join() + steward.logs.join();
    for (const secret of [tokens.access_token, tokens.refresh_token, confidential.client_secret as string, 'Notes']) {
      expect(all).not.toContain(secret);
      expect(all).not.toContain(Buffer.from(secret).toString('hex'));
    }
    expect(steward.logs.join()).not.toContain(own.client_id);
  });

  it.each([
    ['client_secret_post', (secret: string) => ({ client_secret: secret })],
    ['client_secret_basic', (secret: string) => secret],
  ])('can authenticate with %s, and not without', async (method, credentials) => {
    const own = await newClient(steward, { token_endpoint_auth_method: method });
    const authorization = new Authorization(own, await browserOf());
    const code = await authorization.code();
    expect(await authorization.exchange(steward, code)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    expect(await authorization.exchange(steward, code, { client_secret: 'x'.repeat(86) })).toMatchObject({ status: 401 });
    const given = credentials(own.client_secret as string);
    if (typeof given === 'object') {
      expect((await authorization.exchange(steward, code, given)).status).toBe(200);
      return;
    }
    const { client_id: id } = own;
    const response = await steward.call('/oauth/token', {
      form: { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: authorization.verifier },
      headers: { authorization: `Basic ${Buffer.from(`${id}:${given}`).toString('base64')}` },
    });
    expect(response.status).toBe(200);
  });
});

/** Uses a code with this Authorization header. */
async function exchangeWith(client: OAuthClient, header: (id: string, secret: string | undefined) => string, more: object = {}) {
  const authorization = new Authorization(client, await browserOf());
  return steward.call('/oauth/token', {
    form: {
      grant_type: 'authorization_code',
      code: await authorization.code(),
      redirect_uri: REDIRECT,
      code_verifier: authorization.verifier,
      ...more,
    },
    headers: { authorization: header(client.client_id, client.client_secret) },
  });
}

describe('the credentials of a client in a header', () => {
  const basic = (text: string) => Buffer.from(text).toString('base64');
  const encoded = (text = '') => encodeURIComponent(text).replaceAll('-', '%2D').replaceAll('_', '%5F');

  it.each<[string, (id: string, secret: string | undefined) => string]>([
    ['as they are', (id, secret) => `Basic ${basic(`${id}:${secret}`)}`],
    ['form-encoded', (id, secret) => `Basic ${basic(`${encoded(id)}:${encoded(secret)}`)}`],
    ['after several spaces', (id, secret) => `basic   ${basic(`${id}:${secret}`)}`],
  ])('are taken %s', async (_how, header) => {
    const own = await newClient(steward, { token_endpoint_auth_method: 'client_secret_basic' });
    expect((await exchangeWith(own, header)).status).toBe(200);
    expect((await exchangeWith(own, header, { client_id: own.client_id })).status).toBe(200);
    expect(await exchangeWith(own, header, { client_id: client.client_id })).toMatchObject({ status: 400 });
  });

  it('name a client without a secret where theirs is empty', async () => {
    const header = (id: string) => `Basic ${basic(`${encoded(id)}:`)}`;
    const { status, body } = await exchangeWith(client, header);
    expect(status).toBe(200);
    expect((await exchangeWith(client, header, { client_id: client.client_id })).status).toBe(200);
    const other = await newClient(steward);
    expect(await exchangeWith(client, header, { client_id: other.client_id })).toMatchObject({ status: 400 });
    const withSecret = await newClient(steward, { token_endpoint_auth_method: 'client_secret_basic' });
    expect(await exchangeWith(withSecret, header)).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
    const headers = { authorization: header(client.client_id) };
    expect((await steward.call('/oauth/revoke', { form: { token: body.refresh_token }, headers })).status).toBe(200);
    expect(await refresh(steward, client, body.refresh_token)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });
});

describe('GET /oauth/authorize', () => {
  it.each([
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['PKCE without a method', { code_challenge_method: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'x'.repeat(42) }, 'invalid_request'],
    ['a foreign resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['a resource that looks alike', { resource: 'RESOURCE/' }, 'invalid_target'],
    ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['no response type', { response_type: undefined }, 'invalid_request'],
    ['an ID token', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['prompt=none', { prompt: 'none' }, 'consent_required'],
    ['form_post', { response_mode: 'form_post' }, 'unsupported_response_mode'],
    ['fragment', { response_mode: 'fragment' }, 'unsupported_response_mode'],
  ])('with %s returns an error with iss and state', async (_what, parameters: Record<string, string | undefined>, error) => {
    const resource = parameters.resource?.replace('RESOURCE', `${steward.url}/mcp`);
    const given = { ...parameters, ...(resource !== undefined && { resource }), state: 's' };
    expect(await returned(given)).toMatchObject({ error, iss: steward.url, state: 's' });
  });

  it('with a parameter twice returns an error', async () => {
    expect(await returned({}, '&scope=read&scope=write')).toMatchObject({ error: 'invalid_request' });
    expect(await returned({}, `&resource=${steward.url}/mcp&resource=https://other.example`)).toMatchObject({ error: 'invalid_target' });
  });

  it.each([
    [undefined, 'read write'],
    ['', 'read write'],
    ['  ', 'read write'],
    ['read', 'read'],
    [' read', 'read'],
    ['read ', 'read'],
    ['\tread\n', 'read'],
    ['read read', 'read'],
    ['openid  read mcp:tools', 'read'],
    ['write', 'read write'],
    ['read  write', 'read write'],
    ['write read offline_access', 'read write'],
    ['claudeai', 'read write'],
    ['mcp:tools "quoted" \\', 'read write'],
    ['openid email profile', 'read write'],
    [' offline_access', 'read write'],
    ['READ', 'read write'],
    ['bücher', 'read write'],
  ])('takes of the scope %j what it knows, or its default, and states what was granted', async (scope, granted) => {
    const authorization = new Authorization(client, await browserOf(), { scope });
    const code = await authorization.code((fields) => fields.set('access', 'write'));
    const { body } = await authorization.exchange(steward, code);
    expect(body.scope).toBe(granted);
    expect((await refresh(steward, client, body.refresh_token, { scope: ' mail:send  "' })).body.scope).toBe(granted);
  });

  it('takes its resource in each spelling of the same address, also twice, and a refresh too', async () => {
    const own = new URL(`${steward.url}/mcp`);
    const spellings = [
      `HTTP://${own.host}/mcp`,
      `Http://${own.host}/%6D%63p`,
      `http://${own.host}/./mcp`,
      `http://${own.host}/x/%2e%2E/mcp`,
    ];
    for (const resource of spellings) {
      const authorization = new Authorization(client, await browserOf(), { resource });
      const { body } = await authorization.exchange(steward, await authorization.code(), { resource });
      expect(body, resource).toMatchObject({ scope: 'read' });
      const refreshed = await refresh(steward, client, body.refresh_token, { resource });
      expect(await authenticate(refreshed.body.access_token), resource).toMatchObject({ label: 'Notes' });
    }
    const more = `&resource=${spellings.map(encodeURIComponent).join('&resource=')}&resource=`;
    const browser = await browserOf();
    const response = await browser.visit(new Authorization(client, browser, { resource: own.href }).path + more);
    expect(locationOf(response)).toContain('/oauth/consent/');
  });

  it.each([
    'https://app.example.com/callback/',
    'https://app.example.com/callback/more',
    'https://app.example.com/callback?x=1',
    'https://app.example.com/Callback',
    'https://app.example.com:8443/callback',
    'https://app.example.com.evil.example/callback',
    'https://app.example.com@evil.example/callback',
    'https://user@app.example.com/callback',
    'https://app.example.com/callback#x',
    'http://app.example.com/callback',
    'https://app.example.com\\@evil.example/callback',
    'javascript:alert(1)',
    '',
  ])('never leads to %j, which is not registered', async (uri) => {
    const response = await steward.call(new Authorization(client, new FormBrowser(steward.url), { redirect_uri: uri }).path, {
      headers: { accept: 'text/html' },
    });
    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    expect(response.text).toContain('<h1>This did not work</h1>');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('with more than 4,096 characters is not returned to the client', async () => {
    const browser = new FormBrowser(steward.url);
    const { path } = new Authorization(client, browser, { state: '' });
    const { length } = new URL(path, steward.url).search.slice(1);
    const open = (state: string) => steward.call(new Authorization(client, browser, { state }).path);
    expect((await open('s'.repeat(4_096 - length))).status).toBe(303);
    expect(await open('s'.repeat(4_097 - length))).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  it('takes any port of a registered loopback address, and nothing else of it', async () => {
    const local = await newClient(steward, { redirect_uris: ['http://127.0.0.1:1234/cb', 'http://localhost/cb', 'http://[::1]/cb'] });
    const opens = async (uri: string) =>
      (await steward.call(new Authorization(local, new FormBrowser(steward.url), { redirect_uri: uri }).path)).status;
    for (const uri of ['http://127.0.0.1:9/cb', 'http://127.0.0.1/cb', 'http://localhost:5555/cb', 'http://[::1]:80/cb']) {
      expect(await opens(uri), uri).toBe(303);
    }
    for (const uri of ['http://127.0.0.1:9/other', 'http://127.0.0.2/cb', 'http://localhost.evil.example/cb', 'https://localhost/cb']) {
      expect(await opens(uri), uri).toBe(400);
    }
  });

  it('rejects unknown clients, HEAD, prefetch and POST, and keeps no session', async () => {
    const browser = new FormBrowser(steward.url);
    const { path } = new Authorization({ client_id: 'nobody' }, browser);
    expect(await steward.call(path)).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
    const good = new Authorization(client, browser);
    const before = await steward.sql('select 1 from oauth_entries');
    expect((await steward.call(good.path, { method: 'HEAD' })).status).toBe(405);
    expect((await steward.call(good.path, { headers: { 'sec-purpose': 'prefetch' } })).status).toBe(405);
    expect((await steward.call(good.path, { method: 'POST' })).status).toBe(405);
    expect(await steward.sql('select 1 from oauth_entries')).toEqual(before);
    const response = await browser.visit(good.path);
    const cookies = response.headers.getSetCookie();
    expect(cookies.map((cookie) => cookie.split('=')[0]).toSorted()).toEqual(
      ['steward_oauth', 'steward_oauth.sig', 'steward_oauth_resume', 'steward_oauth_resume.sig'].toSorted(),
    );
    for (const cookie of cookies) expect(cookie).toMatch(/path=\/oauth\/(?:consent|authorize)\/[\w-]{43};.*httponly/i);
  });
});

describe('the metadata', () => {
  it('names the endpoints, and what clients look for', async () => {
    const { body } = await steward.call(METADATA);
    expect(body).toMatchObject({
      issuer: steward.url,
      token_endpoint: `${steward.url}/oauth/token`,
      client_id_metadata_document_supported: true,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      response_types_supported: ['code'],
    });
    expect(body.token_endpoint_auth_methods_supported).toContain('none');
    const { body: keys } = await steward.call('/oauth/jwks');
    expect(keys.keys).toEqual([expect.objectContaining({ kty: 'EC', crv: 'P-256', alg: 'ES256' })]);
    expect(keys.keys[0]).not.toHaveProperty('d');
  });

  it.each([
    { host: 'evil.example' },
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    { forwarded: 'host=evil.example;proto=https' },
  ])('and redirects are the same with %j', async (headers) => {
    const plain = await steward.call(METADATA);
    expect((await steward.call(METADATA, { headers: headers as Record<string, string> })).body).toEqual(plain.body);
    const { path } = new Authorization(client, new FormBrowser(steward.url));
    const response = await steward.call(path, { headers: headers as Record<string, string> });
    expect(response.headers.get('location')).toMatch(new RegExp(`^${steward.url}/oauth/consent/`));
  });

  it('and tokens may be requested by pages of any origin, without cookies; pages are not', async () => {
    const headers = { origin: 'https://inspector.example', 'access-control-request-method': 'POST' };
    for (const path of [METADATA, '/oauth/token', '/oauth/register', '/oauth/revoke', '/oauth/jwks']) {
      const preflight = await steward.call(path, { method: 'OPTIONS', headers });
      expect(preflight.headers.get('access-control-allow-origin'), path).toBe('*');
      expect(preflight.headers.get('access-control-allow-credentials'), path).toBeNull();
    }
    const metadata = await steward.call(METADATA, { headers: { origin: 'https://inspector.example' } });
    expect(metadata.headers.get('access-control-expose-headers')).toBe('x-request-id,retry-after,www-authenticate');
    const token = await steward.call('/oauth/token', { form: { grant_type: 'x' }, headers: { origin: 'https://inspector.example' } });
    expect(token.headers.get('access-control-allow-origin')).toBe('*');
    expect(token.headers.get('access-control-expose-headers')).toBe('x-request-id,retry-after,www-authenticate');
    const authorize = await steward.call('/oauth/authorize', { method: 'OPTIONS', headers });
    expect(authorize.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('the public keys', () => {
  it('include those that another replica has made, within half a minute', async () => {
    const running = await startSteward();
    const { db, keyring } = running.context;
    const keys = async () => (await running.call('/oauth/jwks')).body.keys;
    expect(await keys()).toHaveLength(1);
    await new ServiceSecrets(db, keyring).rotate();
    await running.clock.advance(30_000);
    expect(await keys()).toHaveLength(2);
    await running.stop();
  });
});

describe('a service at an https address', () => {
  it('prints it everywhere, with Secure cookies', async () => {
    const base = 'https://steward.example.com';
    const running = await startSteward({ PUBLIC_URL: base });
    const other = serviceAt(running.address);
    try {
      expect((await other.call(METADATA)).body).toMatchObject({ issuer: base });
      const own = await newClient(other);
      const response = await other.call(new Authorization(own, new FormBrowser(other.url)).path);
      expect(response.status).toBe(303);
      expect(response.headers.get('location')).toMatch(/^https:\/\/steward\.example\.com\/oauth\/consent\//);
      for (const cookie of response.headers.getSetCookie()) expect(cookie).toMatch(/path=\/oauth\/.*secure/i);
    } finally {
      await running.stop();
    }
  });
});
