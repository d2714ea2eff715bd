import { type Clock, timeoutSignal } from '../../clock/clock.ts';
import { UserConcurrency } from '../../concurrency/user-concurrency.ts';
import { AppError } from '../../errors.ts';
import type { Telemetry } from '../../observability/telemetry.ts';
import type { Outbound } from '../../outbound/checked-fetch.ts';
import { Circuits } from '../../outbound/circuit.ts';
import type { GrantAccess } from '../shared/provider.ts';
import { unreadableResponse } from '../transport/response-json.ts';
import { readAccess } from './credentials.ts';
import { parameterHeaders } from './parameter-headers.ts';
import type { SourceConnection } from './source-connection.ts';
import { SourceConnections } from './source-connections.ts';
import { asksUser, asSourceError, isRefusal, isServerFailure, isWithoutEffect } from './source-errors.ts';
import { REQUEST_MS, statusOf } from './source-fetch.ts';
import type { ListedTools, SourceSession, ToolResult } from './source-session.ts';
import type { SourceSettings, ToolDefinition } from './source-settings.ts';
import { readTools } from './tool-definitions.ts';
import { readToolResult } from './tool-result.ts';

/** Requests of one connection at the same time; further ones wait. */
const AT_ONCE = 4;
const MOST_TOOLS = 1_000;
const MOST_PAGES = 50;
/**
 * Of a server that has forgotten a session (MCP 2025-11-25, Session Management): the next connection begins another. 400 is in use
 * for it, since the official SDK's examples answer so.
 */
const FORGOTTEN = new Set<number | undefined>([404, 400]);

export interface SourceCallsOptions {
  outbound: Outbound;
  clock: Clock;
  telemetry: Telemetry;
}

/** One kind of request, with the connection that it is sent on. */
type Work<Result> = (connection: SourceConnection, signal: AbortSignal) => Promise<Result>;

/** What the sessions of all grants share. */
export class SourceCalls {
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly circuits: Circuits;
  readonly connections: SourceConnections;
  readonly turns = new UserConcurrency(AT_ONCE);

  constructor({ outbound, clock, telemetry }: SourceCallsOptions) {
    this.clock = clock;
    this.telemetry = telemetry;
    this.circuits = new Circuits(clock);
    this.connections = new SourceConnections(outbound, clock);
  }

  /** @param signal ends all requests of the session */
  session(grant: GrantAccess, signal: AbortSignal): SourceSession {
    return new GrantedSession(this, grant, signal);
  }
}

/** Calls on behalf of one grant. A request is sent again once after the server has refused its credential, or forgotten its session. */
class GrantedSession implements SourceSession {
  readonly #shared: SourceCalls;
  readonly #grant: GrantAccess;
  readonly #signal: AbortSignal;
  #changes = 0;

  constructor(shared: SourceCalls, grant: GrantAccess, signal: AbortSignal) {
    this.#shared = shared;
    this.#grant = grant;
    this.#signal = signal;
  }

  /** Whether a call was sent that may have changed something at the server. */
  get mayHaveChanged(): boolean {
    return this.#changes > 0;
  }

  async callTool(
    source: SourceSettings,
    tool: string,
    args: Readonly<Record<string, unknown>>,
    definition?: Pick<ToolDefinition, 'inputSchema'>,
  ): Promise<ToolResult> {
    const headers = definition && parameterHeaders(definition.inputSchema, args);
    const result = await this.#run(source, 'tools/call', async (connection, signal) => {
      this.#changes += 1;
      try {
        return await connection.request('tools/call', { name: tool, arguments: args }, { signal, headers });
      } catch (error) {
        if (isWithoutEffect(error)) this.#changes -= 1;
        throw error;
      }
    });
    if (result.resultType === 'input_required') throw asksUser(source.label);
    return readToolResult(result);
  }

  async listTools(source: SourceSettings): Promise<ListedTools> {
    const { items, ttlMs } = await this.#run(source, 'tools/list', listAll);
    return { ...readTools(items), ttlMs };
  }

  async #run<Result>(source: SourceSettings, operation: string, work: Work<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      const version = await this.#grant.version();
      const credential = await this.#grant.current();
      const { url, token } = readAccess(credential);
      if (url !== source.url) {
        throw new AppError('reauth_required', `The address of ${source.label} was changed since it was connected. Connect it again.`);
      }
      try {
        return await this.#attempt(source, operation, credential, work);
      } catch (error) {
        const status = statusOf(error);
        if (attempt === 1 && FORGOTTEN.has(status)) continue;
        if (status !== 401) throw asSourceError(error, source.label);
        if (token === undefined || attempt > 1) return await this.#refused(source, version);
        await this.#grant.renewed(credential);
      }
    }
  }

  async #attempt<Result>(source: SourceSettings, operation: string, credential: string, work: Work<Result>): Promise<Result> {
    const { circuits, turns, connections, clock, telemetry } = this.#shared;
    const { userId } = this.#grant;
    const key = `${userId} ${source.url}`;
    // Users of a server without sign-in have equal credentials, and must not share a session.
    const owner = `${userId} ${credential}`;
    const limit = timeoutSignal(clock, REQUEST_MS);
    const signal = AbortSignal.any([this.#signal, limit]);
    const send = () => connections.use(owner, credential, (connection) => work(connection, signal));
    const inTurn = () => turns.run(owner, () => whileOpen(signal, send));
    const step = { kind: 'provider', name: 'mcp', source: source.name, operation } as const;
    const guarded = () => inTurn().catch((error) => Promise.reject(this.#asEnded(error, limit, source.label)));
    const ended = await telemetry.step(
      step,
      () => circuits.run({ key, source: source.name }, guarded, isServerFailure).then((result) => ({ result }), refusalIn),
      (either) => ('refusal' in either ? 'refused' : 'ok'),
    );
    if ('refusal' in ended) throw ended.refusal;
    return ended.result;
  }

  /** @returns the error, or the end that caused it. Those with a status are judged by who called. */
  #asEnded(error: unknown, limit: AbortSignal, label: string): unknown {
    if (this.#signal.aborted) return this.#signal.reason;
    if (limit.aborted) return new AppError('provider_timeout', `${label} did not respond in time.`);
    const status = statusOf(error);
    return status === 401 || FORGOTTEN.has(status) ? error : asSourceError(error, label);
  }

  async #refused(source: SourceSettings, version: number | undefined): Promise<never> {
    if (!(await this.#grant.rejected(version, 'reauth_required'))) {
      throw new AppError('conflict', `${source.label} was connected again in the meantime. Try again.`, { retryAfter: 1 });
    }
    throw new AppError('reauth_required', `${source.label} no longer accepts this connection. Connect it again.`);
  }
}

/** A server that refuses something works, and is not measured as one that fails. @throws any other error */
function refusalIn(error: unknown): { refusal: unknown } {
  if (!isRefusal(error)) throw error;
  return { refusal: error };
}

/** Work that nobody waits for any more is not begun, and a connection that is still being opened is not waited for. */
async function whileOpen<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  signal.throwIfAborted();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = () => reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([work(), ended]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

async function listAll(connection: SourceConnection, signal: AbortSignal): Promise<{ items: unknown[]; ttlMs: number | undefined }> {
  const items: unknown[] = [];
  let cursor: unknown;
  let ttlMs: number | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page = await connection.request('tools/list', cursor === undefined ? {} : { cursor }, { signal });
    if (!Array.isArray(page.tools)) throw unreadableResponse('tools is no list');
    items.push(...page.tools);
    if (items.length > MOST_TOOLS) throw new AppError('too_large', `The server lists more than ${MOST_TOOLS} tools.`);
    if (typeof page.ttlMs === 'number') ttlMs = Math.min(page.ttlMs, ttlMs ?? page.ttlMs);
    cursor = page.nextCursor;
    if (typeof cursor !== 'string') return { items, ttlMs };
  }
  throw new AppError('too_large', `The server’s list of tools has more than ${MOST_PAGES} pages.`);
}
