import { createHmac } from 'node:crypto';
import { generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startIssuer, type TestIssuer } from '../../support/servers/issuer.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';

const MINUTES = 60;
const MINUTE_MS = 60_000;

let issuer: TestIssuer;
let steward: TestSteward;
let now: number;

beforeAll(async () => {
  issuer = await startIssuer();
  steward = await startSteward({ ...issuer.env });
  now = Math.floor(steward.clock.now() / 1000);
});

afterAll(async () => {
  await steward.stop();
  await issuer.close();
});

function integrations(token: string | undefined, on = steward) {
  return on.call('/integrations', token === undefined ? {} : { token });
}

async function userCount(): Promise<number> {
  const rows = await steward.sql<{ count: number }>('select count(*)::int as count from users');
  return rows[0]?.count ?? 0;
}

/** A token made by hand, since no library signs it. */
async function forged(header: object, sign: (input: string) => string, claims: Record<string, unknown> = {}): Promise<string> {
  const [, payload] = (await issuer.sign('ada', claims)).split('.');
  const input = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${payload}`;
  return `${input}.${sign(input)}`;
}

describe('every endpoint that requires an ID token', () => {
  it('is protected before the request is validated', async () => {
    const { paths } = (await steward.call('/openapi.json')).body;
    const guarded = Object.entries<Record<string, any>>(paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { security }]) => (security.length > 0 ? [{ method: method.toUpperCase(), path }] : [])),
    );
    expect(guarded.map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining([
        'POST /workspace_access_request',
        'GET /auth/workspace/accounts',
        'POST /auth/bank/create_link_token',
        'POST /auth/bank/set_access_token',
        'GET /auth/bank/accounts',
        'DELETE /auth/bank/accounts/{account_id}',
        'GET /integrations',
        'DELETE /user',
      ]),
    );
    for (const { method, path } of guarded) {
      const concrete = path.replace(/\{\w+\}/g, 'no-id');
      for (const headers of [{}, { authorization: '' }, { authorization: 'Bearer' }, { authorization: 'Bearer nonsense' }]) {
        expectError(await steward.call(concrete, { method, headers }), 'invalid_token');
      }
    }
    expect(await userCount()).toBe(0);
  });

  it('accepts no token from the query or the body', async () => {
    const token = await issuer.sign('ada');
    expectError(await steward.call(`/integrations?token=${token}&authorization=${token}&access_token=${token}`), 'invalid_token');
    expectError(
      await steward.call('/workspace_access_request', { form: { email: 'a@example.com', token, access_token: token } }),
      'invalid_token',
    );
  });
});

describe('an ID token', () => {
  it('is accepted without a prefix', async () => {
    expect((await integrations(await issuer.sign('ada'))).status).toBe(200);
  });

  it.each(['Bearer ', 'bearer ', 'BEARER   '])('is accepted after %j too', async (prefix) => {
    expect((await integrations(`${prefix}${await issuer.sign('ada')}`)).status).toBe(200);
  });

  it.each(['Basic ', 'Token ', 'Bearer,', 'Bearer Bearer '])('is rejected after %j', async (prefix) => {
    expectError(await integrations(`${prefix}${await issuer.sign('ada')}`), 'invalid_token');
  });

  it.each<[string, () => Promise<string>]>([
    ['without a signature (alg none)', () => forged({ alg: 'none', kid: 'test-key' }, () => '')],
    ['with alg None and a signature', () => forged({ alg: 'None', kid: 'test-key' }, () => 'c2ln')],
    ['signed with HS256 and the public key', () => forged({ alg: 'HS256', kid: 'test-key' }, hmacWithPublicKey)],
    ['signed by another key', otherKey],
    ['that brings its own key', async () => forged({ alg: 'RS256', jwk: issuer.publicKey, kid: 'own' }, () => 'c2ln')],
    ['with a changed payload', tampered],
    ['for another audience', () => issuer.sign('ada', { aud: 'someone-else' })],
    ['for no audience', () => issuer.sign('ada', { aud: undefined })],
    ['of another issuer', () => issuer.sign('ada', { iss: 'https://evil.example' })],
    ['of an issuer with ours as a prefix', () => issuer.sign('ada', { iss: `${issuer.env.OIDC_ISSUER}.evil.example` })],
    ['issued ten minutes ahead', () => issuer.sign('ada', { iat: now + 10 * MINUTES })],
    ['of a sign-in ten minutes ahead', () => issuer.sign('ada', { auth_time: now + 10 * MINUTES })],
    ['valid only in ten minutes', () => issuer.sign('ada', { nbf: now + 10 * MINUTES })],
    ['without an expiry', () => issuer.sign('ada', { exp: undefined })],
    ['without a subject', () => issuer.sign('ada', { sub: undefined })],
    ['with an empty subject', () => issuer.sign('ada', { sub: '' })],
    ['with a critical extension', () => forged({ alg: 'RS256', kid: 'test-key', crit: ['x'], x: 1 }, () => 'c2ln')],
    ['of 9,000 characters', () => issuer.sign('ada', { filler: 'x'.repeat(7_000) })],
  ])('%s is rejected with 401 invalid_token', async (_name, make) => {
    const before = await userCount();
    expectError(await integrations(await make()), 'invalid_token', 'The ID token is not valid.');
    expect(await userCount()).toBe(before);
  });

  it('that has expired is rejected with 401 token_expired', async () => {
    const response = await integrations(await issuer.sign('ada', { iat: now - 7_200, auth_time: now - 7_200, exp: now - 1 }));
    expectError(response, 'token_expired');
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer realm="steward", error="invalid_token", error_description="The ID token has expired."',
    );
  });

  it('is never logged, valid or not', async () => {
    const good = await issuer.sign('ada', { sub: 'logged' });
    const bad = await issuer.sign('ada', { aud: 'someone-else' });
    await integrations(good);
    await integrations(bad);
    for (const token of [good, bad]) for (const part of token.split('.').slice(1)) expect(steward.logs.join('')).not.toContain(part);
  });

  it('with an unknown key id causes at most one more fetch of the keys, also in a flood of them', async () => {
    const tokens = await Promise.all(Array.from({ length: 200 }, (_, index) => issuer.sign('ada', {}, { kid: `unknown-${index}` })));
    // The first unknown key id after a minute is looked up.
    await steward.clock.advance(MINUTE_MS);
    const before = issuer.keyFetches();
    expectError(await integrations(await issuer.sign('ada', {}, { kid: 'unknown' })), 'invalid_token');
    expect(issuer.keyFetches() - before).toBe(1);
    const { length } = steward.logs;
    const responses = await Promise.all(tokens.map((token) => integrations(token)));
    // Any of them may name a new key; a 401 would sign its user out.
    for (const response of responses) expectError(response, 'unavailable');
    expect(steward.logs.slice(length).filter((line) => line.includes('request failed'))).toEqual([]);
    expect(issuer.keyFetches() - before).toBe(1);
  });
});

describe('a user', () => {
  it('is identified by issuer and subject, not by the address', async () => {
    const before = await userCount();
    await integrations(await issuer.sign('ada', { sub: 'one', email: 'same@example.org' }));
    await integrations(await issuer.sign('ada', { sub: 'one', email: 'changed@example.org' }));
    await integrations(await issuer.sign('ada', { sub: 'two', email: 'same@example.org' }));
    expect((await userCount()) - before).toBe(2);
    expect(await steward.sql(`select email from users where subject in ('one', 'two') order by subject`)).toEqual([
      { email: 'changed@example.org' },
      { email: 'same@example.org' },
    ]);
  });

  it.each([
    ['unverified', { email_verified: false }],
    ['verified only as a string', { email_verified: 'true' }],
    ['without email_verified', { email_verified: undefined }],
    ['that is not an address', { email: 'ada@example.com<script>' }],
  ])('is not labelled with an address %s', async (name, claims) => {
    await integrations(await issuer.sign('ada', { sub: `label ${name}`, email: 'victim@example.org', ...claims }));
    expect(await steward.sql('select email from users where subject = $1', [`label ${name}`])).toEqual([{ email: null }]);
  });
});

describe('a verified token', () => {
  it('is accepted while the issuer is down, as is another token of a known key', async () => {
    const known = await issuer.sign('ada', { sub: 'remembered' });
    expect((await integrations(known)).status).toBe(200);
    issuer.goDown();
    try {
      expect((await integrations(known)).status).toBe(200);
      expect((await integrations(await issuer.sign('ada', { sub: 'remembered-too' }))).status).toBe(200);
    } finally {
      issuer.goUp();
    }
  });

  it('causes one look-up in the database', async () => {
    const token = await issuer.sign('ada', { sub: 'once', email: 'once@example.org' });
    await integrations(token);
    // What a look-up would correct.
    await steward.sql(`update users set email = 'changed@example.org' where subject = 'once'`);
    const emails = () => steward.sql(`select email from users where subject = 'once'`);
    expect((await integrations(token)).status).toBe(200);
    expect(await emails()).toEqual([{ email: 'changed@example.org' }]);
    expect((await integrations(await issuer.sign('ada', { sub: 'once', email: 'once@example.org', jti: 'another' }))).status).toBe(200);
    expect(await emails()).toEqual([{ email: 'once@example.org' }]);
  });
});

describe('an unavailable issuer', () => {
  it('makes tokens 503, never 401 and never accepted, until it is available', async () => {
    const unavailable = await startIssuer();
    const waiting = await startSteward({ ...unavailable.env });
    try {
      unavailable.goDown();
      expectError(await integrations(await unavailable.sign('ada'), waiting), 'unavailable');
      expect(await waiting.sql('select id from users')).toEqual([]);
      const alarms = waiting.logs.filter((line) => JSON.parse(line).level === 50);
      expect(alarms.join('')).toContain('There are no signing keys');
    } finally {
      await waiting.stop();
      await unavailable.close();
    }
  });
});

function hmacWithPublicKey(input: string): string {
  return createHmac('sha256', JSON.stringify(issuer.publicKey)).update(input).digest('base64url');
}

async function otherKey(): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256');
  const claims = { iss: issuer.env.OIDC_ISSUER, aud: issuer.env.OIDC_AUDIENCE, sub: 'eve', iat: now, exp: now + 3_600 };
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'test-key' }).sign(privateKey);
}

async function tampered(): Promise<string> {
  const [header, , signature] = (await issuer.sign('ada')).split('.');
  const [, payload] = (await issuer.sign('ada', { sub: 'eve' })).split('.');
  return `${header}.${payload}.${signature}`;
}
