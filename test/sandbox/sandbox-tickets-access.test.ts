import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostSandbox, type SandboxHost, temporaryDirectory } from '../support/emulators/sandbox-host.ts';
import { atTickets, REDIRECT, TicketsApp } from '../support/emulators/tickets-sign-in.ts';
import { startLoopbackServer } from '../support/servers/loopback-server.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let host: SandboxHost;
let app: TicketsApp;
let clientId: string;

beforeEach(async () => {
  directory = temporaryDirectory();
  host = await hostSandbox(directory.path);
  app = new TicketsApp(host.url);
  clientId = (await app.register()).body.client_id;
});

afterEach(async () => {
  await host.stop();
  directory.remove();
});

const json = async (path: string): Promise<any> => (await fetch(host.url + path)).json();
const issuer = () => `${host.url}/sandbox/tickets`;
const PING = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
};
const isAccepted = async (token: string) => (await app.mcp(token, PING)).status === 200;

describe('what the tracker says about its sign-in', () => {
  it('names its metadata to whoever has no token, and not more', async () => {
    const response = await app.mcp(undefined, PING);
    expect(response.status).toBe(401);
    const metadata = `${host.url}/.well-known/oauth-protected-resource/sandbox/tickets/mcp`;
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${metadata}", scope="openid email tickets:read tickets:write"`,
    );
    expect(await json('/.well-known/oauth-protected-resource/sandbox/tickets/mcp')).toMatchObject({
      resource: app.resource,
      authorization_servers: [issuer()],
    });
  });

  it('has the same metadata at the places of both specifications', async () => {
    const metadata = await json('/.well-known/oauth-authorization-server/sandbox/tickets');
    expect(metadata).toMatchObject({
      issuer: issuer(),
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
    expect(await json('/sandbox/tickets/.well-known/openid-configuration')).toEqual(metadata);
  });

  it('doesn’t announce what a test has it leave out', async () => {
    await host.control('tickets/behaviour', { omit_iss: true });
    const metadata = await json('/.well-known/oauth-authorization-server/sandbox/tickets');
    expect(metadata).not.toHaveProperty('authorization_response_iss_parameter_supported');
    const response = await fetch(app.page(clientId, { resource: `${host.url}/other` }), { redirect: 'manual' });
    const back = new URL(response.headers.get('location') ?? '');
    expect([back.searchParams.get('error'), back.searchParams.get('iss')]).toEqual(['invalid_target', null]);
  });
});

describe('an authorization request', () => {
  it.each([
    ['an unknown client', 'client_id', 'nobody'],
    ['another redirect URI', 'redirect_uri', 'http://127.0.0.1:9/other'],
    ['a document of another machine', 'client_id', 'https://app.example/client.json'],
  ])('with %s leads nowhere', async (_name, parameter, value) => {
    const response = await fetch(app.page(clientId, { [parameter]: value }), { redirect: 'manual' });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('Tickets can’t be connected');
  });

  it.each([
    ['no challenge', { code_challenge: undefined }, 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['another type', { response_type: 'token' }, 'invalid_request'],
    ['no resource', { resource: undefined }, 'invalid_target'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['an unknown scope', { scope: 'tickets:everything' }, 'invalid_scope'],
  ])('with %s leads back with an error', async (_name, change, error) => {
    const response = await fetch(app.page(clientId, change), { redirect: 'manual' });
    const back = new URL(response.headers.get('location') ?? '');
    expect(back.origin + back.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error, state: 'the-state', iss: issuer() });
  });

  it('shows who asks and two people, and leads back with a code and the issuer', async () => {
    const text = await (await fetch(app.page(clientId))).text();
    for (const shown of ['A test', 'Dana Whitfield', 'Milo Ortega', 'Allow', 'Deny']) expect(text).toContain(shown);
    const back = await atTickets()(app.page(clientId));
    expect(Object.fromEntries(back.searchParams)).toEqual({ code: expect.any(String), state: 'the-state', iss: issuer() });
  });

  it('that is denied leads back with that', async () => {
    const back = await atTickets({ decision: 'deny' })(app.page(clientId));
    expect(back.searchParams.get('error')).toBe('access_denied');
    expect(back.searchParams.has('code')).toBe(false);
  });

  it('takes the document of a client on this machine, and not one that names another client', async () => {
    const documents = await startLoopbackServer((request, response) => {
      const id = request.url === '/client.json' ? `${documents.url}/client.json` : 'https://other.example/client.json';
      response.end(JSON.stringify({ client_id: id, client_name: 'Documented', redirect_uris: [REDIRECT] }));
    });
    const id = `${documents.url}/client.json`;
    const { status, body } = await app.exchange(id, await app.code(id));
    expect([status, await isAccepted(body.access_token)]).toEqual([200, true]);
    expect((await fetch(app.page(`${documents.url}/other.json`))).status).toBe(400);
    await documents.close();
  });
});

describe('the exchange of a code', () => {
  it('gives tokens, and says who signed in', async () => {
    const { status, body } = await app.exchange(clientId, await app.code(clientId, { user: 'milo' }));
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'openid email tickets:read tickets:write' });
    const { payload } = await jwtVerify(body.id_token, createRemoteJWKSet(new URL(`${issuer()}/jwks.json`)), {
      issuer: issuer(),
      audience: clientId,
    });
    expect(payload).toMatchObject({ sub: 'milo', email: 'milo@harbour.example' });
    expect(await isAccepted(body.access_token)).toBe(true);
  });

  it.each([
    ['another verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['no verifier', { code_verifier: undefined }, 'invalid_grant'],
    ['another redirect URI', { redirect_uri: 'http://127.0.0.1:9/other' }, 'invalid_grant'],
    ['no resource', { resource: undefined }, 'invalid_target'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['an unknown client', { client_id: 'nobody' }, 'invalid_client'],
    ['a secret of a client that has none', { client_secret: 'x' }, 'invalid_client'],
    ['another grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
  ])('with %s is refused', async (_name, change, error) => {
    const { status, body } = await app.exchange(clientId, await app.code(clientId), change);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body).toMatchObject({ error });
    expect(body).not.toHaveProperty('access_token');
  });

  it('works once, for a minute, and for its client only', async () => {
    const other = (await app.register()).body.client_id;
    expect((await app.exchange(other, await app.code(clientId))).body.error).toBe('invalid_grant');
    const code = await app.code(clientId);
    expect((await app.exchange(clientId, code)).status).toBe(200);
    expect((await app.exchange(clientId, code)).body.error).toBe('invalid_grant');
    const late = await app.code(clientId);
    await host.control('clock', { advance_ms: 61_000 });
    expect((await app.exchange(clientId, late)).body.error).toBe('invalid_grant');
  });

  it('asks a client for its secret in the way that it registered', async () => {
    const { client_id: id, client_secret: secret } = (await app.register({ token_endpoint_auth_method: 'client_secret_basic' })).body;
    const basic = (given: string) => ({ authorization: `Basic ${Buffer.from(`${id}:${given}`).toString('base64')}` });
    const tries = [{}, { client_secret: secret }];
    for (const change of tries) expect((await app.exchange(id, await app.code(id), change)).status).toBe(401);
    expect((await app.exchange(id, await app.code(id), {}, basic('x'.repeat(43)))).status).toBe(401);
    expect((await app.exchange(id, await app.code(id), {}, basic(secret))).status).toBe(200);
  });

  it('registers no client whose users would be led to where anybody listens', async () => {
    const { status, body } = await app.register({ redirect_uris: ['http://app.example/callback'] });
    expect([status, body.error]).toEqual([400, 'invalid_client_metadata']);
  });
});

describe('tokens', () => {
  it('of another kind, of nobody and from others are refused', async () => {
    const { refresh } = await app.signIn();
    for (const token of [refresh, 'made-up', 'eyJhbGciOiJub25lIn0.e30.']) {
      const response = await app.mcp(token, PING);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
  });

  it('expire, and are refreshed with another refresh token', async () => {
    const { clientId: id, access, refresh } = await app.signIn();
    await host.control('tickets/tokens/expire', {});
    expect(await isAccepted(access)).toBe(false);
    const { body } = await app.refresh(id, refresh);
    expect(body.refresh_token).not.toBe(refresh);
    expect(await isAccepted(body.access_token)).toBe(true);
    expect((await host.state()).calls.tickets).toMatchObject({ exchanges: 1, refreshes: 1 });
  });

  it('all end when a refresh token is used again', async () => {
    const { clientId: id, refresh } = await app.signIn();
    const { body } = await app.refresh(id, refresh);
    expect((await app.refresh(id, refresh)).body.error).toBe('invalid_grant');
    expect(await isAccepted(body.access_token)).toBe(false);
    expect((await app.refresh(id, body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it.each([
    ['another client', (id: string) => ({ client_id: `${id}x` })],
    ['another resource', () => ({ resource: 'https://other.example/mcp' })],
    ['no resource', () => ({ resource: undefined })],
  ])('are not refreshed for %s, and stay', async (_name, change) => {
    const { clientId: id, access, refresh } = await app.signIn();
    expect((await app.refresh(id, refresh, change(id))).status).toBeGreaterThanOrEqual(400);
    expect(await isAccepted(access)).toBe(true);
  });

  it('are revoked: one, or with the refresh token all; those of other clients stay', async () => {
    const [first, other] = [await app.signIn(), await app.signIn()];
    expect((await app.revoke(other.clientId, first.refresh)).status).toBe(200);
    expect(await isAccepted(first.access)).toBe(true);
    await app.revoke(first.clientId, first.access);
    expect(await isAccepted(first.access)).toBe(false);
    await app.revoke(first.clientId, first.refresh);
    expect((await app.refresh(first.clientId, first.refresh)).body.error).toBe('invalid_grant');
    expect(await isAccepted(other.access)).toBe(true);
  });

  it('live as long as a test says, and can’t be refreshed if it says so', async () => {
    await host.control('tickets/behaviour', { token_life_seconds: 60, omit_refresh_token: true });
    const { body } = await app.signIn();
    expect(body).toMatchObject({ expires_in: 60 });
    expect(body).not.toHaveProperty('refresh_token');
    await host.control('clock', { advance_ms: 61_000 });
    expect(await isAccepted(body.access_token)).toBe(false);
  });
});
