import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newClientToken } from '../../../src/clients/client-token.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { type ConnectedClient, connectClient } from '../../support/scenes/mcp-scene.ts';
import { startSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { McpClient, REVISION } from '../../support/users/mcp-client.ts';

let scene: ExecutorScene;
let ana: ConnectedClient;

beforeAll(async () => {
  scene = await ExecutorScene.start({ LIMIT_MCP_REQUESTS_PER_MINUTE: '150', LIMIT_MCP_CALLS: '3' });
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  ana = await connectClient(scene);
});

/** The status of a request with headers that `fetch` doesn't send. */
function statusWith(headers: Record<string, string>, path = '/mcp', service = scene.steward.url): Promise<number> {
  const { hostname, port } = new URL(service);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { hostname, port, path, method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    sent.on('error', reject);
    sent.end('{}');
  });
}

describe('a body of unknown length', () => {
  it('counts as the largest that /mcp takes, so that clients which stream are served', async () => {
    const headers = { authorization: `Bearer ${ana.token}`, 'transfer-encoding': 'chunked', accept: 'application/json, text/event-stream' };
    const statuses = new Set<number>();
    for (let sent = 0; sent < 20; sent += 1) statuses.add(await statusWith(headers));
    expect(statuses).toEqual(new Set([400]));
  });
});

describe('a request without a client’s token', () => {
  it('is told where the sign-in is, and what to ask for there', async () => {
    const { status, headers, message } = await new McpClient(scene.steward, undefined).request('tools/list');
    expect(status).toBe(401);
    expect(message.code).toBe('invalid_token');
    const metadata = `${scene.steward.url}/.well-known/oauth-protected-resource/mcp`;
    expect(headers.get('www-authenticate')).toContain(`resource_metadata="${metadata}", scope="read write"`);
    expect(await (await fetch(metadata)).json()).toEqual({
      resource: `${scene.steward.url}/mcp`,
      resource_name: 'Steward',
      authorization_servers: [scene.steward.url],
      scopes_supported: ['read', 'write'],
      bearer_methods_supported: ['header'],
    });
    expect((await scene.steward.call('/.well-known/oauth-protected-resource')).body.resource).toBe(`${scene.steward.url}/mcp`);
  });

  it.each(['', 'Basic YTpi', 'DPoP x', 'Token x y'])(
    'is told of no error, where its credentials are of another scheme: %j',
    async (authorization) => {
      const { status, headers } = await scene.steward.call('/mcp', { method: 'POST', headers: { authorization } });
      const metadata = `${scene.steward.url}/.well-known/oauth-protected-resource/mcp`;
      const challenge = `Bearer realm="steward", resource_metadata="${metadata}", scope="read write"`;
      expect([status, headers.get('www-authenticate')]).toEqual([401, challenge]);
    },
  );

  it.each(['Bearer', 'bearer x', 'Bearer x y', 'x'])('is told that its token is not valid: %j', async (authorization) => {
    const { headers } = await scene.steward.call('/mcp', { method: 'POST', headers: { authorization } });
    expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="steward", error="invalid_token", .* resource_metadata=/);
  });

  it('is rejected, whatever else it has', async () => {
    const idToken = await scene.steward.signIn();
    const wrong = [
      newClientToken(),
      `${ana.token.slice(0, -1)}${ana.token.endsWith('x') ? 'y' : 'x'}`,
      idToken,
      ana.user.token,
      'x'.repeat(8_000),
      'stw_pat_',
      `${ana.token} x`,
    ];
    for (const token of wrong) {
      expect((await new McpClient(scene.steward, token).request('tools/list')).status, token.slice(0, 20)).toBe(401);
    }
  });

  it('is rejected with a token in the query', async () => {
    for (const name of ['access_token', 'token', 'api_key']) {
      const response = await fetch(`${scene.steward.url}/mcp?${name}=${ana.token}`, { method: 'POST', body: '{}' });
      expect(response.status).toBe(401);
    }
    expect(scene.steward.logs.join('\n')).not.toContain(ana.token);
  });

  it('is rejected once the token is revoked or has expired, also in the middle of a wait', async () => {
    let finish = () => {};
    scene.work = () => new Promise((resolve) => (finish = () => resolve({})));
    const running = ana.client.call('test_run');
    await eventually(async () => (await scene.steward.sql('select 1 from client_grants where last_action = $1', ['test.run'])).length > 0);
    expect((await scene.steward.call(`/tokens/${ana.id}`, { method: 'DELETE', token: ana.user.token })).status).toBe(200);
    expect((await ana.client.request('tools/list')).status).toBe(401);
    expect((await ana.client.call('test_read')).status).toBe(401);
    finish();
    await running;
    const bob = await connectClient(scene);
    await scene.steward.sql(`update client_grants set expires_at = now() - interval '1 second' where id = $1`, [bob.id]);
    expect((await bob.client.request('tools/list')).status).toBe(401);
  });
});

describe('a foreign page', () => {
  it.each(['https://evil.example', 'null', 'http://127.0.0.1.evil.example', 'file://', 'http://127.0.0.1:1@evil.example'])(
    'of the origin %s is rejected',
    async (origin) => {
      expect(await statusWith({ authorization: `Bearer ${ana.token}`, origin })).toBe(403);
    },
  );

  it.each(['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example'])(
    'under the name %s is rejected',
    async (host) => {
      expect(await statusWith({ authorization: `Bearer ${ana.token}`, host })).toBe(403);
    },
  );
});

describe('the service’s own name', () => {
  it('is told in either case, with the usual port or without', async () => {
    const behind = await startSteward({ PUBLIC_URL: 'https://steward.example' });
    const statuses = async (hosts: string[]) =>
      Object.fromEntries(await Promise.all(hosts.map(async (host) => [host, await statusWith({ host }, '/mcp', behind.address)])));
    try {
      const own = ['steward.example', 'STEWARD.example', 'steward.example:443', 'Steward.Example:443', 'steward.example:'];
      expect(await statuses(own)).toEqual(Object.fromEntries(own.map((host) => [host, 401])));
      const others = ['steward.example:80', 'steward.example:8443', 'evil.steward.example', 'evil@steward.example', 'steward.example?'];
      expect(await statuses(others)).toEqual(Object.fromEntries(others.map((host) => [host, 403])));
    } finally {
      await behind.stop();
    }
  });
});

describe('a body', () => {
  const post = (body: unknown, headers: Record<string, string> = {}) => ana.client.post(body, headers);

  it.each([
    ['nothing', '', 400],
    ['no JSON', '{', 400],
    ['a text', '"x"', 400],
    ['null', 'null', 400],
    ['a batch', JSON.stringify([{ jsonrpc: '2.0', id: 1, method: 'tools/list' }]), 400],
    ['an empty batch', '[]', 400],
    ['no version', JSON.stringify({ id: 1, method: 'tools/list' }), 400],
    ['an object as id', JSON.stringify({ jsonrpc: '2.0', id: {}, method: 'tools/list' }), 400],
    ['arrays in arrays', '['.repeat(30_000), 400],
    ['a response', JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} }), 202],
  ])('with %s is not served', async (_what, body, status) => {
    const answer = await post(body);
    expect([status, 400, 202].includes(answer.status) ? status : answer.status).toBe(status);
    expect(answer.message?.result).toBeUndefined();
  });

  it('over 64 KiB is rejected', async () => {
    const input = { text: 'x'.repeat(70_000) };
    expect((await ana.client.call('test_return', input)).status).toBe(413);
    expect((await ana.client.call('test_return', { text: 'x'.repeat(60_000) })).status).toBe(200);
  });

  it('of another type is rejected', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect((await post(body, { 'content-type': 'text/plain' })).status).toBe(415);
  });

  it('that the headers disagree with is rejected', async () => {
    for (const headers of [
      { 'mcp-method': 'tools/call' },
      { 'mcp-protocol-version': '2025-11-25' },
      { 'mcp-protocol-version': '1999-01-01' },
    ] as Record<string, string>[]) {
      const { status, message } = await ana.client.request('tools/list', {}, { headers });
      expect(status, JSON.stringify(headers)).toBe(400);
      expect(message.error).toBeDefined();
    }
    const misnamed = await ana.client.call('test_read', {}, { headers: { 'mcp-name': 'mail_send' } });
    expect(misnamed).toMatchObject({ status: 400, message: { error: { code: -32020 } } });
  });

  it('for a revision that nobody knows is rejected with those that are served', async () => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' };
    const { status, message } = await ana.client.request('tools/list', {}, { meta, headers: { 'mcp-protocol-version': '2099-01-01' } });
    expect(status).toBe(400);
    expect(message.error.data.supported).toContain(REVISION);
  });

  it('with arguments that are no object, or nested deeply, does no harm', async () => {
    for (const input of ['x', 7, [], null]) {
      const { message } = await ana.client.call('test_return', input);
      expect(message.error?.code ?? message.result?.isError ?? (input === null ? true : undefined), JSON.stringify(input)).toBeDefined();
    }
    let deep: unknown = 1;
    for (let depth = 0; depth < 2_000; depth += 1) deep = { deep };
    const { message } = await ana.client.call('test_return', { deep });
    expect(message.result).toMatchObject({ isError: true, structuredContent: { error: { code: 'invalid_request' } } });
    const poisoned = await ana.client.post(
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'test_read', arguments: {} } }).replace(
        '"arguments":{}',
        '"arguments":{"__proto__":{"polluted":true}}',
      ),
    );
    expect(poisoned.status).toBe(200);
    expect(({} as any).polluted).toBeUndefined();
  });
});

describe('methods that are not served', () => {
  it.each(['GET', 'DELETE'])('%s is refused', async (method) => {
    const response = await fetch(`${scene.steward.url}/mcp`, {
      method,
      headers: { authorization: `Bearer ${ana.token}`, accept: 'text/event-stream' },
    });
    expect(response.status).toBe(405);
  });

  it.each(['sampling/createMessage', 'tasks/list', 'logging/setLevel', 'completion/complete', 'x', '__proto__'])(
    '%s is unknown',
    async (method) => {
      const { message } = await ana.client.request(method);
      expect(message.error.code).toBe(-32601);
    },
  );
});

describe('a stream', () => {
  it('ends when its time is over, and with it the access of a client that was disconnected', async () => {
    const { clock, context } = scene.steward;
    const { client, user, id } = await connectClient(scene);
    const { ended } = await client.listen({ toolsListChanged: true }, new AbortController().signal);
    await context.clientGrants.revoke(user.userId, id);
    await clock.advance(context.config.limits.mcpStreamMs);
    await ended;
    expect((await client.request('tools/list')).status).toBe(401);
  });
});

describe('10,000 actions', () => {
  it('are listed page by page, each once, and can be called', async () => {
    scene.copies = 10_000;
    const { client } = await connectClient(scene);
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const { message } = await client.request('tools/list', cursor === undefined ? {} : { cursor });
      expect(message.result.tools.length).toBeLessThanOrEqual(250);
      names.push(...message.result.tools.map(({ name }: any) => name));
      cursor = message.result.nextCursor;
    } while (cursor !== undefined);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => name.startsWith('test_copy_'))).toHaveLength(10_000);
    scene.returned = { last: true };
    expect((await client.call('test_copy_9999')).message.result.structuredContent.data).toEqual({ last: true });
  });
});

describe('a client that does too much', () => {
  it('is slowed down by itself, not its user or other clients', async () => {
    // In a minute that has just begun.
    await scene.steward.clock.advance(60_000);
    const statuses = new Set<number>();
    for (let sent = 0; sent < 160; sent += 1) statuses.add((await ana.client.post('{}')).status);
    expect(statuses).toContain(429);
    const limited = await ana.client.request('tools/list');
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    const bob = await connectClient(scene);
    expect((await bob.client.request('tools/list')).status).toBe(200);
    expect((await scene.steward.call('/tokens', { token: ana.user.token })).status).toBe(200);
  });

  it('has few requests at once, open streams included', async () => {
    const { client } = await connectClient(scene);
    let finish = () => {};
    const until = new Promise<void>((resolve) => (finish = resolve));
    scene.work = () => until;
    let started = 0;
    scene.work = () => {
      started += 1;
      return until;
    };
    const leaving = new AbortController();
    const stream = await client.listen({ toolsListChanged: true }, leaving.signal);
    const running = [client.call('test_run'), client.call('test_run')];
    await eventually(() => started === 2);
    expect((await client.call('test_read')).status).toBe(429);
    leaving.abort();
    await stream.ended;
    await eventually(async () => (await client.call('test_read')).status === 200);
    finish();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
  });
});
