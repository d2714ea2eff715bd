import type { Client, JSONRPCMessage } from '@modelcontextprotocol/client';
import type { Clock } from '../../clock/clock.ts';
import type { Outbound } from '../../outbound/checked-fetch.ts';
import type { AccessCredential } from './credentials.ts';
import { REQUEST_MS } from './source-fetch.ts';
import { type Lost, SourceTransport } from './source-transport.ts';

/** How this service names itself to servers. */
const CLIENT_INFO = { name: 'steward', title: 'Steward', version: '1.0.0' };
/** Of requests that this module sends; the client's own count from 0. */
const FIRST_ID = 1_000_000;
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';

/** The server answered with an error of JSON-RPC. Its message is a stranger's text, and is not kept. */
export class RpcError extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`error ${code}`);
    this.code = code;
  }
}

/** No answer to a request will come. */
export class NoAnswer extends Error {
  readonly why: Lost;

  /** @param cut why the answer was not read to its end, if that is so */
  constructor(why: Lost, cut: unknown) {
    super(why, { cause: cut });
    this.why = why;
  }
}

interface Waiting {
  resolve(result: Record<string, unknown>): void;
  reject(error: Error): void;
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
  readonly #transport: SourceTransport;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = FIRST_ID;

  private constructor(client: Client, transport: SourceTransport) {
    this.#client = client;
    this.#transport = transport;
    const { onmessage } = transport;
    transport.onmessage = (message: JSONRPCMessage) => {
      if (!this.#take(message)) onmessage?.(message);
    };
  }

  /** @throws what the official client and {@link Outbound} throw */
  static async open(outbound: Outbound, clock: Clock, credential: AccessCredential, signal: AbortSignal): Promise<SourceConnection> {
    const sdk = await import('@modelcontextprotocol/client');
    const client = new sdk.Client(CLIENT_INFO, {
      versionNegotiation: { mode: 'auto' },
      // Checks are made elsewhere: the client's own would compile schemas of strangers.
      jsonSchemaValidator: { getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }) },
    });
    const transport = await SourceTransport.open(outbound, clock, credential);
    await client.connect(transport, { signal, timeout: REQUEST_MS });
    return new SourceConnection(client, transport);
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
    try {
      const onLost = (why: Lost, cut: unknown) => reject(new NoAnswer(why, cut));
      this.#transport.request(message, { signal, headers, onLost }).catch(reject);
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
