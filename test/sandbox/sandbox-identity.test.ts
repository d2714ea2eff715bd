import { hash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { createRemoteJWKSet, decodeJwt, type JWTVerifyResult, jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostSandbox, type SandboxHost, temporaryDirectory } from '../support/emulators/sandbox-host.ts';
import { eventually } from '../support/time/eventually.ts';

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

function signIn(fields: Record<string, string> = {}, at = host): Promise<Response> {
  return fetch(`${at.url}/sandbox/identity/token`, { method: 'POST', body: new URLSearchParams(fields) });
}

async function idToken(fields: Record<string, string> = {}, at = host): Promise<string> {
  return ((await (await signIn(fields, at)).json()) as { id_token: string }).id_token;
}

/** Verifies as a relying party does: discovery, key set, signature, issuer, audience. */
async function verify(token: string, at = host): Promise<JWTVerifyResult> {
  const { identity } = at.sandbox;
  const discovery = (await (await fetch(identity.discoveryUrl)).json()) as { issuer: string; jwks_uri: string };
  expect(discovery.issuer).toBe(identity.issuer);
  const keys = createRemoteJWKSet(new URL(discovery.jwks_uri));
  return jwtVerify(token, keys, { issuer: identity.issuer, audience: identity.audience, algorithms: ['RS256'] });
}

/** A request with headers that fetch does not allow. */
function statusWith(
  headers: Record<string, string>,
  path = '/sandbox/identity/jwks.json',
  method = 'GET',
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(`${host.url}${path}`, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
    call.on('error', reject).end();
  });
}

describe('POST /sandbox/identity/token', () => {
  it('signs in as demo if no user is given', async () => {
    const { payload } = await verify(await idToken());
    expect(payload).toMatchObject({ email: 'demo@example.com', email_verified: true, name: 'Demo' });
    expect(payload.auth_time).toBe(payload.iat);
    expect(payload.exp).toBe((payload.iat ?? 0) + 3600);
  });

  it('accepts JSON like forms', async () => {
    const response = await fetch(`${host.url}/sandbox/identity/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user: 'ana' }),
    });
    const { id_token: token, expires_in: life } = (await response.json()) as { id_token: string; expires_in: number };
    expect((await verify(token)).payload.email).toBe('ana@example.com');
    expect(life).toBe(3600);
  });

  it('gives every user a distinct, stable subject', async () => {
    const [demo, again, ana] = await Promise.all([idToken(), idToken({ user: 'demo' }), idToken({ user: 'ana' })]);
    expect(decodeJwt(demo).sub).toBe(decodeJwt(again).sub);
    expect(decodeJwt(demo).sub).not.toBe(decodeJwt(ana).sub);
  });

  it.each(['', 'Ana', 'a b', 'a@b', 'a'.repeat(65), '<b>'])('rejects the user %j', async (user) => {
    const response = await signIn({ user });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid_request', message: expect.stringContaining('user') });
  });

  it('rejects a user given twice', async () => {
    const response = await fetch(`${host.url}/sandbox/identity/token`, { method: 'POST', body: new URLSearchParams('user=a&user=b') });
    expect(response.status).toBe(400);
  });
});

describe('the issuer', () => {
  it('keeps key, issuer and subjects over a restart on another port', async () => {
    const token = await idToken({ user: 'ana' });
    await host.stop();
    host = await hostSandbox(directory.path);
    const { payload } = await verify(token);
    expect(payload.sub).toBe(decodeJwt(await idToken({ user: 'ana' })).sub);
    expect(host.sandbox.identity.issuer).not.toMatch(/\d{2,}/);
  });

  it('publishes no private part of its key', async () => {
    const { keys } = (await (await fetch(`${host.url}/sandbox/identity/jwks.json`)).json()) as { keys: object[] };
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });
});

describe('the guard', () => {
  it.each(['evil.example', 'evil.example:8080', '127.0.0.1.evil.example', 'localhost.evil.example', 'x@127.0.0.1', '10.0.0.1'])(
    'rejects the Host %j',
    async (name) => {
      const { status, body } = await statusWith({ host: name });
      expect(status).toBe(403);
      expect(JSON.parse(body)).toEqual({ status: 'error', code: 'forbidden', message: expect.any(String), request_id: expect.any(String) });
    },
  );

  it.each(['localhost', 'localhost:1', '127.0.0.1:9', '[::1]:8080'])('accepts the loopback Host %j', async (name) => {
    expect((await statusWith({ host: name })).status).toBe(200);
  });

  it.each([
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'file://',
    'https://front.example.evil.example',
    'http://front.example',
  ])('rejects the Origin %j on every route', async (origin) => {
    const headers = { host: 'localhost', origin };
    expect((await statusWith(headers)).status).toBe(403);
    expect((await statusWith(headers, '/sandbox/control/faults/clear', 'POST')).status).toBe(403);
    expect((await statusWith(headers, '/sandbox/workspace/consent', 'POST')).status).toBe(403);
    expect((await statusWith(headers, '/sandbox/bank/item/get', 'POST')).status).toBe(403);
  });

  it.each(['http://localhost:5173', 'http://127.0.0.1:3000', 'https://front.example'])('accepts the Origin %j', async (origin) => {
    expect((await statusWith({ host: 'localhost', origin })).status).toBe(200);
  });

  it('accepts the null origin of its own forms only', async () => {
    expect((await statusWith({ host: 'localhost', origin: 'null', 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await statusWith({ host: 'localhost', origin: 'null', 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  });
});

describe('POST /sandbox/control/…', () => {
  it('clock: moves the time of new tokens', async () => {
    const before = decodeJwt(await idToken()).iat ?? 0;
    await host.control('clock', { advance_ms: -7_200_000 });
    const token = await idToken();
    expect(decodeJwt(token).iat).toBeLessThanOrEqual(before - 7_100);
    await expect(verify(token)).rejects.toMatchObject({ code: 'ERR_JWT_EXPIRED' });
  });

  it('faults: returns a status for a number of requests, then responds normally', async () => {
    await host.control('faults', { part: 'identity', path: '/token', kind: 'status', status: 429, times: 2 });
    const responses = [await signIn(), await signIn(), await signIn()];
    expect(responses.map((response) => response.status)).toEqual([429, 429, 200]);
    expect(responses[0]?.headers.get('retry-after')).toBe('1');
    expect((await fetch(`${host.url}/sandbox/identity/jwks.json`)).status).toBe(200);
  });

  it('faults: names the error of a status', async () => {
    await host.control('faults', { part: 'workspace', path: '/token', kind: 'status', status: 401, error: 'invalid_client' });
    const response = await fetch(`${host.url}/sandbox/workspace/token`, { method: 'POST' });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: 'invalid_client' });
  });

  it('faults: returns truncated JSON and HTML until cleared', async () => {
    await host.control('faults', { part: 'identity', kind: 'malformed' });
    const malformed = await signIn();
    expect(malformed.headers.get('content-type')).toContain('application/json');
    await expect(malformed.json()).rejects.toThrow(SyntaxError);
    await host.control('faults/clear', {});
    await host.control('faults', { part: 'identity', kind: 'html' });
    expect(await (await signIn()).text()).toMatch(/^<!doctype html>/);
    await host.control('faults/clear', {});
    expect((await signIn()).status).toBe(200);
  });

  it('faults: delays a response', async () => {
    await host.control('faults', { part: 'identity', kind: 'delay', ms: 1, times: 1 });
    expect((await signIn()).status).toBe(200);
  });

  it('faults: hangs until the faults are cleared', async () => {
    await host.control('faults', { part: 'identity', path: '/token', kind: 'hang', times: 1 });
    const hanging = expect(signIn()).rejects.toThrow();
    await eventually(async () => (await host.state()).calls.identity['/token'] === 1);
    await host.control('faults/clear', {});
    await hanging;
  });

  it('accepts forms, too', async () => {
    const body = new URLSearchParams({ part: 'identity', kind: 'status', status: '502', times: '1' });
    expect((await fetch(`${host.url}/sandbox/control/faults`, { method: 'POST', body })).status).toBe(200);
    expect((await signIn()).status).toBe(502);
  });

  it.each([
    ['clock', { advance_ms: 'soon' }],
    ['clock', { advance_ms: '' }],
    ['clock', {}],
    ['faults', { part: 'mail', kind: 'hang' }],
    ['faults', { part: 'bank', kind: 'explode' }],
    ['faults', { part: 'bank', kind: 'hang', paths: '/x' }],
    ['workspace', { rotation: 'sometimes' }],
    ['workspace/revoke', { email: 'nobody' }],
  ])('%s rejects %j', async (path, body) => {
    await expect(host.control(path, body)).rejects.toThrow('400');
  });
});

describe('GET /sandbox/control/state', () => {
  it('counts the calls of each part by path', async () => {
    await signIn();
    await signIn();
    await fetch(`${host.url}/sandbox/identity/jwks.json`);
    expect((await host.state()).calls.identity).toEqual({ '/token': 2, '/jwks.json': 1 });
  });
});

describe('GET /sandbox/identity/authorize', () => {
  const VERIFIER = 'v'.repeat(43);
  const query = () => ({
    client_id: 'steward',
    redirect_uri: `${host.url}/auth/session/callback`,
    response_type: 'code',
    scope: 'openid email',
    state: 's',
    nonce: 'n',
    code_challenge: hash('sha256', VERIFIER, 'base64url'),
    code_challenge_method: 'S256',
  });
  const authorize = (fields: Record<string, string>) => `${host.url}/sandbox/identity/authorize?${new URLSearchParams(fields)}`;
  const decide = (fields: Record<string, string>) =>
    fetch(`${host.url}/sandbox/identity/authorize`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
  const redirectOf = async (fields: Record<string, string>) => new URL((await decide(fields)).headers.get('location') ?? '');
  const exchange = (code: string, changes: Record<string, string> = {}) =>
    signIn({
      grant_type: 'authorization_code',
      code,
      client_id: 'steward',
      redirect_uri: query().redirect_uri,
      code_verifier: VERIFIER,
      ...changes,
    });

  it('signs in a user with a code that works once, with its verifier only', async () => {
    const page = await (await fetch(authorize(query()))).text();
    expect(page).toContain('demo@example.com');
    expect(page).not.toContain('<script');
    const target = await redirectOf({ ...query(), user: 'demo', other_user: 'ada', decision: 'sign_in' });
    expect(Object.fromEntries(target.searchParams)).toMatchObject({ state: 's', iss: host.sandbox.identity.issuer });
    const code = target.searchParams.get('code') as string;
    const { id_token: token } = (await (await exchange(code)).json()) as { id_token: string };
    expect((await verify(token)).payload).toMatchObject({ email: 'ada@example.com', nonce: 'n' });
    expect((await exchange(code)).status).toBe(400);
  });

  it.each([
    { code_verifier: '' },
    { code_verifier: 'w'.repeat(43) },
    { client_id: 'other' },
    { redirect_uri: 'https://evil.example/' },
    { code: 'unknown' },
  ])('does not exchange a code with %j', async (changes) => {
    const target = await redirectOf({ ...query(), user: 'demo', decision: 'sign_in' });
    const response = await exchange(target.searchParams.get('code') as string, changes as Record<string, string>);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'invalid_grant' });
  });

  it.each([
    { redirect_uri: 'https://evil.example/' },
    { client_id: 'other' },
    { response_type: 'token' },
    { code_challenge: '' },
    { code_challenge_method: 'plain' },
    { state: '' },
  ])('does not redirect with %j', async (changes) => {
    for (const response of [
      await fetch(authorize({ ...query(), ...(changes as Record<string, string>) })),
      await decide({ ...query(), ...(changes as Record<string, string>), user: 'demo', decision: 'sign_in' }),
    ]) {
      expect(response.status).toBe(400);
      expect(response.headers.get('location')).toBeNull();
    }
  });

  it('reports a refusal, and asks again for a name that is not valid', async () => {
    expect((await redirectOf({ ...query(), decision: 'cancel' })).searchParams.get('error')).toBe('access_denied');
    const again = await decide({ ...query(), other_user: 'A B', decision: 'sign_in' });
    expect(await again.text()).toContain('role="alert"');
  });
});
