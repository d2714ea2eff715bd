import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type LoopbackServer, startLoopbackServer } from './loopback-server.ts';

export interface ScriptedCall {
  method: string;
  /** Path and query. */
  url: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  text: string;
  /** Parsed JSON; undefined if the request had none. */
  body: any;
}

export interface ScriptedResponse {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as JSON, a string as HTML. */
  body?: unknown;
}

/** Writes the response of one call, or never does. */
export type Handler = (response: ServerResponse, call: ScriptedCall) => void;

/** A server outside the machine: records its calls, and responds by path as a test scripts. Other paths are 404. */
export class ScriptedServer {
  readonly calls: ScriptedCall[] = [];
  readonly #scripts = new Map<string, Handler>();
  readonly #held = new Map<string, Promise<void>>();
  #server: LoopbackServer | undefined;

  /** Without a trailing slash. */
  get url(): string {
    return this.#server?.url ?? '';
  }

  async start(): Promise<this> {
    const listener: RequestListener = (request, response) => void this.#serve(request, response);
    this.#server = await startLoopbackServer(listener);
    return this;
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  /** Replaces the responses of a path until {@link reset}; `*` is every path without a script. */
  on(path: string, script: ScriptedResponse | Handler): void {
    this.#scripts.set(path, typeof script === 'function' ? script : (response) => respond(response, script));
  }

  off(path: string): void {
    this.#scripts.delete(path);
  }

  /** Calls of a path wait until the function returned is called. */
  hold(path: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(path, promise);
    return () => {
      this.#held.delete(path);
      resolve();
    };
  }

  /** Removes every script and forgets the calls so far. */
  reset(): void {
    this.#scripts.clear();
    this.calls.length = 0;
  }

  callsOf(path: string): ScriptedCall[] {
    return this.calls.filter((call) => call.path === path);
  }

  /** Called with every call when it arrives. */
  protected received(_call: ScriptedCall): void {}

  /** The response of a path without a script. */
  protected usual(_call: ScriptedCall): ScriptedResponse | Promise<ScriptedResponse> {
    return { status: 404, body: { error: { code: 404, errors: [{ reason: 'notFound' }] } } };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = await callOf(request);
    this.calls.push(call);
    this.received(call);
    await this.#held.get(call.path);
    const handler = this.#scripts.get(call.path) ?? this.#scripts.get('*');
    if (handler === undefined) respond(response, await this.usual(call));
    else handler(response, call);
  }
}

async function callOf(request: IncomingMessage): Promise<ScriptedCall> {
  const { method = '', url = '/', headers } = request;
  const [path = '', query = ''] = url.split('?', 2);
  const content = await text(request);
  const isJson = content !== '' && headers['content-type']?.startsWith('application/json') === true;
  return { method, url, path, query: new URLSearchParams(query), headers, text: content, body: isJson ? JSON.parse(content) : undefined };
}

export function respond(response: ServerResponse, { status = 200, headers, body }: ScriptedResponse): void {
  const isText = typeof body === 'string';
  response
    .writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
    .end(isText ? body : JSON.stringify(body));
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
