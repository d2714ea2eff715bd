import type { Client, JSONRPCMessage, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AppError } from '../../errors.ts';
import type { Outbound } from '../../outbound/checked-fetch.ts';
import { readChallenge } from './challenge.ts';
import type { AccessCredential } from './credentials.ts';

/** For each request to the server, milliseconds. */
export const REQUEST_MS = 30_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** How this service names itself to servers. */
const CLIENT_INFO = { name: 'steward', title: 'Steward', version: '1.0.0' };
/** Of requests that this module sends; the client's own count from 0. */
const FIRST_ID = 1_000_000;
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo';
/** RFC 6749, 3.3. */
const SCOPE_NAME = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

/** The server answered with an error of JSON-RPC. Its message is a stranger's text, and is not kept. */
export class RpcError extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`error ${code}`);
    this.code = code;
  }
}

/** The stream of an answer ended without it. */
export class NoAnswer extends Error {}

interface Waiting {
  resolve(result: Record<string, unknown>): void;
  reject(error: Error): void;
}

/** Why the body of an answer was not read to its end; the official client keeps only a text of it. */
interface Cuts {
  last: unknown;
}

interface SendOptions {
  signal: AbortSignal;
  headers?: Record<string, string> | undefined;
}

/**
 * A connection to a server with one credential: the version of the protocol is agreed on, and where the server has sessions, one
 * has begun.
 *
 * Agreeing and transport are the official client's. Its requests are not used: they refuse a whole answer because of one unknown
 * block, drop members of definitions, and check every answer by schemas that are slow in large ones.
 */
export class SourceConnection {
  readonly #client: Client;
  readonly #transport: StreamableHTTPClientTransport;
  readonly #waiting = new Map<number, Waiting>();
  readonly #cuts: Cuts;
  #nextId = FIRST_ID;

  private constructor(client: Client, transport: StreamableHTTPClientTransport, cuts: Cuts) {
    this.#client = client;
    this.#transport = transport;
    this.#cuts = cuts;
    const { onmessage } = transport;
    transport.onmessage = (message: JSONRPCMessage) => {
      if (!this.#take(message)) onmessage?.(message);
    };
  }

  /** @throws what the official client and {@link Outbound} throw */
  static async open(outbound: Outbound, credential: AccessCredential, signal: AbortSignal): Promise<SourceConnection> {
    const sdk = await import('@modelcontextprotocol/client');
    const client = new sdk.Client(CLIENT_INFO, {
      versionNegotiation: { mode: 'auto' },
      // Checks are made elsewhere: the client's own would compile schemas of strangers.
      jsonSchemaValidator: { getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }) },
    });
    const cuts: Cuts = { last: undefined };
    const fetch = fetchWith(outbound, credential, cuts);
    const transport = new sdk.StreamableHTTPClientTransport(new URL(credential.url), { fetch });
    await client.connect(transport, { signal, timeout: REQUEST_MS });
    return new SourceConnection(client, transport, cuts);
  }

  /**
   * Sends one request.
   *
   * @param signal ends the wait, and the request where the server can be told
   * @returns the result as the server sent it
   * @throws RpcError, NoAnswer, the signal's reason, and what the official client and {@link Outbound} throw
   */
  async request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    { signal, headers }: SendOptions,
  ): Promise<Record<string, unknown>> {
    signal.throwIfAborted();
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<Record<string, unknown>>();
    this.#waiting.set(id, { resolve, reject });
    const onAbort = () => {
      reject(signal.reason);
      if (!this.#isModern) void this.#cancel(id);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const message = { jsonrpc: '2.0' as const, id, method, params: { ...params, ...this.#envelope() } };
    const onRequestStreamEnd = () => reject(new NoAnswer('the stream ended', { cause: this.#cuts.last }));
    try {
      const sent = this.#transport.send(message, { requestSignal: signal, onRequestStreamEnd, ...(headers && { headers }) });
      sent.catch(reject);
      return await promise;
    } finally {
      this.#waiting.delete(id);
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Ends the server's session, if it has one. */
  async close(): Promise<void> {
    await this.#transport.terminateSession().catch(ignore);
    await this.#client.close();
  }

  get #isModern(): boolean {
    return this.#client.getProtocolEra() === 'modern';
  }

  /** Since 2026-07-28, each request says by itself who sends it. */
  #envelope(): { _meta?: Record<string, unknown> } {
    if (!this.#isModern) return {};
    return { _meta: { [VERSION_KEY]: this.#client.getNegotiatedProtocolVersion(), [CLIENT_KEY]: CLIENT_INFO, [CAPABILITIES_KEY]: {} } };
  }

  #take(message: JSONRPCMessage): boolean {
    if ('method' in message || typeof message.id !== 'number') return false;
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return message.id >= FIRST_ID;
    if ('error' in message) waiting.reject(new RpcError(message.error.code));
    else waiting.resolve(message.result);
    return true;
  }

  async #cancel(requestId: number): Promise<void> {
    await this.#transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }).catch(ignore);
  }
}

const ignore = () => {};

/** Requests with the credential, which goes to the server's address only. */
function fetchWith(outbound: Outbound, { url, header, token }: AccessCredential, cuts: Cuts) {
  return async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    if (new URL(input).href !== new URL(url).href) throw new Error('another address than that of the credential');
    const headers = new Headers(init.headers);
    const method = init.method ?? 'GET';
    // A stream for what the server has to say by itself would be held open for nothing; one that continues an answer is not.
    if (method === 'GET' && !headers.has('last-event-id')) return new Response(null, { status: 405 });
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    if (header !== undefined) headers.set(header.name, header.value);
    const { body, signal } = init;
    const response = await outbound.fetch(url, {
      method,
      headers,
      body: typeof body === 'string' ? body : undefined,
      signal: signal ?? undefined,
      timeoutMs: REQUEST_MS,
      maxBytes: MAX_ANSWER_BYTES,
      onCut: (error) => {
        cuts.last = error;
      },
    });
    if (response.status === 403) await assertScope(response);
    return response;
  };
}

/** @throws AppError `missing_scopes` with `details.missingScopes`, if that is why the server refuses */
async function assertScope({ headers, body }: Response): Promise<void> {
  const { isScopeMissing, scope = '' } = readChallenge(headers.get('www-authenticate'));
  if (!isScopeMissing) return;
  await body?.cancel();
  throw new AppError('missing_scopes', 'The server asks for more than this connection was granted.', {
    details: { missingScopes: scope.split(' ').filter((name) => SCOPE_NAME.test(name)) },
  });
}
