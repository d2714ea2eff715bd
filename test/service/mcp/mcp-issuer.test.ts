import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LoopbackServer, startLoopbackServer } from '../../support/servers/loopback-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { McpClient } from '../../support/users/mcp-client.ts';

const { privateKey, publicKey } = await generateKeyPair('ES256');
const stranger = await generateKeyPair('ES256');

let issuer: LoopbackServer;
let steward: TestSteward;
let subject: string;
let users = 0;

beforeAll(async () => {
  const key = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' };
  issuer = await startLoopbackServer((request, response) => {
    const isDiscovery = request.url === '/.well-known/openid-configuration';
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(isDiscovery ? { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` } : { keys: [key] }));
  });
  steward = await startSteward({ OIDC_ISSUER: issuer.url, OIDC_AUDIENCE: 'front-end', MCP_ISSUER: issuer.url });
});
afterAll(async () => {
  await steward?.stop();
  await issuer?.close();
});
beforeEach(async () => {
  users += 1;
  subject = `user-${users}`;
  expect((await steward.call('/clients', { token: await idToken() })).status).toBe(200);
});

/** By the service's clock. */
const seconds = () => Math.floor(steward.clock.now() / 1000);

function sign(claims: JWTPayload, typ: string, key = privateKey): Promise<string> {
  return new SignJWT({ iss: issuer.url, sub: subject, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'k', typ })
    .setIssuedAt(claims.iat ?? seconds())
    .setExpirationTime(seconds() + 600)
    .sign(key);
}

const idToken = (claims: JWTPayload = {}) =>
  sign({ aud: 'front-end', email: `${subject}@example.com`, email_verified: true, ...claims }, 'JWT');
const accessToken = (claims: JWTPayload = {}, typ = 'at+jwt', key = privateKey) =>
  sign({ aud: `${steward.url}/mcp`, client_id: 'https://client.example/metadata.json', scope: 'read write', ...claims }, typ, key);

const list = async (token: string) => (await new McpClient(steward, token).request('tools/list')).status;

async function clients(): Promise<any[]> {
  return (await steward.call('/clients', { token: await idToken() })).body.clients;
}

describe('an access token of the operator’s own server', () => {
  it('admits its client, which is listed, and may do what its scopes say', async () => {
    expect(await list(await accessToken())).toBe(200);
    expect(await list(await accessToken())).toBe(200);
    expect(await list(await accessToken({ scope: 'openid read' }, 'JWT'))).toBe(200);
    expect(await list(await accessToken({ client_id: undefined, azp: 'other-client' }))).toBe(200);
    expect(await list(await accessToken({ client_id: null, azp: 'other-client', auth_time: null }))).toBe(200);
    expect(await list(await accessToken({ client_id: null, azp: null }))).toBe(401);
    const listed = (await clients()).map(({ kind, host, access }) => ({ kind, host, access }));
    // One for all tokens of a client, whatever each may do.
    expect(listed).toHaveLength(2);
    expect(listed).toContainEqual({ kind: 'oauth', host: 'client.example', access: 'write' });
    expect(listed).toContainEqual({ kind: 'oauth', host: null, access: 'write' });
  });

  it('admits a client beyond the fiftieth in place of the one that was unused for longest', async () => {
    const of = (client: string) => accessToken({ client_id: client, auth_time: seconds() + 1 });
    for (let number = 0; number < 50; number += 1) expect(await list(await of(`c${number}`))).toBe(200);
    expect(await list(await of('one more'))).toBe(200);
    const ended = async () => (await clients()).filter(({ revoked_at: at }) => at !== null).length;
    expect(await ended()).toBe(1);
    // A token takes the place of none.
    const body = JSON.stringify({ name: 'script', actions: ['*'], access: 'read' });
    const token = await idToken({ auth_time: seconds() });
    const response = await steward.call('/tokens', { token, body, headers: { 'content-type': 'application/json' } });
    expect(response).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await ended()).toBe(1);
  });

  it('names that server in the metadata, and the embedded one is off', async () => {
    const { body } = await steward.call('/.well-known/oauth-protected-resource/mcp');
    expect(body.authorization_servers).toEqual([issuer.url]);
    for (const path of ['/.well-known/oauth-authorization-server', '/oauth/authorize', '/oauth/jwks']) {
      expect((await steward.call(path)).status, path).toBe(404);
    }
  });

  it('is rejected if it is for another audience, of another issuer, expired, forged, an ID token or without scopes', async () => {
    const wrong = [
      await accessToken({ aud: 'front-end' }),
      await accessToken({ aud: steward.url }),
      await accessToken({ iss: 'https://other.example' }),
      await expired(600),
      await expired(5),
      await accessToken({ nbf: seconds() + 600 }),
      await accessToken({}, 'at+jwt', stranger.privateKey),
      await accessToken({ scope: '' }),
      await accessToken({ scope: 'openid email' }),
      await accessToken({ client_id: undefined }),
      await accessToken({}, 'logout+jwt'),
      await idToken(),
      'x.y.z',
    ];
    for (const [index, token] of wrong.entries()) {
      expect(await list(token), String(index)).toBe(401);
    }
    expect(await clients()).toEqual([]);
  });

  it('is rejected for a user who has never signed in', async () => {
    subject = `stranger-${users}`;
    expect(await list(await accessToken())).toBe(401);
    expect(await steward.sql('select 1 from users where subject = $1', [subject])).toEqual([]);
  });

  it('is rejected for a user who was deleted, also once the user has signed in again', async () => {
    const token = await accessToken();
    expect(await list(token)).toBe(200);
    const erased = await steward.call('/user', { method: 'DELETE', token: await idToken({ auth_time: seconds() }) });
    expect(erased.status).toBe(200);
    expect(await list(token)).toBe(401);
    const later = { iat: seconds() + 30 };
    expect((await steward.call('/clients', { token: await idToken(later) })).status).toBe(200);
    expect(await list(token)).toBe(401);
    expect(await list(await accessToken(later))).toBe(200);
  });

  it('is rejected for a user whom the operator does not admit any more', async () => {
    expect(await list(await accessToken())).toBe(200);
    steward = await steward.restart({ ALLOWED_USERS: 'kite.example' });
    expect(await list(await accessToken())).toBe(403);
    steward = await steward.restart({ ALLOWED_USERS: 'example.com' });
    expect(await list(await accessToken())).toBe(200);
  });

  it('is no credential anywhere else', async () => {
    const token = await accessToken();
    for (const path of ['/clients', '/tokens', '/approvals', '/tools', '/user/export']) {
      expect((await steward.call(path, { token })).status, path).toBe(401);
    }
  });

  it('ends with its client, until the user signs in again', async () => {
    const now = seconds();
    expect(await list(await accessToken({ auth_time: now - 60 }))).toBe(200);
    const [{ id }] = await clients();
    await steward.sql(
      `insert into contexts (user_id, name, tainted_until) select user_id, $1, now() + interval '1 hour' from client_grants where id = $2`,
      [`client:${id}`, id],
    );
    expect((await steward.call(`/clients/${id}`, { method: 'DELETE', token: await idToken() })).status).toBe(200);
    expect(await list(await accessToken({ auth_time: now - 60 }))).toBe(401);
    // Refreshed, without a sign-in that it could tell of.
    expect(await list(await accessToken())).toBe(401);
    await steward.sql(
      `update client_grants set revoked_at = revoked_at - interval '40 days', created_at = created_at - interval '41 days'`,
    );
    expect(await list(await accessToken({ auth_time: now - 41 * 86_400 }))).toBe(401);
    expect(await list(await accessToken({ auth_time: now }))).toBe(200);
    expect((await clients()).map((client) => client.id)).toEqual([id]);
    // What it has read before counts.
    expect(await steward.sql('select 1 from contexts where name = $1', [`client:${id}`])).toHaveLength(1);
  });

  it('makes one grant for its client, however many requests it begins with', async () => {
    const token = await accessToken();
    expect(await Promise.all(Array.from({ length: 8 }, () => list(token)))).toEqual(Array(8).fill(200));
    expect(await clients()).toHaveLength(1);
  });
});

function expired(secondsAgo: number): Promise<string> {
  return new SignJWT({ iss: issuer.url, sub: subject, aud: `${steward.url}/mcp`, client_id: 'c', scope: 'read' })
    .setProtectedHeader({ alg: 'ES256', kid: 'k', typ: 'at+jwt' })
    .setIssuedAt(seconds() - 1_200)
    .setExpirationTime(seconds() - secondsAgo)
    .sign(privateKey);
}
