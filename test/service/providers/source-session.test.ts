import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { internalHosts } from '../../../src/config/provider-config.ts';
import { AppError } from '../../../src/errors.ts';
import { UNMEASURED } from '../../../src/observability/telemetry.ts';
import { Outbound } from '../../../src/outbound/checked-fetch.ts';
import { accessCredential } from '../../../src/providers/mcp/credentials.ts';
import { SourceCalls } from '../../../src/providers/mcp/source-calls.ts';
import type { SourceSettings } from '../../../src/providers/mcp/source-settings.ts';
import type { GrantAccess } from '../../../src/providers/shared/provider.ts';
import { McpSource, TOOL } from '../../support/servers/mcp-source.ts';
import type { ScriptedCall } from '../../support/servers/scripted-server.ts';
import { eventually } from '../../support/time/eventually.ts';
import { TestClock } from '../../support/time/test-clock.ts';

const GIGABYTE = 2 ** 30;

const server = new McpSource();
let clock: TestClock;
let calls: SourceCalls;
let source: SourceSettings;

beforeAll(() => server.start());
afterAll(() => server.stop());
beforeEach(() => {
  server.restart();
  clock = new TestClock();
  const outbound = new Outbound({ clock, internal: internalHosts(['127.0.0.1'], () => expect.unreachable()) });
  calls = new SourceCalls({ outbound, clock, telemetry: UNMEASURED });
  source = { name: 'tickets', url: server.address, auth: 'oauth', trust: 'third_party', label: 'Tickets' };
});

/** A grant whose token is `token-1`, and after each renewal the next one. */
class FakeGrant implements GrantAccess {
  readonly userId: string;
  tokens = 1;
  versions = 1;
  rejections: [number | undefined, string][] = [];
  header: { name: string; value: string } | undefined;

  constructor(userId = 'ana') {
    this.userId = userId;
  }

  current() {
    const { header } = this;
    return accessCredential({ url: server.address, ...(header === undefined ? { token: `token-${this.tokens}` } : { header }) });
  }

  async renewed(rejected: string) {
    if (rejected === this.current()) {
      this.tokens += 1;
      this.versions += 1;
    }
    return this.current();
  }

  version() {
    return this.versions;
  }

  async rejected(version: number | undefined, status: string) {
    this.rejections.push([version, status]);
    return version === this.versions;
  }
}

const open = (grant: GrantAccess = new FakeGrant(), signal = new AbortController().signal) => calls.session(grant, signal);
const find = (session = open(), args: Record<string, unknown> = { query: 'x' }) => session.callTool(source, 'find', args);
const failure = (promise: Promise<unknown>): Promise<AppError> =>
  promise.then(
    () => expect.unreachable(),
    (error) => error,
  );

/** Waits until a call of the tool has arrived, and returns its response. */
function held(): Promise<ServerResponse> {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  server.answer = (response) => resolve(response);
  return promise;
}

describe.each(['modern', 'legacy'] as const)('a %s server', (era) => {
  beforeEach(() => {
    server.era = era;
  });

  it('is called with the credential, and agreed with once', async () => {
    server.call = (args) => ({ content: [{ type: 'text', text: `found ${args.query}` }], structuredContent: { tickets: [1] } });
    const session = open();
    expect(await find(session)).toEqual({ text: 'found x', structured: { tickets: [1] }, isError: false });
    expect(await find(open())).toMatchObject({ text: 'found x' });
    expect(server.methods.filter((method) => method === 'server/discover')).toHaveLength(1);
    expect(server.methods.slice(-2)).toEqual(['tools/call', 'tools/call']);
    for (const { headers } of server.callsOf('/mcp')) expect(headers.authorization).toBe('Bearer token-1');
    const { body, headers } = server.callsOf('/mcp').at(-1) as ScriptedCall;
    expect(body.params).toMatchObject({ name: 'find', arguments: { query: 'x' } });
    expect(headers['mcp-protocol-version']).toBe(era === 'modern' ? '2026-07-28' : '2025-11-25');
    if (era === 'modern') expect(body.params._meta['io.modelcontextprotocol/protocolVersion']).toBe('2026-07-28');
  });

  it('lists its tools page by page, as they are', async () => {
    const odd = {
      ...TOOL,
      name: 'odd',
      annotations: { readOnlyHint: true, ofTheirOwn: 1 },
      _meta: { a: null },
      icons: [{ src: 'http://x' }],
    };
    server.pages = { first: { tools: [TOOL], nextCursor: 'two', ttlMs: 90_000 }, two: { tools: [odd] } };
    const { icons: _, ...kept } = odd;
    expect(await open().listTools(source)).toEqual({ tools: [TOOL, kept], unusable: [], ttlMs: 90_000 });
  });

  it('sends its answer as a stream of events', async () => {
    server.answer = (response, { body }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const progress = { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1, progress: 1 } };
      const result = { jsonrpc: '2.0', id: body.id, result: { resultType: 'complete', content: [{ type: 'text', text: 'streamed' }] } };
      response.write(`data: ${JSON.stringify(progress)}\n\ndata: ${JSON.stringify(result)}\n\n`);
      // It never ends the stream.
    };
    expect((await find()).text).toBe('streamed');
  });

  it('has a result of its tool’s that is a failure, and one with things that are not texts', async () => {
    const resource = { uri: 'file:///a.txt', text: 'inside' };
    server.call = () => ({
      isError: true,
      content: [
        { type: 'text', text: 'a\u0000b\ud800' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        { type: 'resource_link', name: 'x', uri: 'https://example.com/x' },
        { type: 'resource', resource },
        { type: 'resource', resource: { uri: 'file:///b', blob: 'AAAA' } },
        { type: 'hologram' },
        null,
      ],
    });
    expect(await find()).toEqual({
      isError: true,
      text: 'ab\ufffd\n\n[image: image/png]\n\n[audio: audio/wav]\n\n[link: https://example.com/x]\n\ninside\n\n[file: file:///b]\n\n[unknown content]\n\n[unknown content]',
    });
  });

  it('refuses a token once: it is renewed, and the call sent again', async () => {
    server.accepted = new Set(['Bearer token-2']);
    const grant = new FakeGrant();
    expect((await find(open(grant))).text).toBe('found');
    expect([grant.tokens, grant.rejections]).toEqual([2, []]);
  });

  it('refuses the renewed token as well: the connection has to be made again, without a loop', async () => {
    server.accepted = new Set();
    const grant = new FakeGrant();
    const session = open(grant);
    expect(await failure(find(session))).toMatchObject({ code: 'reauth_required' });
    expect([grant.tokens, grant.rejections]).toEqual([2, [[2, 'reauth_required']]]);
    expect(server.callsOf('/mcp').length).toBeLessThanOrEqual(2);
    expect(session.mayHaveChanged).toBe(false);
  });

  it('begins to refuse a token while connections are open', async () => {
    const grant = new FakeGrant();
    await find(open(grant));
    server.accepted = new Set(['Bearer token-2']);
    expect((await find(open(grant))).text).toBe('found');
  });

  it('refuses a header: it can’t be renewed', async () => {
    server.accepted = new Set(['Key abc']);
    const grant = new FakeGrant();
    grant.header = { name: 'authorization', value: 'Key abc' };
    expect((await find(open(grant))).text).toBe('found');
    server.accepted = new Set();
    expect(await failure(find(open(grant)))).toMatchObject({ code: 'reauth_required' });
    expect([grant.tokens, grant.rejections]).toEqual([1, [[1, 'reauth_required']]]);
  });

  it('gives way to no more than four calls of a connection at once', async () => {
    let [now, most] = [0, 0];
    const waiting: (() => void)[] = [];
    const { promise: full, resolve } = Promise.withResolvers<void>();
    server.answer = (response, { body }) => {
      now += 1;
      most = Math.max(most, now);
      waiting.push(() => {
        now -= 1;
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id: body.id, result: { resultType: 'complete', content: [] } }));
      });
      if (waiting.length === 4) resolve();
      if (waiting.length > 4) waiting.at(-1)?.();
    };
    const found = Array.from({ length: 12 }, () => find());
    await full;
    for (const release of waiting.slice(0, 4)) release();
    await Promise.all(found);
    expect(most).toBe(4);
  });

  it('does not answer in time', async () => {
    const asked = held();
    const error = failure(find());
    await asked;
    await clock.advance(30_000);
    expect(await error).toMatchObject({ code: 'provider_timeout', message: 'Tickets did not respond in time.' });
  });

  it('is given up on when the session ends', async () => {
    const asked = held();
    const ending = new AbortController();
    const error = failure(find(open(new FakeGrant(), ending.signal)));
    const response = await asked;
    const closed = once(response, 'close');
    ending.abort(new AppError('aborted', 'over'));
    expect(await error).toMatchObject({ code: 'aborted' });
    await closed;
  });
});

it('begins another session where the server has forgotten it', async () => {
  server.era = 'legacy';
  await find();
  server.sessions.clear();
  expect((await find()).text).toBe('found');
  server.on('/mcp', (response) => response.writeHead(404).end());
  expect(await failure(find())).toMatchObject({ code: 'provider_error' });
});

describe('a server of an earlier revision', () => {
  beforeEach(() => {
    server.era = 'legacy';
  });

  it.each<[string, (response: ServerResponse, id: unknown) => void]>([
    ['fails', (response) => void response.writeHead(500).end('secret words')],
    ['answers with another id', (response) => sendRaw(response, rpcError('other', -32_601))],
    ['answers without an id', (response) => sendRaw(response, rpcError(null, -32_601))],
    ['only acknowledges', (response) => void response.writeHead(202).end()],
  ])('that %s when it is asked for what it speaks is called as what it is', async (_what, answer) => {
    server.discovery = answer;
    expect((await find()).text).toBe('found');
  });

  it('that speaks a revision of its own is an error that says so', async () => {
    server.revision = '1999-01-01';
    expect(await failure(find())).toMatchObject({
      code: 'provider_error',
      message: 'Tickets speaks a revision of MCP that Steward doesn’t know.',
    });
  });

  it('may end its own stream, which is opened again, or answer with a page in its place', async () => {
    let count = 0;
    server.stream = (response) => {
      count += 1;
      if (count === 1) response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 0\n\n');
      else response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>secret words</h1>');
    };
    await find();
    await eventually(async () => {
      await clock.advance(100);
      return count === 2;
    });
    // A page means that there is none.
    await clock.advance(10_000);
    expect((await find()).text).toBe('found');
    expect(count).toBe(2);
  });
});

it('does not send the credential to an address that the operator has changed since', async () => {
  source = { ...source, url: `${server.url}/elsewhere` };
  expect(await failure(find())).toMatchObject({ code: 'reauth_required', message: expect.stringContaining('address of Tickets') });
  expect(server.calls).toEqual([]);
});

it('repeats arguments as headers where the approved definition says so', async () => {
  const inputSchema = {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      deep: { type: 'object', properties: { n: { type: 'integer', 'x-mcp-header': 'N' } } },
      text: { type: 'string', 'x-mcp-header': 'Text' },
    },
  };
  await open().callTool(source, 'find', { region: 'eu', deep: { n: 3 }, text: 'ü\r\nx: y' }, { inputSchema });
  const { headers } = server.callsOf('/mcp').at(-1) as ScriptedCall;
  expect(headers).toMatchObject({ 'mcp-param-region': 'eu', 'mcp-param-n': '3' });
  expect(headers['mcp-param-text']).toBe(`=?base64?${Buffer.from('ü\r\nx: y').toString('base64')}?=`);
});

describe('a server that asks its user for something', () => {
  it('by a result is refused', async () => {
    server.answer = (response, { body }) => {
      const inputRequests = { a: { method: 'elicitation/create', params: { mode: 'url', url: 'https://phish.example' } } };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id: body.id, result: { resultType: 'input_required', inputRequests } }));
    };
    const error = await failure(find());
    expect(error.message).toBe('Tickets asks for something in the middle of the call, which Steward doesn’t pass on to you.');
    expect(server.methods.filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  it('by a request gets an error', async () => {
    server.era = 'legacy';
    server.answer = (response, { body }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(
        `data: ${JSON.stringify({ jsonrpc: '2.0', id: 'theirs', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } })}\n\n`,
      );
      server.on('/mcp', (own, { body: reply }) => {
        own.writeHead(202).end();
        const text = reply.error === undefined ? 'obeyed' : `error ${reply.error.code}`;
        response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: body.id, result: { content: [{ type: 'text', text }] } })}\n\n`);
      });
    };
    expect((await find()).text).toBe('error -32601');
  });
});

describe('a hostile answer', () => {
  const raw =
    (status: number, headers: Record<string, string>, body: string | Buffer) =>
    (response: ServerResponse): void =>
      void response.writeHead(status, headers).end(body);
  const json = { 'content-type': 'application/json' };
  const events = { 'content-type': 'text/event-stream' };

  it.each<[string, (response: ServerResponse, call: ScriptedCall) => void, string]>([
    ['is a page', raw(200, { 'content-type': 'text/html' }, '<h1>secret words</h1>'), 'provider_error'],
    ['is no JSON', raw(200, json, '{"jsonrpc": secret words'), 'provider_error'],
    ['is JSON of another kind', raw(200, json, '[1, "secret words"]'), 'provider_error'],
    ['is empty', raw(200, json, ''), 'provider_error'],
    ['has no type', raw(200, {}, 'secret words'), 'provider_error'],
    ['is an error of JSON-RPC', (response, { body }) => raw(200, json, rpcError(body.id, -32_000))(response), 'provider_error'],
    ['is an error with a huge code', (response, { body }) => raw(200, json, rpcError(body.id, 2 ** 60))(response), 'provider_error'],
    ['redirects', raw(307, { location: 'http://127.0.0.1:1/' }, ''), 'provider_error'],
    ['forbids', raw(403, json, '{"error":"secret words"}'), 'provider_error'],
    ['wants more scope', raw(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="all"' }, ''), 'missing_scopes'],
    ['limits', raw(429, { 'retry-after': '7' }, 'secret words'), 'rate_limited'],
    ['is a failure', raw(500, json, 'secret words'), 'provider_error'],
    ['is a status of its own', raw(599, json, 'secret words'), 'provider_error'],
    ['is a stream that ends', raw(200, events, ': nothing\n\n'), 'provider_error'],
    ['is a stream of nonsense', raw(200, events, 'data: secret words\n\ndata: {}\n\n'), 'provider_error'],
    ['is larger than 1 MB', raw(200, json, `"${'x'.repeat(1_100_000)}"`), 'too_large'],
    ['is a stream that is larger than 1 MB', raw(200, events, `: ${'x'.repeat(1_100_000)}\n\n`), 'too_large'],
    ['is compressed', raw(200, { ...json, 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(50_000_000))), 'provider_error'],
    ['is cut off', (response) => response.writeHead(200, json).write('{', () => response.destroy()), 'provider_error'],
    [
      'has no list of content',
      (response, { body }) => raw(200, json, rpcResult(body.id, { content: 'secret words' }))(response),
      'provider_error',
    ],
  ])('that %s is an error without its words', async (_what, answer, code) => {
    for (const era of ['modern', 'legacy'] as const) {
      server.era = era;
      server.answer = answer;
      const error = await failure(find(open(new FakeGrant(era))));
      expect(error, era).toMatchObject({ code });
      const said = `${error.message} ${error.cause} ${(error.cause as Error | undefined)?.cause}`;
      expect(said).not.toContain('secret words');
    }
  });

  it.each<[string, (response: ServerResponse, id: number) => void, RegExp]>([
    ['of another id', (response, id) => raw(200, json, rpcResult(id + 1, { content: [] }))(response), /doesn’t answer the request/],
    ['of an id that is a text', (response, id) => raw(200, json, rpcResult(String(id), { content: [] }))(response), /doesn’t answer/],
    ['without an id', (response) => raw(200, json, JSON.stringify({ jsonrpc: '2.0', result: {} }))(response), /could not be read/],
    [
      'of another id in a stream that goes on',
      (response, id) => response.writeHead(200, events).write(`data: ${rpcResult(id + 1, { content: [] })}\n\n`),
      /doesn’t answer the request/,
    ],
    ['only an acknowledgement', (response) => raw(202, {}, '')(response), /doesn’t answer the request/],
    ['an error without an id', (response) => raw(200, json, rpcError(null, -32_001))(response), /refused the call \(error -32001\)/],
  ])('that is %s ends the call at once', async (_what, answer, message) => {
    for (const era of ['modern', 'legacy'] as const) {
      server.era = era;
      server.answer = (response, { body }) => answer(response, body.id);
      const error = await failure(find(open(new FakeGrant(era))));
      expect(error, era).toMatchObject({ code: 'provider_error', message: expect.stringMatching(message) });
    }
  });

  it('that goes on for ever ends with the time of the call', async () => {
    const { promise: begun, resolve } = Promise.withResolvers<ServerResponse>();
    server.answer = (response) => {
      response.writeHead(200, events).write(': nothing\n\n', () => resolve(response));
    };
    const error = failure(find());
    const closed = once(await begun, 'close');
    await clock.advance(30_000);
    expect(await error).toMatchObject({ code: 'provider_timeout' });
    await closed;
  });

  it.each([
    ['a call', 'tools/call', json],
    ['a call by events', 'tools/call', events],
    ['its list', 'tools/list', json],
    ['the first request', 'server/discover', json],
  ])('to %s of a gigabyte is cut off after some megabytes', async (_what, method, headers) => {
    let sent = 0;
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    server.on('/mcp', (response, call) => {
      if (call.body?.method !== method) return server.respond(response, call);
      response.writeHead(200, headers).on('close', close);
      const part = Buffer.alloc(64 * 1024, 'x');
      const send = () => {
        while (sent < GIGABYTE && !response.destroyed) {
          sent += part.length;
          if (!response.write(part)) return void response.once('drain', send);
        }
        response.end();
      };
      send();
    });
    const session = open();
    expect(await failure(method === 'tools/list' ? session.listTools(source) : find(session))).toMatchObject({ code: 'too_large' });
    await closed;
    // What the machine keeps for a connection is sent as well.
    expect(sent).toBeLessThan(GIGABYTE / 32);
  });

  it('with values that can’t be stored is made storable', async () => {
    server.answer = (response, { body }) => {
      const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
      raw(
        200,
        json,
        `{"jsonrpc":"2.0","id":${body.id},"result":{"resultType":"complete","content":[],"structuredContent":{"n":1e999,"t":"\\u0000\\ud800","deep":${deep},"__proto__":{"a":1}}}}`,
      )(response);
    };
    const { structured } = await find();
    const text = JSON.stringify(structured);
    expect(text).not.toMatch(/\\u0000|\\ud800/);
    expect(text.length).toBeLessThan(1_000);
    expect(({} as any).a).toBeUndefined();
  });
});

describe('the tools of a hostile server', () => {
  it('are left out with a reason where they can’t be used, and the others are listed', async () => {
    const schema = { type: 'object' };
    let deep: object = {};
    for (let level = 0; level < 100; level += 1) deep = { properties: { a: deep } };
    server.pages.first.tools = [
      TOOL,
      { name: 'twice', inputSchema: schema },
      { name: 'twice', inputSchema: { ...schema, title: 'other' } },
      { name: 'twice', inputSchema: schema },
      { name: 'no schema' },
      { name: 'list', inputSchema: { type: 'array' } },
      { name: 'remote', inputSchema: { ...schema, properties: { a: { $ref: 'https://evil.example/schema' } } } },
      { name: 'remote-output', inputSchema: schema, outputSchema: { $dynamicRef: 'http://evil.example' } },
      { name: 'large', description: 'x'.repeat(70_000), inputSchema: schema },
      { name: 'deep', inputSchema: { ...schema, ...deep } },
      { name: 'header', inputSchema: { ...schema, properties: { a: { type: 'number', 'x-mcp-header': 'A' } } } },
      {
        name: 'header-inside',
        inputSchema: { ...schema, properties: { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } } },
      },
      { name: 'a\u202eb', inputSchema: schema },
      { name: 'x'.repeat(129), inputSchema: schema },
      { name: 1, inputSchema: schema },
      null,
      'x',
      { name: 'x'.repeat(128), inputSchema: { ...schema, properties: { $ref: { type: 'string' }, local: { $ref: '#/$defs/a' } } } },
    ];
    const { tools, unusable } = await open().listTools(source);
    expect(tools.map(({ name }) => name)).toEqual(['find', 'x'.repeat(128)]);
    expect(Object.fromEntries(unusable.map(({ name, reason }) => [name, reason]))).toEqual({
      twice: 'its name occurs twice',
      '(without a valid name)': expect.any(String),
      list: 'its arguments are no object',
      remote: 'its schema refers to another document',
      'remote-output': 'its schema refers to another document',
      large: 'its definition has more than 65536 bytes',
      deep: 'its definition is nested more than 32 times',
      header: 'it repeats arguments as headers where it must not',
      'header-inside': 'it repeats arguments as headers where it must not',
    });
  });

  it('are not read where there are 10,000 of them, or pages without end', async () => {
    server.pages.first.tools = Array.from({ length: 10_000 }, (_, index) => ({ name: `t${index}`, inputSchema: { type: 'object' } }));
    expect(await failure(open().listTools(source))).toMatchObject({ code: 'too_large' });
    server.pages = { first: { tools: [], nextCursor: 'again' }, again: { tools: [], nextCursor: 'again' } };
    expect(await failure(open().listTools(source))).toMatchObject({ code: 'too_large', message: expect.stringContaining('50 pages') });
  });
});

describe('a server that fails', () => {
  it('is left alone for 30 seconds after five failures, by this user only, and then tried by one call', async () => {
    server.answer = (response) => response.writeHead(503).end();
    for (let count = 0; count < 5; count += 1) expect((await failure(find())).code).toBe('provider_error');
    expect([...calls.circuits.open]).toEqual([['tickets', 1]]);
    const before = server.calls.length;
    expect(await failure(find())).toMatchObject({ code: 'unavailable', retryAfter: 30 });
    expect(server.calls).toHaveLength(before);
    expect((await failure(find(open(new FakeGrant('ben'))))).code).toBe('provider_error');
    await clock.advance(30_000);
    const asked = held();
    const first = find();
    const response = await asked;
    expect((await failure(find())).code).toBe('unavailable');
    const { body } = server.callsOf('/mcp').at(-1) as ScriptedCall;
    response.writeHead(200, { 'content-type': 'application/json' }).end(rpcResult(body.id, { content: [] }));
    await first;
    server.answer = undefined;
    await find();
    expect([...calls.circuits.open]).toEqual([]);
  });

  it('can’t be reached', async () => {
    const gone = await new McpSource().start();
    const { address } = gone;
    await gone.stop();
    source = { ...source, url: address };
    const grant = new FakeGrant();
    grant.current = () => accessCredential({ url: address, token: 't' });
    const session = open(grant);
    expect(await failure(find(session))).toMatchObject({ code: 'provider_error', message: '127.0.0.1 can’t be reached.' });
    expect(session.mayHaveChanged).toBe(false);
  });
});

describe('whether a call may have changed something', () => {
  it.each<[string, boolean, (response: ServerResponse, call: ScriptedCall) => void]>([
    ['an error of invalid arguments', false, (response, { body }) => sendRaw(response, rpcError(body.id, -32_602))],
    ['an error of its own', true, (response, { body }) => sendRaw(response, rpcError(body.id, -32_000))],
    ['a refusal', false, (response) => void response.writeHead(403).end()],
    ['a failure', true, (response) => void response.writeHead(500).end()],
    ['an end', true, (response) => void response.destroy()],
    ['a page', true, (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('x')],
  ])('after %s: %s', async (_what, expected, answer) => {
    server.answer = answer;
    const session = open();
    await failure(find(session));
    expect(session.mayHaveChanged).toBe(expected);
  });
});

function rpcError(id: unknown, code: number): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'secret words', data: 'secret words' } });
}

function rpcResult(id: unknown, result: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } });
}

function sendRaw(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(text);
}
