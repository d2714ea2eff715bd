import { AsyncLocalStorage } from 'node:async_hooks';
import type { JSONRPCMessage, StreamableHTTPClientTransport, Transport } from '@modelcontextprotocol/client';
import type { Clock } from '../../clock/clock.ts';
import type { Outbound } from '../../outbound/checked-fetch.ts';
import { StreamPauses } from '../../outbound/stream-pauses.ts';
import { tidy } from '../transport/response-json.ts';
import type { AccessCredential } from './credentials.ts';
import { type Answer, fetchWith, statusOf } from './source-fetch.ts';

type Request = Extract<JSONRPCMessage, { method: string; id: unknown }>;
type Response = Exclude<JSONRPCMessage, { method: string }>;
/** As the official client types it: without what is not set. */
type SendOptions = NonNullable<Parameters<StreamableHTTPClientTransport['send']>[1]>;

/** Why a request gets no answer: its stream has ended, or what came instead is the answer to none. */
export type Lost = 'ended' | 'unrelated';

/** A request and what came in answer to it. */
interface Exchange extends Answer {
  id: Request['id'];
  isAnswered: boolean;
  /** It is read by the official client, which refuses `null` in place of a member that is absent. */
  isTidied: boolean;
  lost(why: Lost): void;
}

export interface RequestOptions {
  signal: AbortSignal;
  headers: Record<string, string> | undefined;
  /** @param cut why the answer was not read to its end, if that is so */
  onLost(why: Lost, cut: unknown): void;
}

/** Internal error (JSON-RPC 2.0, 5.1). */
const INTERNAL_ERROR = -32603;
/** With which the official client finds out what a server speaks (MCP 2026-07-28, Versioning). */
const FIRST_METHOD = 'server/discover';

/**
 * The official client's transport, with an end for requests that get no answer. By itself, that one knows only of streams that end:
 * where a server answers with another id or with nothing, a request waits for its whole time limit.
 */
export class SourceTransport implements Transport {
  readonly hasPerRequestStream = true;
  onmessage: Transport['onmessage'];
  onclose: Transport['onclose'];
  readonly #inner: StreamableHTTPClientTransport;
  /** The request in whose answer the running code is. */
  readonly #exchanges: AsyncLocalStorage<Exchange>;
  readonly #pauses: StreamPauses;

  private constructor(inner: StreamableHTTPClientTransport, exchanges: AsyncLocalStorage<Exchange>, pauses: StreamPauses) {
    this.#inner = inner;
    this.#exchanges = exchanges;
    this.#pauses = pauses;
    inner.onmessage = (message: JSONRPCMessage) => this.#receive(message);
    inner.onclose = () => this.onclose?.();
  }

  static async open(outbound: Outbound, clock: Clock, credential: AccessCredential): Promise<SourceTransport> {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const exchanges = new AsyncLocalStorage<Exchange>();
    const pauses = new StreamPauses(clock);
    const inner = new StreamableHTTPClientTransport(new URL(credential.url), {
      fetch: fetchWith(outbound, credential, () => exchanges.getStore()),
      reconnectionScheduler: (reconnect, delay) => pauses.schedule(reconnect, delay),
    });
    return new SourceTransport(inner, exchanges, pauses);
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  /** Ends the server's session, if it has one. */
  terminateSession(): Promise<void> {
    return this.#inner.terminateSession();
  }

  /** Of the official client. A request of its own that gets no answer is answered with an error of JSON-RPC. */
  async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if (!('method' in message && 'id' in message)) return this.#inner.send(message, options);
    const { id } = message;
    const lost = () => this.onmessage?.({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: 'no answer' } });
    try {
      await this.#exchange(message, { isTidied: true, lost }, options);
    } catch (error) {
      // Servers of earlier revisions that fail at a method that they don't know speak those revisions none the less.
      if (message.method !== FIRST_METHOD || (statusOf(error) ?? 0) < 500) throw error;
      lost();
    }
  }

  /** Sends a request. What comes is received by `onmessage`. @throws what the official client and {@link Outbound} throw */
  request(message: Request, { signal, headers, onLost }: RequestOptions): Promise<void> {
    return this.#exchange(message, { isTidied: false, lost: onLost }, { requestSignal: signal, ...(headers && { headers }) });
  }

  async #exchange(
    { id, ...message }: Request,
    { isTidied, lost }: { isTidied: boolean; lost: RequestOptions['onLost'] },
    options: SendOptions | undefined,
  ): Promise<void> {
    const exchange: Exchange = {
      ...{ id, isTidied, isStream: false, isAnswered: false, cut: undefined },
      lost(why) {
        if (!exchange.isAnswered) lost(why, exchange.cut);
        exchange.isAnswered = true;
      },
    };
    const onRequestStreamEnd = () => exchange.lost('ended');
    await this.#exchanges.run(exchange, () => this.#inner.send({ ...message, id }, { ...options, onRequestStreamEnd }));
    // Whatever is no stream has been read.
    if (!exchange.isStream) exchange.lost('unrelated');
  }

  #receive(message: JSONRPCMessage): void {
    const exchange = this.#exchanges.getStore();
    this.onmessage?.(exchange === undefined || 'method' in message ? message : this.#answered(exchange, message));
  }

  #answered(exchange: Exchange, answer: Response): Response {
    // An error of a server that could not read the id (JSON-RPC 2.0, 5).
    const id = answer.id ?? exchange.id;
    if (id === exchange.id) {
      exchange.isAnswered = true;
      this.#pauses.reset();
    } else if (exchange.isStream) exchange.lost('unrelated');
    if (exchange.isTidied) tidy(answer, 'dropped');
    return { ...answer, id };
  }
}
