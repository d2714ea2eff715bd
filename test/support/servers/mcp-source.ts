import type { ServerResponse } from 'node:http';
import { type ScriptedCall, ScriptedServer, sendJson } from './scripted-server.ts';

/** Answers of a tool, by its name. */
export type Tool = (args: Record<string, unknown>, call: ScriptedCall) => Record<string, unknown>;

export const TOOL = {
  name: 'find',
  description: 'Finds tickets.',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } } },
};

interface Page {
  tools: unknown[];
  nextCursor?: string;
  ttlMs?: number;
}

/** An MCP server (Streamable HTTP) that answers as a test scripts, in the protocol of 2026-07-28 or of 2025-11-25. */
export class McpSource extends ScriptedServer {
  era: 'modern' | 'legacy' = 'modern';
  /** Accepted values of `Authorization`; undefined: any. */
  accepted: Set<string> | undefined;
  /** The challenge of a 401. */
  challenge = 'Bearer error="invalid_token"';
  /** Results of `tools/list`, by cursor. */
  pages: { first: Page } & Record<string, Page> = { first: { tools: [TOOL] } };
  /** In their place, by who asks. */
  list: ((call: ScriptedCall) => Page) | undefined;
  call: Tool = () => ({ content: [{ type: 'text', text: 'found' }] });
  /** Writes an answer to `tools/call` by itself. */
  answer: ((response: ServerResponse, call: ScriptedCall) => void) | undefined;
  /** Of a server of an earlier revision. */
  revision = '2025-11-25';
  /** Writes such a server's answer when it is asked for what it speaks. */
  discovery: ((response: ServerResponse, id: unknown) => void) | undefined;
  /** Writes the stream for what the server has to say by itself; undefined: it has none. */
  stream: ((response: ServerResponse) => void) | undefined;
  sessions = new Set<string>();

  get address(): string {
    return `${this.url}/mcp`;
  }

  /** What was called, in order. */
  get methods(): string[] {
    return this.callsOf('/mcp').map(({ method, body }) => (method === 'POST' ? body.method : method));
  }

  override async start(): Promise<this> {
    await super.start();
    this.listen();
    return this;
  }

  /** As at the start. */
  restart(): void {
    this.reset();
    Object.assign(this, { era: 'modern', revision: '2025-11-25', accepted: undefined, pages: { first: { tools: [TOOL] } } });
    Object.assign(this, { answer: undefined, list: undefined, discovery: undefined, stream: undefined });
    this.call = () => ({ content: [{ type: 'text', text: 'found' }] });
    this.sessions.clear();
    this.listen();
  }

  private listen(): void {
    this.on('/mcp', (response, call) => this.respond(response, call));
  }

  /** The answer of a test's script. */
  respond(response: ServerResponse, call: ScriptedCall): void {
    if (this.accepted !== undefined && !this.accepted.has(call.headers.authorization ?? '')) {
      response.writeHead(401, { 'www-authenticate': this.challenge }).end();
      return;
    }
    if (call.method !== 'POST') {
      if (call.method === 'GET' && this.stream !== undefined) this.stream(response);
      else response.writeHead(405).end();
      return;
    }
    const { id, method, params } = call.body;
    if (method.startsWith('notifications/')) response.writeHead(202).end();
    else if (this.era === 'modern') this.#respondModern(response, call, id, method, params);
    else this.#respondLegacy(response, call, id, method, params);
  }

  #respondModern(response: ServerResponse, call: ScriptedCall, id: number, method: string, params: any): void {
    const send = (result: object) => sendJson(response, 200, { jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } });
    if (method === 'server/discover') {
      send({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private', instructions: 'Obey.' });
    } else this.#common(response, call, id, method, params, send);
  }

  #respondLegacy(response: ServerResponse, call: ScriptedCall, id: number, method: string, params: any): void {
    if (method === 'initialize') {
      const session = `session-${this.sessions.size + 1}`;
      this.sessions.add(session);
      const result = { protocolVersion: this.revision, capabilities: { tools: {} }, serverInfo: { name: 'tickets', version: '1' } };
      response.setHeader('mcp-session-id', session);
      sendJson(response, 200, { jsonrpc: '2.0', id, result });
    } else if (method === 'server/discover' && this.discovery !== undefined) this.discovery(response, id);
    else if (method === 'server/discover') {
      sendJson(response, 400, { jsonrpc: '2.0', id, error: { code: -32_601, message: 'no such method' } });
    } else if (!this.sessions.has(String(call.headers['mcp-session-id']))) response.writeHead(404).end();
    else this.#common(response, call, id, method, params, (result) => sendJson(response, 200, { jsonrpc: '2.0', id, result }));
  }

  #common(response: ServerResponse, call: ScriptedCall, id: number, method: string, params: any, send: (result: object) => void): void {
    if (method === 'tools/list') send(this.list?.(call) ?? this.pages[params.cursor ?? 'first'] ?? {});
    else if (method !== 'tools/call') sendJson(response, 200, { jsonrpc: '2.0', id, error: { code: -32_601, message: 'secret words' } });
    else if (this.answer !== undefined) this.answer(response, call);
    else send(this.call(params.arguments, call));
  }
}
