import { randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Caller } from '../http/endpoint.ts';
import type { Logger } from '../logger.ts';
import type { Limits } from '../settings.ts';
import { Connection } from './connection.ts';
import { CLOSE } from './frames.ts';

export interface SocketServerOptions {
  authenticate(token: string): Promise<Caller>;
  isAllowedOrigin(origin: string): boolean;
  revision(): string;
  limits: Limits;
  logger: Logger;
}

const PATH = '/ws';
const PING_MS = 30_000;
const MISSES = 2;
const DRAIN_MS = 2_000;
const RETRY_AFTER_SECONDS = 30;

/** The WebSocket API at /ws, on the service's own HTTP server. */
export class SocketServer {
  readonly #server: WebSocketServer;
  readonly #options: SocketServerOptions;
  readonly #connections = new Map<WebSocket, Connection>();
  readonly #missed = new WeakMap<WebSocket, number>();
  readonly #heartbeat: NodeJS.Timeout;

  constructor(options: SocketServerOptions) {
    this.#options = options;
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: options.limits.socketPayloadBytes,
      // Compression costs memory per socket and has a history of attacks.
      perMessageDeflate: false,
      clientTracking: false,
    });
    this.#heartbeat = setInterval(() => this.#ping(), PING_MS);
    this.#heartbeat.unref();
  }

  /** Open connections, authenticated or not yet. */
  get size(): number {
    return this.#connections.size;
  }

  /** Takes over an HTTP upgrade, or refuses it: another path 404, a foreign origin 403. An absent origin is no browser. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const path = (request.url ?? '').split('?', 1)[0];
    if (path !== PATH) {
      refuse(socket, '404 Not Found');
      return;
    }
    const { origin } = request.headers;
    if (origin !== undefined && !this.#options.isAllowedOrigin(origin)) {
      refuse(socket, '403 Forbidden');
      return;
    }
    if (this.#countOf(undefined) >= this.#options.limits.socketsWaiting) {
      refuse(socket, '503 Service Unavailable');
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#open(webSocket));
  }

  /** Tells every client to come back a little later, each at another moment, and closes. */
  async close(): Promise<void> {
    clearInterval(this.#heartbeat);
    for (const socket of this.#connections.keys()) {
      socket.close(CLOSE.restart, JSON.stringify({ retry_after: randomInt(RETRY_AFTER_SECONDS + 1) }));
    }
    const deadline = Date.now() + DRAIN_MS;
    while (this.#connections.size > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
    for (const socket of this.#connections.keys()) socket.terminate();
    this.#server.close();
  }

  #open(socket: WebSocket): void {
    const { limits, logger, authenticate, revision } = this.#options;
    const connection = new Connection(socket, {
      authenticate,
      admit: (userId) => this.#countOf(userId) < limits.socketsPerUser,
      authenticationMs: limits.socketAuthenticationMs,
      messagesPerMinute: limits.socketMessagesPerMinute,
      revision,
      logger,
    });
    this.#connections.set(socket, connection);
    socket.on('pong', () => this.#missed.set(socket, 0));
    socket.on('close', () => this.#connections.delete(socket));
  }

  /** Connections of a user; of nobody yet (they cost memory and nobody answers for them) for undefined. */
  #countOf(userId: string | undefined): number {
    let count = 0;
    for (const connection of this.#connections.values()) if (connection.userId === userId) count += 1;
    return count;
  }

  #ping(): void {
    for (const socket of this.#connections.keys()) {
      const missed = this.#missed.get(socket) ?? 0;
      if (missed >= MISSES) {
        socket.terminate();
        continue;
      }
      this.#missed.set(socket, missed + 1);
      socket.ping();
    }
  }
}

function refuse(socket: Duplex, status: string): void {
  // Destroyed, not only ended: a client that keeps its half open would hold the socket beyond every time-out.
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
}
