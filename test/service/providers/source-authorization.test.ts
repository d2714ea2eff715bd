import { createHash } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock/clock.ts';
import { internalHosts } from '../../../src/config/provider-config.ts';
import { randomSecret } from '../../../src/crypto/secrets.ts';
import { UNMEASURED } from '../../../src/observability/telemetry.ts';
import { Outbound } from '../../../src/outbound/checked-fetch.ts';
import { readAccess, readRefresh } from '../../../src/providers/mcp/credentials.ts';
import {
  type AuthorizationRequest,
  type SourceClient,
  type SourceClients,
  type SourceTokens,
  withEarlier,
} from '../../../src/providers/mcp/source-authorization.ts';
import { SourceAuthorizer } from '../../../src/providers/mcp/source-authorizer.ts';
import type { SourceSettings } from '../../../src/providers/mcp/source-settings.ts';
import { ScriptedServer } from '../../support/servers/scripted-server.ts';
import { type AuthorizationServerOptions, SourceAuthorizationServer } from '../../support/servers/source-authorization-server.ts';

/** How this service is known to the server. */
type ClientKind = 'registered' | 'published' | 'basic' | 'post';

const PUBLIC_URL = 'https://steward.example';
const server = new SourceAuthorizationServer();
/** Records all that it gets, and answers as if it were every endpoint. */
const attacker = new ScriptedServer();
const signal = new AbortController().signal;

beforeAll(async () => {
  await Promise.all([server.start(), attacker.start()]);
});
afterAll(async () => {
  await Promise.all([server.stop(), attacker.stop()]);
});

/** Registrations of a service, in memory. */
class MemoryClients implements SourceClients {
  readonly kept = new Map<string, SourceClient>();
  source: SourceSettings;

  constructor(source: SourceSettings) {
    this.source = source;
  }

  async load() {
    return this.kept;
  }

  async save(_source: string, issuer: string, client: SourceClient) {
    this.kept.set(issuer, withEarlier(client, this.kept.get(issuer)));
  }

  settings() {
    return this.source;
  }
}

class Scene {
  readonly clients: MemoryClients;
  readonly authorizer: SourceAuthorizer;
  readonly source: SourceSettings;
  verifier = '';

  constructor(kind: ClientKind, options: AuthorizationServerOptions) {
    server.restart(options);
    attacker.reset();
    attacker.on('*', (response) => {
      const everything = {
        access_token: 'stolen',
        token_type: 'Bearer',
        refresh_token: 'stolen',
        client_id: 'stolen',
        client_secret: 'stolen',
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ...everything, ...attackersMetadata() }));
    });
    this.source = { name: 'tickets', url: server.address, auth: 'oauth', trust: 'third_party', label: 'Tickets' };
    if (kind === 'published') server.metadata.client_id_metadata_document_supported = true;
    if (kind === 'basic' || kind === 'post') {
      const secret = `configured-${randomSecret()}`;
      Object.assign(this.source, { clientId: 'configured client', clientSecret: secret });
      server.clients.set('configured client', secret);
      server.secrets.add(secret);
      server.metadata.token_endpoint_auth_methods_supported = [`client_secret_${kind}`];
    }
    if (kind === 'published') server.clients.set(`${PUBLIC_URL}/oauth/client.json`, undefined);
    this.clients = new MemoryClients(this.source);
    this.authorizer = new SourceAuthorizer({
      outbound: new Outbound({ clock: systemClock, internal: internalHosts(['127.0.0.1'], () => expect.unreachable()) }),
      clients: this.clients,
      publicUrl: PUBLIC_URL,
      limits: { providerTimeoutMs: 10_000, refreshTimeoutMs: 10_000 },
      clock: systemClock,
      telemetry: UNMEASURED,
    });
  }

  prepare(): Promise<AuthorizationRequest> {
    return this.authorizer.prepare(this.source);
  }

  /** Leads the user's browser to the server and back. */
  authorize(request: AuthorizationRequest) {
    this.verifier = randomSecret();
    server.secrets.add(this.verifier);
    const challenge = createHash('sha256').update(this.verifier).digest('base64url');
    const url = this.authorizer.authorizationUrl(request, { state: 'state', challenge });
    return { url, ...server.authorize(url) };
  }

  exchange(request: AuthorizationRequest, { code, iss }: { code: string; iss: string | undefined }): Promise<SourceTokens> {
    return this.authorizer.exchange(request, { code, iss, verifier: this.verifier }, signal, {
      issued() {},
      sent: (done) => void done.catch(() => {}),
    });
  }

  async connect(): Promise<{ request: AuthorizationRequest; tokens: SourceTokens }> {
    const request = await this.prepare();
    return { request, tokens: await this.exchange(request, this.authorize(request)) };
  }
}

function attackersMetadata() {
  const { url } = attacker;
  return {
    resource: server.address,
    authorization_servers: [url],
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    registration_endpoint: `${url}/register`,
    revocation_endpoint: `${url}/revoke`,
    code_challenge_methods_supported: ['S256'],
  };
}

const KINDS: ClientKind[] = ['registered', 'published', 'basic', 'post'];
const OPTIONS: AuthorizationServerOptions[] = [
  { path: '', announcesIss: true },
  { path: '', announcesIss: false },
  { path: '/tenant', announcesIss: true },
  { path: '/tenant', announcesIss: false },
];
const VARIANTS = KINDS.flatMap((kind) => OPTIONS.map((options) => ({ kind, options })));

describe.each(VARIANTS)('with a $kind client, $options', ({ kind, options }) => {
  it('a source is connected, renewed and revoked', async () => {
    const scene = new Scene(kind, options);
    const { request, tokens } = await scene.connect();
    expect(request).toMatchObject({ issuer: server.issuer, resource: server.address, scope: 'read write', clientAuth: authOf(kind) });
    expect(tokens).toMatchObject({ scopes: ['read', 'write'], subject: undefined, hint: undefined });
    expect(readAccess(tokens.accessToken)).toEqual({ url: server.address, token: expect.stringMatching(/^access-/) });
    expect(tokens.refreshToken).not.toMatch(/client-secret-|configured-/);
    const renewal = await scene.authorizer.refresh(tokens.refreshToken as string);
    expect(renewal).toMatchObject({ kind: 'renewed', lifeSeconds: 600, scopes: undefined });
    const renewed = renewal as typeof renewal & { kind: 'renewed' };
    expect(readAccess(renewed.accessToken).token).not.toBe(readAccess(tokens.accessToken).token);
    await scene.authorizer.revoke(renewed.refreshToken as string);
    expect(server.revoked).toEqual([readRefresh(renewed.refreshToken as string)?.refreshToken]);
    // A second connection registers no second client.
    const before = server.callsOf('/register').length;
    await scene.connect();
    expect([before, server.callsOf('/register').length]).toEqual(kind === 'registered' ? [1, 1] : [0, 0]);
  });

  const OFFENCES: Record<string, (scene: Scene) => Promise<unknown>> = {
    'after connecting, the server names a foreign authorization server': async (scene) => {
      const { tokens } = await scene.connect();
      server.resource.authorization_servers = [attacker.url];
      await renewAndRevoke(scene, tokens);
      if (scene.source.clientId !== undefined) await expect(scene.prepare()).rejects.toMatchObject({ code: 'not_configured' });
    },
    'after connecting, the token endpoint is on another host': async (scene) => {
      const { tokens } = await scene.connect();
      Object.assign(server.metadata, { token_endpoint: `${attacker.url}/token`, revocation_endpoint: `${attacker.url}/revoke` });
      await renewAndRevoke(scene, tokens);
    },
    'in the middle of a flow, everything names a foreign server': async (scene) => {
      const request = await scene.prepare();
      const answer = scene.authorize(request);
      server.resource.authorization_servers = [attacker.url];
      Object.assign(server.metadata, attackersMetadata(), { issuer: server.issuer });
      await scene.exchange(request, answer);
    },
    'the metadata of the authorization server is that of another': async (scene) => {
      server.metadata.issuer = attacker.url;
      await expect(scene.prepare()).rejects.toThrow('says that it is another one');
    },
    'the metadata of the authorization server has another path': async (scene) => {
      server.metadata.issuer = `${server.issuer}/x`;
      await expect(scene.prepare()).rejects.toThrow('says that it is another one');
    },
    'the metadata are gone, and others are at the fallback': async (scene) => {
      const { tokens } = await scene.connect();
      server.on('/.well-known/oauth-protected-resource/mcp', { status: 404 });
      server.on('/mcp', { status: 401, headers: { 'www-authenticate': 'Bearer' } });
      server.on('/.well-known/oauth-authorization-server', { body: attackersMetadata() });
      await expect(scene.prepare()).rejects.toThrow('says that it is another one');
      await renewAndRevoke(scene, tokens);
    },
    'the answer is of another issuer': async (scene) => {
      const request = await scene.prepare();
      const { code } = scene.authorize(request);
      await expect(scene.exchange(request, { code, iss: attacker.url })).rejects.toThrow('not of its authorization server');
      expect(server.callsOf('/token')).toEqual([]);
    },
    'the answer’s issuer is spelt otherwise': async (scene) => {
      const request = await scene.prepare();
      const { code } = scene.authorize(request);
      for (const iss of [`${server.issuer}/`, server.issuer.replace('http:', 'HTTP:'), `${server.issuer}#`, '']) {
        expect(scene.authorizer.isOfIssuer(request, iss)).toBe(false);
        await expect(scene.exchange(request, { code, iss })).rejects.toThrow();
      }
      expect(server.callsOf('/token')).toEqual([]);
    },
    'the announced issuer is missing in the answer': async (scene) => {
      const request = await scene.prepare();
      const { code } = scene.authorize(request);
      const exchanged = scene.exchange(request, { code, iss: undefined });
      if (options.announcesIss) await expect(exchanged).rejects.toThrow('not of its authorization server');
      else await exchanged;
    },
    'the server describes itself as another': async (scene) => {
      for (const resource of [
        `${attacker.url}/mcp`,
        `${server.url}/other`,
        `${server.address}#x`,
        'not an address',
        `${server.address}x`,
      ]) {
        server.resource.resource = resource;
        await expect(scene.prepare(), resource).rejects.toThrow('describes itself');
      }
    },
    'PKCE is missing': async (scene) => {
      for (const methods of [undefined, null, [], ['plain'], ['s256']]) {
        server.metadata.code_challenge_methods_supported = methods;
        await expect(scene.prepare(), String(methods)).rejects.toThrow('PKCE');
      }
    },
    'an endpoint is at plain http, or at a private address': async (scene) => {
      for (const endpoint of [
        'http://example.com/x',
        'https://10.0.0.1/x',
        'https://169.254.169.254/',
        'javascript:alert(1)',
        'https://u:p@example.com/',
      ]) {
        for (const name of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint']) {
          const { [name]: before } = server.metadata;
          server.metadata[name] = endpoint;
          await expect(scene.prepare(), `${name} ${endpoint}`).rejects.toMatchObject({ code: 'forbidden' });
          server.metadata[name] = before;
          if (before === undefined) delete server.metadata[name];
        }
      }
      server.resource.authorization_servers = ['http://10.0.0.1'];
      await expect(scene.prepare()).rejects.toMatchObject({ code: 'forbidden' });
    },
    'an endpoint redirects': async (scene) => {
      const { tokens } = await scene.connect();
      for (const path of ['/token', '/revoke']) server.on(path, { status: 307, headers: { location: `${attacker.url}${path}` } });
      expect(await scene.authorizer.refresh(tokens.refreshToken as string)).toMatchObject({ kind: 'failed' });
      await expect(scene.authorizer.revoke(tokens.refreshToken as string)).rejects.toThrow('Redirects are not followed');
      const request = await scene.prepare();
      await expect(scene.exchange(request, scene.authorize(request))).rejects.toThrow('Redirects are not followed');
    },
    'the challenge leads to a foreign description': async (scene) => {
      server.on('/mcp', { status: 401, headers: { 'www-authenticate': `Bearer resource_metadata="${attacker.url}/metadata"` } });
      if (scene.source.clientId === undefined) {
        // A connection with a server that says itself that it belongs to another: nothing of the old one is used in it.
        await scene.prepare();
      } else {
        scene.clients.kept.set(server.issuer, { clientId: scene.source.clientId, authMethod: 'client_secret_basic', isConfigured: true });
        await expect(scene.prepare()).rejects.toMatchObject({ code: 'not_configured' });
      }
    },
  };

  it.each(Object.entries(OFFENCES))('%s: the attacker gets no code, verifier, token or secret', async (_what, offend) => {
    const scene = new Scene(kind, options);
    await offend(scene);
    const log = JSON.stringify(attacker.calls.map(({ url, headers, text }) => [url, headers, text]));
    const decoded = `${log} ${attacker.calls.map(({ headers }) => Buffer.from(headers.authorization?.slice(6) ?? '', 'base64')).join(' ')}`;
    for (const secret of server.secrets) expect(decoded).not.toContain(secret);
    for (const secret of server.secrets) expect(decoded).not.toContain(encodeURIComponent(secret));
  });
});

async function renewAndRevoke({ authorizer }: Scene, { refreshToken }: SourceTokens): Promise<void> {
  const renewal = await authorizer.refresh(refreshToken as string);
  expect(renewal.kind).toBe('renewed');
  await authorizer.revoke((renewal as { refreshToken?: string }).refreshToken as string);
  expect(server.revoked).toHaveLength(1);
}

function authOf(kind: ClientKind): SourceClient['authMethod'] {
  return kind === 'basic' || kind === 'post' ? `client_secret_${kind}` : 'none';
}

describe('an authorization server', () => {
  const scene = (kind: ClientKind = 'registered') => new Scene(kind, { path: '', announcesIss: true });

  it('is found by OpenID’s discovery, before or behind the path of its issuer', async () => {
    for (const path of ['/.well-known/openid-configuration/tenant', '/tenant/.well-known/openid-configuration']) {
      const found = new Scene('registered', { path: '/tenant', announcesIss: true });
      const metadata = { ...attackersMetadata(), issuer: server.issuer, token_endpoint: `${server.url}/token` };
      server.on('/.well-known/oauth-authorization-server/tenant', { status: 404 });
      server.on(path, { body: { ...metadata, registration_endpoint: `${server.url}/register` } });
      expect(await found.prepare(), path).toMatchObject({ issuer: server.issuer });
    }
  });

  it('is the root of the server’s host where there is no description of the resource, as before 2025-06-18', async () => {
    const found = scene();
    server.on('/.well-known/oauth-protected-resource/mcp', { status: 404 });
    expect(await found.prepare()).toMatchObject({ issuer: server.url, resource: server.address });
  });

  it('that fails for the moment is not replaced by another', async () => {
    const found = scene();
    server.on('/.well-known/oauth-authorization-server', { status: 503 });
    server.on('/.well-known/openid-configuration', { body: attackersMetadata() });
    await expect(found.prepare()).rejects.toThrow('at the moment');
  });

  it('that answers with pages is none', async () => {
    const found = scene();
    server.on('*', { body: '<h1>Welcome</h1>' });
    await expect(found.prepare()).rejects.toThrow('no authorization server was found');
  });

  it('is asked for the scopes of the operator, of the challenge, or of the description, and for offline_access if it has it', async () => {
    const found = scene();
    expect((await found.prepare()).scope).toBe('read write');
    server.metadata.scopes_supported = ['offline_access', 'openid'];
    const request = await found.prepare();
    expect(request.scope).toBe('read write offline_access');
    expect(new URL(found.authorize(request).url).searchParams.get('prompt')).toBe('consent');
    server.on('/mcp', { status: 401, headers: { 'www-authenticate': 'Bearer' } });
    server.metadata.scopes_supported = undefined;
    expect((await found.prepare()).scope).toBe('read all');
    found.source.scopes = ['own'];
    expect((await found.prepare()).scope).toBe('own');
  });

  it('gives an ID token, from which the account’s name comes, if it is its own', async () => {
    const found = scene();
    const sign = (iss: string, aud: string) =>
      new SignJWT({ email: 'ana@example.com' })
        .setProtectedHeader({ alg: 'HS256' })
        .setIssuer(iss)
        .setAudience(aud)
        .setSubject('u1')
        .sign(new Uint8Array(32));
    const request = await found.prepare();
    server.answer.id_token = await sign(server.issuer, request.clientId);
    expect(await found.exchange(request, found.authorize(request))).toMatchObject({ subject: 'u1', hint: 'ana@example.com' });
    for (const odd of [await sign(attacker.url, request.clientId), await sign(server.issuer, 'other'), 'x', 'a.b.c']) {
      server.answer.id_token = odd;
      expect((await found.exchange(request, found.authorize(request))).hint).toBeUndefined();
    }
  });

  it('gives tokens that do not end, or no refresh token', async () => {
    const found = scene();
    Object.assign(server.answer, { refresh_token: undefined, expires_in: undefined });
    const { tokens } = await found.connect();
    expect(tokens.expiresAt).toBeNull();
    expect(await found.authorizer.refresh(tokens.refreshToken as string)).toMatchObject({ kind: 'ended' });
    await found.authorizer.revoke(tokens.refreshToken as string);
    expect(server.revoked).toEqual([readAccess(tokens.accessToken).token]);
  });

  it('answers as servers do that are older than the specification', async () => {
    for (const token_type of ['bearer', 'BEARER', undefined]) {
      const found = scene();
      Object.assign(server.answer, { token_type, expires_in: '3599', scope: null });
      const { tokens } = await found.connect();
      expect((tokens.expiresAt?.getTime() ?? 0) > systemClock.now() + 3_000_000).toBe(true);
      expect(tokens.scopes).toEqual(['read', 'write']);
    }
    const found = scene();
    const request = await found.prepare();
    server.on('/token', (response) => {
      const form = 'access_token=a&token_type=bearer&scope=read&refresh_token=r';
      response.writeHead(200, { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }).end(form);
    });
    const tokens = await found.exchange(request, found.authorize(request));
    expect([readAccess(tokens.accessToken).token, readRefresh(tokens.refreshToken as string)?.refreshToken]).toEqual(['a', 'r']);
    server.on('/token', { body: { error: 'bad_verification_code', error_description: 'secret words' } });
    await expect(found.exchange(request, found.authorize(request))).rejects.toThrow('refused the sign-in');
  });

  it('keeps its refresh token where it gives no other', async () => {
    const found = scene();
    const { tokens } = await found.connect();
    Object.assign(server.answer, { refresh_token: undefined, expires_in: 0 });
    const renewal = await found.authorizer.refresh(tokens.refreshToken as string);
    expect(renewal).toMatchObject({ kind: 'renewed', lifeSeconds: 3_600 });
    const [before, after] = [tokens.refreshToken, (renewal as { refreshToken?: string }).refreshToken].map((text) =>
      readRefresh(text as string),
    );
    expect(after?.refreshToken).toBe(before?.refreshToken);
  });

  it('answers oddly: it is an error without its words, and tokens in it are told of', async () => {
    for (const answer of [
      { access_token: undefined },
      { access_token: '' },
      { access_token: 'x'.repeat(20_000) },
      { token_type: 'DPoP' },
    ]) {
      const found = scene();
      Object.assign(server.answer, answer);
      await expect(found.connect()).rejects.toMatchObject({ code: 'provider_error' });
    }
    const found = scene();
    Object.assign(server.answer, { expires_in: 'soon', scope: 7, refresh_token: 8, id_token: {} });
    expect((await found.connect()).tokens.scopes).toEqual(['read', 'write']);
  });

  it('refuses: what follows is by its code', async () => {
    const found = scene();
    const { tokens } = await found.connect();
    for (const [status, error, kind] of [
      [400, 'invalid_grant', 'ended'],
      [401, 'invalid_client', 'ended'],
      [401, 'unauthorized_client', 'misconfigured'],
      [400, 'Secret words', 'failed'],
      [500, 'invalid_grant', 'failed'],
      [200, 'invalid_grant', 'ended'],
      [200, 'bad_refresh_token', 'ended'],
      [200, 'incorrect_client_credentials', 'misconfigured'],
      [200, 'Secret words', 'failed'],
      [429, 'invalid_grant', 'failed'],
    ] as const) {
      server.on('/token', { status, body: { error }, headers: { 'retry-after': '7' } });
      const renewal = await found.authorizer.refresh(tokens.refreshToken as string);
      expect(renewal.kind, error).toBe(kind);
      expect(String((renewal as { reason: Error }).reason)).not.toContain('Secret');
    }
  });

  it('refuses the operator’s own client: that is for the operator to look at', async () => {
    for (const kind of ['basic', 'published'] as const) {
      const found = scene(kind);
      const { tokens } = await found.connect();
      server.on('/token', { status: 401, body: { error: 'invalid_client' } });
      expect(await found.authorizer.refresh(tokens.refreshToken as string), kind).toMatchObject({ kind: 'misconfigured' });
    }
  });

  it('that has forgotten this service registers it once more', async () => {
    for (const methods of [['none'], ['client_secret_basic'], ['client_secret_post']]) {
      const found = scene();
      server.metadata.token_endpoint_auth_methods_supported = methods;
      const { tokens } = await found.connect();
      server.clients.clear();
      expect(await found.authorizer.refresh(tokens.refreshToken as string)).toMatchObject({ kind: 'ended' });
      await found.connect();
      await found.connect();
      expect(server.callsOf('/register'), methods.join()).toHaveLength(2);
    }
  });

  it('that fails at that question is used as before', async () => {
    const found = scene();
    await found.connect();
    server.on('/token', { status: 503 });
    await found.prepare();
    expect(server.callsOf('/register')).toHaveLength(1);
  });

  it('registers this service with more scopes where it asks for more, and earlier connections keep their client', async () => {
    const found = scene();
    server.metadata.token_endpoint_auth_methods_supported = ['client_secret_basic'];
    // Some servers leave out what they were asked for.
    server.registration.scope = undefined;
    const { request: narrow, tokens } = await found.connect();
    const wide = await found.authorizer.prepare(found.source, ['read', 'delete']);
    expect(wide.scope.split(' ').sort()).toEqual(['delete', 'read', 'write']);
    expect(wide.clientId).not.toBe(narrow.clientId);
    expect(server.callsOf('/register').map(({ body }) => body.scope)).toEqual(['read write', 'read write delete']);
    expect((await found.prepare()).clientId).toBe(wide.clientId);
    expect(await found.authorizer.refresh(tokens.refreshToken as string)).toMatchObject({ kind: 'renewed' });
  });

  it('whose token endpoint has moved gets no secret of an earlier registration', async () => {
    const found = scene();
    server.metadata.token_endpoint_auth_methods_supported = ['client_secret_basic'];
    await found.connect();
    Object.assign(server.metadata, { token_endpoint: `${attacker.url}/token` });
    await found.prepare();
    expect(server.callsOf('/register')).toHaveLength(2);
    expect(attacker.calls).toEqual([]);
  });

  it('that doesn’t name itself in its answers gets them sent to an address of the source’s own', async () => {
    for (const kind of KINDS) {
      for (const announcesIss of [true, false]) {
        const found = new Scene(kind, { path: '', announcesIss });
        const isShared = announcesIss || kind !== 'registered';
        const { redirectUri, clientId } = (await found.connect()).request;
        expect(redirectUri, `${kind} ${announcesIss}`).toBe(`${PUBLIC_URL}/auth/sources/callback${isShared ? '' : '/tickets'}`);
        if (kind === 'published') expect(clientId).toBe(`${PUBLIC_URL}/oauth/client.json`);
        for (const { body } of server.callsOf('/register')) expect(body.redirect_uris).toEqual([redirectUri]);
      }
    }
  });

  it('registers this service anew where its secret has ended or its address has changed', async () => {
    const found = scene();
    server.metadata.token_endpoint_auth_methods_supported = ['client_secret_basic'];
    server.registration.client_secret_expires_at = 1;
    await found.connect();
    await found.connect();
    expect(server.callsOf('/register')).toHaveLength(2);
    server.registration.client_secret_expires_at = 0;
    await found.connect();
    await found.connect();
    expect(server.callsOf('/register')).toHaveLength(3);
    found.clients.kept.set(server.issuer, {
      ...(found.clients.kept.get(server.issuer) as SourceClient),
      redirectUri: 'https://old.example/',
    });
    await found.connect();
    expect(server.callsOf('/register')).toHaveLength(4);
  });

  it('answers a registration oddly', async () => {
    for (const odd of [
      { client_id: undefined },
      { client_id: '' },
      { client_secret: 5 },
      { token_endpoint_auth_method: 'client_secret_basic' },
    ]) {
      const found = scene();
      Object.assign(server.registration, odd);
      await expect(found.prepare(), JSON.stringify(odd)).rejects.toMatchObject({ code: 'provider_error' });
    }
    const found = scene();
    server.metadata.registration_endpoint = null;
    await expect(found.prepare()).rejects.toMatchObject({ code: 'not_configured', message: expect.stringContaining('client_id') });
  });

  it('does not get the secret of a client that the operator has replaced', async () => {
    const found = scene('basic');
    const { tokens } = await found.connect();
    found.source.clientId = 'another';
    expect(await found.authorizer.refresh(tokens.refreshToken as string)).toMatchObject({ kind: 'misconfigured' });
    await found.authorizer.revoke(tokens.refreshToken as string);
    expect(server.revoked).toEqual([]);
  });
});
