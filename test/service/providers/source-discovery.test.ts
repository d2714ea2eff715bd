import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { internalHosts } from '../../../src/config/provider-config.ts';
import { Outbound } from '../../../src/outbound/checked-fetch.ts';
import { discover } from '../../../src/providers/mcp/authorization-discovery.ts';
import type { SourceSettings } from '../../../src/providers/mcp/source-settings.ts';
import { ScriptedServer } from '../../support/servers/scripted-server.ts';
import { TestClock } from '../../support/time/test-clock.ts';

const server = new ScriptedServer();
let source: SourceSettings;

beforeAll(() => server.start());
afterAll(() => server.stop());
beforeEach(() => {
  server.reset();
  source = { name: 'tickets', url: `${server.url}/mcp`, auth: 'oauth', trust: 'third_party', label: 'Tickets' };
  server.on('/.well-known/oauth-protected-resource/mcp', { body: { resource: source.url, authorization_servers: [server.url] } });
});

const found = (also?: string[]) => {
  const outbound = new Outbound({ clock: new TestClock(), internal: internalHosts(['127.0.0.1'], () => expect.unreachable()) });
  return discover({ outbound, timeoutMs: 5_000 }, source, new AbortController().signal, also);
};

/** No more than an authorization server must say. */
const metadata = () => ({
  issuer: server.url,
  authorization_endpoint: `${server.url}/authorize`,
  token_endpoint: `${server.url}/token`,
  code_challenge_methods_supported: ['S256'],
});
const offersMetadata = () => server.on('/.well-known/oauth-authorization-server', { body: metadata() });

describe('an authorization server', () => {
  it('is found that says no more of itself than it must', async () => {
    offersMetadata();
    expect(await found()).toEqual({ server: metadata(), resource: source.url, scope: '' });
  });
});

describe('the description of the server', () => {
  const describes = (resource: string, authorization_servers = [server.url]) =>
    server.on('/.well-known/oauth-protected-resource/mcp', { body: { resource, authorization_servers } });

  it('names it with a slash at its end, its host, or a part of that which holds it', async () => {
    offersMetadata();
    for (const resource of [`${source.url}/`, server.url, `${server.url}/`, source.url]) {
      describes(resource);
      expect((await found()).resource, resource).toBe(resource);
    }
    source = { ...source, url: `${server.url}/mcp/` };
    describes(`${server.url}/mcp`);
    expect((await found()).resource).toBe(`${server.url}/mcp`);
  });

  it('names several authorization servers: the first that can be used is', async () => {
    offersMetadata();
    server.on('/.well-known/oauth-authorization-server/old', {
      body: { ...metadata(), issuer: `${server.url}/old`, code_challenge_methods_supported: undefined },
    });
    server.on('/.well-known/oauth-authorization-server/ill', { status: 503 });
    describes(source.url, ['http://127.0.0.1:1', 'https://10.0.0.1', server.url]);
    expect((await found()).server.issuer).toBe(server.url);
    describes(source.url, [`${server.url}/old`, `${server.url}/ill`, server.url]);
    expect((await found()).server.issuer).toBe(server.url);
    describes(source.url, [`${server.url}/old`, `${server.url}/none`]);
    await expect(found()).rejects.toThrow('PKCE');
  });
});

describe('the requested scopes', () => {
  it('are those of the challenge, also of a server that greets everybody', async () => {
    offersMetadata();
    server.on('/mcp', (response, { body }) => {
      const challenge = 'Bearer error="invalid_token", scope="tickets:read"';
      if (body.method === 'initialize') response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      else response.writeHead(401, { 'www-authenticate': challenge }).end();
    });
    expect((await found()).scope).toBe('tickets:read');
    expect((await found(['tickets:write', 'tickets:read'])).scope.split(' ').sort()).toEqual(['tickets:read', 'tickets:write']);
  });

  it('are only those of the operator, where it names some', async () => {
    offersMetadata();
    source.scopes = ['tickets:read'];
    expect((await found(['tickets:write'])).scope).toBe('tickets:read');
  });
});
