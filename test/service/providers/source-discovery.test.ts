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

const found = () => {
  const outbound = new Outbound({ clock: new TestClock(), internal: internalHosts(['127.0.0.1'], () => expect.unreachable()) });
  return discover({ outbound, timeoutMs: 5_000 }, source, new AbortController().signal);
};

describe('an authorization server', () => {
  it('is found that says no more of itself than it must', async () => {
    const metadata = {
      issuer: server.url,
      authorization_endpoint: `${server.url}/authorize`,
      token_endpoint: `${server.url}/token`,
      code_challenge_methods_supported: ['S256'],
    };
    server.on('/.well-known/oauth-authorization-server', { body: metadata });
    expect(await found()).toEqual({ server: metadata, resource: source.url, scope: '' });
  });
});
