import { randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ServerOptions, WebSocketServer } from 'ws';
import type { Clock, Timer } from '../clock/clock.ts';
import type { Limits } from '../config/config.ts';
import { asAppError } from '../errors.ts';
import { malformedRequestError, type RawError, rejectSocket } from '../http/server/raw-responses.ts';
import type { Logger } from '../observability/logger.ts';
import { type Telemetry, UNMEASURED } from '../observability/telemetry.ts';
import { FixedWindowLimiter } from '../rate-limit/fixed-window.ts';
import { withTimeLimit } from '../rate-limit/time-limit.ts';
import { Connection } from './connection.ts';
import type { ConnectionHost, SocketService } from './connection-host.ts';
import { CLOSE } from './frames/frames.ts';
import { type Carrier, type Linked, listeners, onUpgradeError } from './socket-listeners.ts';
import { UnauthenticatedConnections } from './unauthenticated-connections.ts';

export interface SocketServerOptions extends SocketService {
  isAllowedOrigin(origin: string): boolean;
  /** The secret of the session's cookie, of an upgrade that a page of the service itself has requested. */
  sessionOf(request: IncomingMessage): string | undefined;
  /** The client's address, for rate limits. */
  addressOf(request: IncomingMessage): string;
  limits: Limits;
  logger: Logger;
  clock: Clock;
  telemetry?: Telemetry;
}

const PATH = '/ws';
/** Close codes with a metric label of their own: ours, and those of RFC 6455, 7.4.1. */
const COUNTED: ReadonlySet<number> = new Set([...Object.values(CLOSE), 1000, 1001, 1005, 1006, 1007, 1009]);
/** One timer for all sockets. */
const TICK_MS = 500;
/** How long to wait for the client's close frame. */
const CLOSING_MS = 1_000;
/** For the responses of requests that the shutdown aborted. */
const LAST_RESPONSES_MS = 1_000;
const RETRY_AFTER_SECONDS = 30;
const RESTART_SECONDS = 5;
/** Of one message: fragments of one byte would cost a hundred times its size. */
const MAX_FRAGMENTS = 1_024;
/** Buffered chunks: the largest message in the smallest usual packets. Fewer before the authentication (received-bytes.ts). */
const MAX_CHUNKS = 16_384;

/** The WebSocket API at /ws, on the service's own HTTP server. */
export class SocketServer implements ConnectionHost<Connection> {
  readonly limits: Limits;
  readonly logger: Logger;
  readonly service: SocketService;
  readonly #server: WebSocketServer;
  readonly #options: SocketServerOptions;
  readonly #telemetry: Telemetry;
  readonly #connections = new Set<Connection>();
  /** Number of sockets by whose limits they count towards. */
  readonly #socketsByBudget = new Map<string, number>();
  readonly #waiting: UnauthenticatedConnections<Connection>;
  readonly #connects: FixedWindowLimiter;
  readonly #messages: FixedWindowLimiter;
  readonly #bytes: FixedWindowLimiter;
  readonly #listeners: ReturnType<typeof listeners>;
  readonly #ticking: Timer;
  #draining = false;
  /** Called when no connection is left. */
  #emptied = (): void => {};

  constructor(options: SocketServerOptions) {
    this.#options = options;
    this.limits = options.limits;
    this.logger = options.logger;
    this.service = options;
    this.#telemetry = options.telemetry ?? UNMEASURED;
    this.#waiting = new UnauthenticatedConnections(options.limits.socketsWaiting);
    this.#connects = new FixedWindowLimiter(options.clock, 'Too many new sockets. Slow down.');
    this.#messages = new FixedWindowLimiter(options.clock);
    this.#bytes = new FixedWindowLimiter(options.clock);
    // Its types don't list the last three.
    const serverOptions: ServerOptions & { maxFragments: number; maxBufferedChunks: number; closeTimeout: number } = {
      noServer: true,
      // Messages beyond socketPayloadBytes are read, so that they can be answered with an error. Not far beyond: one is put
      // together, unmasked and checked in one turn.
      maxPayload: Math.max(2 * options.limits.socketPayloadBytes, options.limits.socketOpeningBytes),
      // Compression costs memory per socket and has a history of attacks.
      perMessageDeflate: false,
      clientTracking: false,
      maxFragments: MAX_FRAGMENTS,
      maxBufferedChunks: MAX_CHUNKS,
      closeTimeout: CLOSING_MS,
    };
    this.#server = new WebSocketServer(serverOptions);
    this.#listeners = listeners(this.logger);
    this.#ticking = options.clock.every(TICK_MS, () => this.tick()).unref();
  }

  now(): number {
    return this.#options.clock.monotonic();
  }

  timeOfDay(): number {
    return this.#options.clock.now();
  }

  /** Open connections, authenticated or not yet. */
  get size(): number {
    return this.#connections.size;
  }

  get states(): { authenticated: number; waiting: number } {
    const waiting = this.#waiting.size;
    return { authenticated: this.size - waiting, waiting };
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Handles an HTTP upgrade, or rejects it: 404 for another path, 403 for a foreign origin, 429 for too many. Clients without an origin are not browsers. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', onUpgradeError);
    const path = (request.url ?? '').split('?', 1)[0];
    const { origin } = request.headers;
    const foreign = origin !== undefined && !this.#options.isAllowedOrigin(origin);
    const rejection = malformedRequestError(request, this.limits);
    if (rejection !== undefined) this.#reject(socket, rejection);
    else if (path !== PATH) this.#reject(socket, { code: 'not_found', message: 'There is no such address.' });
    else if (foreign) this.#reject(socket, { code: 'forbidden', message: 'Pages of this origin may not open sockets here.' });
    else if (this.#draining) this.#reject(socket, { code: 'unavailable', message: 'Shutting down.', retryAfter: RESTART_SECONDS });
    else this.#handshake(request, socket, head);
  }

  admit(budget: string, connection: Connection): boolean {
    const taken = this.#socketsByBudget.get(budget) ?? 0;
    if (taken >= this.limits.socketsPerUser) return false;
    this.#socketsByBudget.set(budget, taken + 1);
    this.#waiting.leave(connection);
    return true;
  }

  allowsMessages(budget: string, count: number): boolean {
    const perMinute = this.limits.socketMessagesPerMinute * this.limits.socketsPerUser;
    return this.#messages.allows(budget, perMinute, count);
  }

  allowsBytes(budget: string, count: number): boolean {
    return this.#bytes.allows(budget, this.limits.socketBytesPerMinute, count);
  }

  requestFinished(connection: Connection): void {
    if (this.#draining && !connection.busy) dismiss(connection);
  }

  connectionClosed(connection: Connection, code: number): void {
    this.#telemetry.count('socketEnd', closeLabel(code));
    this.#connections.delete(connection);
    if (this.#connections.size === 0) this.#emptied();
    this.#waiting.leave(connection);
    const { budget } = connection;
    if (budget === undefined) return;
    const left = (this.#socketsByBudget.get(budget) ?? 0) - 1;
    if (left > 0) this.#socketsByBudget.set(budget, left);
    else this.#socketsByBudget.delete(budget);
  }

  /** Closes the sockets of a deleted user, called on every replica. */
  userDeleted(userId: string): void {
    for (const connection of this.#connections) if (connection.userId === userId) connection.userDeleted();
  }

  /** The sessions that connections are authenticated by. */
  get sessions(): Set<string> {
    return new Set([...this.#connections].flatMap(({ session }) => session ?? []));
  }

  /** Closes the sockets of a session. */
  sessionEnded(session: string): void {
    for (const connection of this.#connections) if (connection.session === session) connection.sessionEnded();
  }

  /** Makes the timed checks of every connection. */
  tick(): void {
    const now = this.now();
    for (const connection of this.#connections) this.#listeners.tick(connection, now);
  }

  /**
   * Closes every socket with a random delay for its reconnection. Running requests have `socketDrainMs` to finish, and
   * their responses are sent first.
   */
  async close(): Promise<void> {
    this.#draining = true;
    for (const connection of this.#connections) this.requestFinished(connection);
    await this.#waitUntilEmpty(this.limits.socketDrainMs);
    for (const connection of this.#connections) connection.abortRequests();
    await this.#waitUntilEmpty(LAST_RESPONSES_MS);
    for (const connection of this.#connections) dismiss(connection);
    await this.#waitUntilEmpty(CLOSING_MS + TICK_MS);
    this.#ticking.cancel();
    for (const connection of this.#connections) connection.terminate();
    this.#server.close();
  }

  async #waitUntilEmpty(limitMs: number): Promise<void> {
    if (this.#connections.size === 0) return;
    const { promise: emptied, resolve } = Promise.withResolvers<void>();
    this.#emptied = resolve;
    await withTimeLimit(this.#options.clock, emptied, limitMs, () => {});
  }

  #reject(socket: Duplex, rejection: RawError): void {
    this.#telemetry.count('socketRefusal', rejection.code);
    rejectSocket(socket, rejection);
  }

  #handshake(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const address = this.#options.addressOf(request);
    try {
      this.#connects.take(address, this.limits.socketConnectsPerMinute);
      // Each new socket costs a sign-in: clients that all come back at once must not keep a saturated process there.
      this.#options.admission.begin(address)();
    } catch (error) {
      this.#reject(socket, asAppError(error) as RawError);
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) =>
      this.#open(webSocket, socket, address, this.#options.sessionOf(request)),
    );
  }

  #open(socket: Linked, carrier: Carrier, address: string, session: string | undefined): void {
    const connection = new Connection(socket, this, session);
    socket.connection = connection;
    carrier.connection = connection;
    socket.logger = this.logger;
    this.#connections.add(connection);
    this.#waiting.enter(connection, address)?.close(CLOSE.tryAgain, 'too many wait to sign in');
    const { message, ping, pong, close, error, data } = this.#listeners;
    socket.on('message', message).on('ping', ping).on('pong', pong).on('close', close).on('error', error);
    // After the listener of ws, which parses the messages.
    carrier.on('data', data);
  }
}

/** Bounds the labels: clients may send any code from 3000 on. */
function closeLabel(code: number): string {
  return COUNTED.has(code) ? String(code) : 'other';
}

function dismiss(connection: Connection): void {
  connection.close(CLOSE.restart, JSON.stringify({ retry_after: randomInt(1, RETRY_AFTER_SECONDS + 1) }));
}
