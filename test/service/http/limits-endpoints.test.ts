import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startIssuer, type TestIssuer } from '../../support/servers/issuer.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';
import type { CallOptions, HttpResponse } from '../../support/users/request.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const WAYS_TO_PROVIDERS = [
  'POST /workspace_access_request',
  'GET /auth/workspace/login',
  'GET /auth/workspace/callback',
  'POST /auth/workspace/confirm',
  'POST /auth/bank/create_link_token',
  'POST /auth/bank/set_access_token',
  'POST /auth/bank/accounts/{account_id}/refresh',
  'GET /sign-in',
  'GET /auth/session/callback',
  'POST /auth/session',
];
/** Limited by address only: who asks is not known yet. */
const UNGUARDED = ['POST /auth/workspace/confirm', 'POST /auth/session'];

let steward: TestSteward;
let issuer: TestIssuer;
let endpoints: { endpoint: string; guarded: boolean }[];
let addresses = 0;

beforeAll(async () => {
  const ONE = { LIMIT_REQUESTS_PER_MINUTE: '1', LIMIT_PROBES_PER_MINUTE: '1', LIMIT_USER_REQUESTS_PER_MINUTE: '1' };
  issuer = await startIssuer();
  steward = await startSteward({ ...ONE, ...issuer.env, TRUST_PROXY: '1' });
  const { paths } = (await callFrom(newAddress(), 'GET /openapi.json')).body;
  endpoints = Object.entries<Record<string, any>>(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { security }]) => ({
      endpoint: `${method.toUpperCase()} ${path}`,
      guarded: security.length > 0,
    })),
  );
  endpoints.push({ endpoint: 'GET /openapi.json', guarded: false });
});

afterAll(async () => {
  await steward.stop();
  issuer.close();
});

function newAddress(): string {
  addresses += 1;
  return `203.0.${Math.floor(addresses / 250)}.${(addresses % 250) + 1}`;
}

function callFrom(address: string, endpoint: string, options: CallOptions = {}): Promise<HttpResponse> {
  const [method = '', path = ''] = endpoint.split(' ');
  const headers = { 'x-forwarded-for': address, ...options.headers };
  return steward.call(path.replace(/\{\w+\}/g, UNKNOWN), { ...options, method, headers });
}

function expectLimited(response: HttpResponse, endpoint: string): void {
  expectError(response, 'rate_limited');
  const seconds = Number(response.headers.get('retry-after'));
  expect(seconds, endpoint).toBeGreaterThanOrEqual(1);
  expect(seconds, endpoint).toBeLessThanOrEqual(60);
}

describe('every endpoint', () => {
  it('is 429 with Retry-After to an address with too many requests, and to no other', async () => {
    expect(endpoints.length).toBeGreaterThan(20);
    for (const { endpoint } of endpoints) {
      const address = newAddress();
      expect((await callFrom(address, endpoint)).status, endpoint).not.toBe(429);
      expectLimited(await callFrom(address, endpoint), endpoint);
      expect((await callFrom(newAddress(), endpoint)).status, endpoint).not.toBe(429);
    }
  });

  it('with an ID token is 429 with Retry-After to a user with too many requests, from any address', async () => {
    const guarded = endpoints.filter((one) => one.guarded).map(({ endpoint }) => endpoint);
    expect(guarded.length).toBeGreaterThan(8);
    for (const [index, endpoint] of guarded.entries()) {
      const [token, another] = [await issuer.sign(`often-${index}`), await issuer.sign(`seldom-${index}`)];
      expect((await callFrom(newAddress(), 'GET /integrations', { token })).status).toBe(200);
      expectLimited(await callFrom(newAddress(), endpoint, { token }), endpoint);
      expect((await callFrom(newAddress(), endpoint, { token: another })).status, endpoint).not.toBe(429);
    }
  });

  it('including the one with the ID token in its query', async () => {
    const token = await issuer.sign('in-query');
    expect((await callFrom(newAddress(), 'GET /integrations', { token })).status).toBe(200);
    expectLimited(await callFrom(newAddress(), `GET /auth/workspace/login?token=${token}`), 'login');
  });

  it('counts another token of the same user as the same user', async () => {
    const first = await issuer.sign('two-tokens');
    expect((await callFrom(newAddress(), 'GET /integrations', { token: first })).status).toBe(200);
    const second = await issuer.sign('two-tokens');
    expectLimited(await callFrom(newAddress(), 'GET /integrations', { token: `Bearer ${second}` }), 'integrations');
  });

  it('counts rejected requests, unknown addresses and preflights', async () => {
    for (const endpoint of ['GET /integrations', 'GET /nothing', 'PUT /user', 'GET /assets/none', 'POST /sandbox/none']) {
      const address = newAddress();
      expect((await callFrom(address, endpoint)).status, endpoint).toBeGreaterThanOrEqual(400);
      expectLimited(await callFrom(address, endpoint), endpoint);
    }
    const [address, headers] = [newAddress(), { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' }];
    expect((await callFrom(address, 'OPTIONS /user', { headers })).status).toBe(204);
    expectLimited(await callFrom(address, 'OPTIONS /user', { headers }), 'preflight');
  });
});

describe('a request that leads to a provider', () => {
  it('has a lower limit than others, by address and by user', async () => {
    const tight = await startSteward({
      LIMIT_PROVIDER_REQUESTS_PER_MINUTE: '4',
      LIMIT_USER_PROVIDER_REQUESTS_PER_MINUTE: '2',
      TRUST_PROXY: '1',
    });
    const call = (endpoint: string, address: string, token?: string) => {
      const [method = '', path = ''] = endpoint.split(' ');
      const headers = { 'x-forwarded-for': address };
      return tight.call(path.replace('{account_id}', UNKNOWN), { method, headers, ...(token !== undefined && { token }) });
    };
    try {
      for (const endpoint of WAYS_TO_PROVIDERS) {
        const [address, token] = [newAddress(), await tight.signIn(`flood-${addresses}`)];
        for (let tries = 0; tries < 4; tries += 1) expect((await call(endpoint, address)).status, endpoint).not.toBe(429);
        expectLimited(await call(endpoint, address), endpoint);
        expect((await call('GET /integrations', address, token)).status).toBe(200);
        if (!endpoint.startsWith('POST') || UNGUARDED.includes(endpoint)) continue;
        for (let tries = 0; tries < 2; tries += 1) expect((await call(endpoint, newAddress(), token)).status, endpoint).not.toBe(429);
        expectLimited(await call(endpoint, newAddress(), token), endpoint);
        expect((await call('GET /auth/bank/accounts', newAddress(), token)).status).toBe(200);
      }
      const token = await tight.signIn('login-flood');
      const login = () => call(`GET /auth/workspace/login?token=${token}`, newAddress());
      expect([(await login()).status, (await login()).status, (await login()).status]).toEqual([303, 303, 429]);
    } finally {
      await tight.stop();
    }
  });
});
