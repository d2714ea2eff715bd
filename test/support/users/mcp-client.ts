import type { TestSteward } from '../steward.ts';

export const REVISION = '2026-07-28';
export const EARLIER = '2025-11-25';

const CLIENT = { name: 'test', version: '1' };
const META = 'io.modelcontextprotocol/';

export interface McpResponse {
  status: number;
  headers: Headers;
  /** The response to the request; undefined: none arrived. */
  message: any;
  /** What arrived before it. */
  notifications: any[];
}

/** What a request of the current revision carries besides. */
export interface McpOptions {
  /** Client capabilities. */
  capabilities?: object;
  headers?: Record<string, string>;
  /** Replaces the `_meta` of the request. */
  meta?: object;
  signal?: AbortSignal;
  /** Other members of the parameters. */
  params?: object;
}

/** A client that says exactly what a test wants, in the revision 2026-07-28 or, with `initialize`, in an earlier one. */
export class McpClient {
  readonly #steward: Pick<TestSteward, 'url'>;
  readonly #token: string | undefined;
  #id = 0;

  constructor(steward: Pick<TestSteward, 'url'>, token: string | undefined) {
    this.#steward = steward;
    this.#token = token;
  }

  request(method: string, params: Record<string, unknown> = {}, options: McpOptions = {}): Promise<McpResponse> {
    const { capabilities = {}, headers = {}, meta = {}, signal } = options;
    const envelope = {
      [`${META}protocolVersion`]: REVISION,
      [`${META}clientInfo`]: CLIENT,
      [`${META}clientCapabilities`]: capabilities,
      ...meta,
    };
    this.#id += 1;
    const body = { jsonrpc: '2.0', id: this.#id, method, params: { ...params, _meta: envelope } };
    const name = params.name ?? params.uri;
    const standard = {
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    };
    return this.post(body, { ...standard, ...headers }, signal);
  }

  /** In an earlier revision, without the envelope. */
  earlier(method: string, params: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<McpResponse> {
    this.#id += 1;
    return this.post({ jsonrpc: '2.0', id: this.#id, method, params }, { 'mcp-protocol-version': EARLIER, ...headers });
  }

  call(name: string, input: unknown = {}, options: McpOptions = {}): Promise<McpResponse> {
    return this.request('tools/call', { name, arguments: input, ...options.params }, options);
  }

  /** Sends a body as it is. */
  async post(body: unknown, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<McpResponse> {
    const response = await fetch(`${this.#steward.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal !== undefined && { signal }),
    });
    const text = await response.text();
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const messages = isStream ? eventsOf(text) : text === '' ? [] : [JSON.parse(text)];
    const message = messages.find((one) => one.result !== undefined || one.error !== undefined || one.status !== undefined);
    return {
      status: response.status,
      headers: response.headers,
      message,
      notifications: messages.filter((one) => one.method !== undefined),
    };
  }

  /** Opens a stream for changes of lists. @returns what arrives on it, and its end */
  async listen(notifications: object, signal: AbortSignal): Promise<{ received: any[]; ended: Promise<void> }> {
    const response = await fetch(`${this.#steward.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${this.#token}`,
        'mcp-protocol-version': REVISION,
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 'listen',
        method: 'subscriptions/listen',
        params: {
          notifications,
          _meta: { [`${META}protocolVersion`]: REVISION, [`${META}clientInfo`]: CLIENT, [`${META}clientCapabilities`]: {} },
        },
      }),
      signal,
    });
    const received: any[] = [];
    const read = async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) received.push(...eventsOf(decoder.decode(chunk, { stream: true })));
    };
    return { received, ended: read().catch(() => {}) };
  }
}

function eventsOf(text: string): any[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: ') && line.length > 'data: '.length)
    .map((line) => JSON.parse(line.slice('data: '.length)));
}
