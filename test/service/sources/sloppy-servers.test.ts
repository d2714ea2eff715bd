import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SourceDesk } from '../../judges/support/source-desk.ts';
import type { SourceUser } from '../../judges/support/source-user.ts';
import { type LoopbackServer, startLoopbackServer } from '../../support/servers/loopback-server.ts';

/** A message of JSON-RPC. */
type Message = Record<string, any>;
interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  message: Message;
}

/** Servers as they are found in use, each with the habits of one kind of library. */
let desk: SourceDesk;
let server: LoopbackServer;

beforeAll(async () => {
  desk = await SourceDesk.start();
});
afterAll(() => desk.stop());
afterEach(() => server.close());

/** @returns a user, who is connected to a server that answers so */
async function connected(tools: string[], answer: (exchange: Exchange) => unknown): Promise<SourceUser> {
  server = await startLoopbackServer(async (request, response) => {
    const body = await text(request);
    await answer({ request, response, message: body === '' ? {} : JSON.parse(body) });
  });
  const user = await desk.offer({ url: `${server.url}/mcp`, auth: 'none', tools });
  expect(await user.connect()).toBe('connected');
  return user;
}

/** What the tools answer, or the code of the error. */
async function answers(user: SourceUser, tools: string[]): Promise<unknown[]> {
  const answered: unknown[] = [];
  for (const tool of tools) {
    const { body } = await user.call(tool, {});
    answered.push(body.data ?? body.code);
  }
  return answered;
}

const SCHEMA = { type: 'object', properties: { query: { type: 'string' } } };

interface Session {
  /** Its stream for what it has to say by itself. */
  opened: PromiseWithResolvers<ServerResponse>;
  replies: Message[];
  waiting: (() => void) | undefined;
}

describe('a server with sessions that speaks in events', () => {
  const initialized = {
    protocolVersion: '2025-06-18',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 's', version: '1' },
  };

  it('asks for roots over its own stream, and answers once it was told that there are none', async () => {
    const sessions = new Map<string, Session>();
    let begun = 0;
    const user = await connected(['search'], async ({ request, response, message: { id, method, ...reply } }) => {
      const named = String(request.headers['mcp-session-id'] ?? '');
      const event = (result: object) =>
        response.end(
          `: keep-alive\r\n\r\nevent: message\r\nid: ${randomUUID()}\r\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\r\n\r\n`,
        );
      const streaming = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
      if (method === 'initialize') {
        begun += 1;
        const session = `s-${begun}`;
        sessions.set(session, { opened: Promise.withResolvers(), replies: [], waiting: undefined });
        response.writeHead(200, { ...streaming, 'Mcp-Session-Id': session });
        return event(initialized);
      }
      const session = sessions.get(named);
      if (session === undefined) {
        const error = { code: -32_000, message: 'Bad Request: No valid session ID provided' };
        return response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
      }
      if (request.method === 'GET') {
        session.opened.resolve(response.writeHead(200, streaming));
        return response.write(': open\n\n');
      }
      if (request.method === 'DELETE') return response.writeHead(200).end();
      if (id === undefined || method === undefined) {
        if (method === undefined) session.replies.push({ id, ...reply });
        if (session.replies.length === 2) session.waiting?.();
        return response.writeHead(202, { 'content-type': 'text/plain' }).end('Accepted');
      }
      response.writeHead(200, streaming);
      if (method === 'tools/list') return event({ tools: [{ name: 'search', inputSchema: SCHEMA }] });
      const stream = await session.opened.promise;
      session.waiting = () => {
        const said = session.replies.map((one) => `${one.id}: ${one.error === undefined ? 'answered' : one.error.code}`).sort();
        event({ content: [{ type: 'text', text: said.join(', ') }] });
      };
      for (const asked of ['ping', 'roots/list']) {
        stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: asked, method: asked })}\n\n`);
      }
    });
    expect(await user.tools()).toEqual({ search: 'allowed' });
    const asked = { text: 'ping: answered, roots/list: -32601' };
    expect(await answers(user, ['search'])).toEqual([asked]);
    // It was restarted, and knows no session any more.
    const before = begun;
    sessions.clear();
    expect(await answers(user, ['search'])).toEqual([asked]);
    expect(begun).toBe(before + 1);
    await user.disconnect();
  });
});

describe('a server that writes every member that it knows', () => {
  it('has nulls and members of its own anywhere', async () => {
    const user = await connected(['search', 'count', 'fail'], ({ request, response, message: { id, method, params } }) => {
      if (request.method !== 'POST') return response.writeHead(405, { allow: 'POST' }).end();
      if (id === undefined) return response.writeHead(202).end();
      const send = (result: object | null, error: object | null = null) =>
        response
          .writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result, error, trace: 'abc' }));
      if (method === 'initialize') {
        return send({
          protocolVersion: '2024-11-05',
          capabilities: { experimental: {}, logging: null, prompts: null, resources: null, tools: { listChanged: false } },
          serverInfo: { name: 's', version: '1', title: null, websiteUrl: null },
          instructions: null,
        });
      }
      if (method === 'tools/list') {
        const definition = (name: string) => ({
          ...{ name, title: null, description: null, icons: null, outputSchema: null, annotations: null, meta: null, _meta: null },
          inputSchema: SCHEMA,
          execution: { taskSupport: 'forbidden' },
        });
        return send({ tools: ['search', 'count', 'fail'].map(definition), nextCursor: null });
      }
      if (method !== 'tools/call') return send(null, { code: -32_601, message: 'Method not found', data: null });
      if (params.name === 'fail')
        return send({ content: [{ type: 'text', text: 'no such ticket' }], isError: true, structuredContent: null });
      if (params.name === 'count') return send({ content: [], structuredContent: { count: 3 }, isError: null });
      return send({
        content: [{ type: 'text', text: 'found', annotations: null, meta: null, _meta: null }],
        structuredContent: null,
        isError: false,
        resultType: null,
      });
    });
    expect(await user.tools()).toEqual({ search: 'allowed', count: 'allowed', fail: 'allowed' });
    expect(await answers(user, ['search', 'count', 'fail'])).toEqual([
      { text: 'found' },
      { structured: { count: 3 } },
      { text: 'no such ticket', isError: true },
    ]);
    await user.disconnect();
  });
});

describe('a server that writes its answers piece by piece', () => {
  it('cuts them within characters and lines', async () => {
    const user = await connected(['search', 'dump'], async ({ request, response, message: { id, method, params } }) => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      if (id === undefined) return response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      const results: Record<string, object> = {
        initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
        'tools/list': {
          tools: [
            { name: 'search', description: 'Sücht 🎟', inputSchema: SCHEMA },
            { name: 'dump', inputSchema: SCHEMA },
          ],
        },
        'tools/call': { content: [{ type: 'text', text: params?.name === 'dump' ? 'x'.repeat(1_100_000) : 'Größe 🎟 日本' }] },
      };
      const answer = results[method] === undefined ? { error: { code: -32_601, message: 'x' } } : { result: results[method] };
      response.writeHead(200, { 'Content-Type': 'Text/Event-Stream' });
      const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
      const lines = JSON.stringify({ jsonrpc: '2.0', id, ...answer }, null, 1)
        .split('\n')
        .map((line) => `data: ${line}`);
      const bytes = Buffer.from(
        `\ufeffretry: 10\r\n\r\ndata:${JSON.stringify(changed)}\r\n\r\nevent: ping\r\ndata: x\r\n\r\n${lines.join('\r\n')}\r\n\r\n`,
      );
      if (bytes.length > 100_000) return response.end(bytes);
      for (let at = 0; at < bytes.length; at += 3) {
        response.write(bytes.subarray(at, at + 3));
        await nextTurn();
      }
      response.end();
    });
    expect(await user.tools()).toEqual({ search: 'allowed', dump: 'allowed' });
    expect(await answers(user, ['search', 'dump'])).toEqual([{ text: 'Größe 🎟 日本' }, 'too_large']);
    await user.disconnect();
  });
});

describe('a server of another time', () => {
  it('answers in batches', async () => {
    const user = await connected(['search', 'fail'], ({ request, response, message: { id, method, params } }) => {
      if (request.method !== 'POST') return response.writeHead(404).end('Not Found');
      if (id === undefined) return response.writeHead(204).end();
      const results: Record<string, object> = {
        initialize: { protocolVersion: '2025-03-26', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
        'tools/list': {
          tools: [
            { name: 'search', inputSchema: SCHEMA },
            { name: 'fail', inputSchema: SCHEMA },
          ],
        },
        'tools/call': { content: [{ type: 'text', text: 'found' }] },
      };
      const isFailing = results[method] === undefined || params?.name === 'fail';
      const answer = isFailing
        ? { error: { code: -32_603, message: 'secret words', data: { stack: ['secret words'] } } }
        : { result: results[method] };
      const progress = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'working' } };
      response
        .writeHead(isFailing ? 500 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify([progress, { jsonrpc: '2.0', id, ...answer }]));
    });
    expect(await user.tools()).toEqual({ search: 'allowed', fail: 'allowed' });
    expect(await answers(user, ['search', 'fail'])).toEqual([{ text: 'found' }, 'provider_error']);
    expect((await user.call('fail', {})).body.message).not.toContain('secret words');
    await user.disconnect();
  });
});
