import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Express } from 'express';
import type { Clock } from '../../clock/clock.ts';
import type { Config, Limits } from '../../config/config.ts';
import { http } from '../../node-http.ts';
import { guarded } from '../../observability/guarded.ts';
import type { Logger } from '../../observability/logger.ts';
import { boundConnections, type ConnectionBounds } from './connections.ts';
import { afterPacket, closeIncomplete } from './messages.ts';
import { rejectMalformed, rejectUpgradeWhileStarting, respondStarting, respondToClientError } from './raw-responses.ts';

/** Interval between Node's checks for overdue requests. The default of 30 s would let them exceed their time limit threefold. */
const CHECK_MS = 1_000;
/** Time for requests in progress to finish. Longer than the 10 s that a provider has to respond. */
const CLOSE_MS = 12_000;
const CLOSE_IDLE_MS = 100;

/** Addresses of this process. */
export interface Addresses {
  /** {base_url} as browsers see it, without a trailing slash. */
  publicUrl: string;
  /** Address at which the process reaches itself. */
  selfUrl: string;
}

export interface HttpServerDeps {
  config: Config;
  clock: Clock;
  logger: Logger;
}

export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * The HTTP listener. It binds its port before the service is ready and responds with 503 until {@link serve}, so that
 * the address is known early and a start that fails to bind changes nothing.
 */
export class HttpServer {
  readonly addresses: Addresses;
  readonly #server: Server;
  readonly #starting: RequestListener;
  readonly #bounds: ConnectionBounds;
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #logger: Logger;

  private constructor(server: Server, starting: RequestListener, bounds: ConnectionBounds, { config, clock, logger }: HttpServerDeps) {
    this.#server = server;
    this.#starting = starting;
    this.#bounds = bounds;
    this.#limits = config.limits;
    this.#clock = clock;
    this.#logger = logger;
    this.addresses = addressesOf(config, server.address() as AddressInfo);
  }

  /** Binds HOST and PORT. @throws Error with the code of listen(2), for example `EADDRINUSE` */
  static async listen({ config, clock, logger }: HttpServerDeps): Promise<HttpServer> {
    const server = createHttpServer(config.limits);
    const bounds = boundConnections(server, config.limits, clock, logger);
    const starting = respondStarting(clock);
    server.on('request', starting).on('upgrade', rejectUpgradeWhileStarting);
    server.on('clientError', guarded(logger, 'a connection', respondToClientError, destroySecond));
    try {
      await once(server.listen(config.port, config.host), 'listening');
    } catch (error) {
      bounds.stop();
      throw error;
    }
    return new HttpServer(server, starting, bounds, { config, clock, logger });
  }

  /** Passes requests and WebSocket upgrades on from now. */
  serve(app: Express, upgrade: UpgradeListener): void {
    closeIncomplete(app, this.#clock);
    const answer = guarded(this.#logger, 'a request', rejectMalformed(this.#limits, this.#clock, app), (_request, response) =>
      response.destroy(),
    );
    const respond = afterPacket(answer);
    this.#server.off('upgrade', rejectUpgradeWhileStarting).on('upgrade', guarded(this.#logger, 'an upgrade', upgrade, destroySecond));
    // An unknown expectation may be ignored (RFC 9110, section 10.1.1).
    this.#server.off('request', this.#starting).on('request', respond).on('checkExpectation', respond);
  }

  /** Announces with each response that its connection closes, before {@link close} closes idle ones. */
  endConnectionsAfterResponses(): void {
    this.#server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false;
    });
  }

  /** Accepts no new connections, closes idle ones, and gives requests in progress {@link CLOSE_MS} to finish. */
  async close(): Promise<void> {
    const server = this.#server;
    const closed = new Promise<void>((resolve) => {
      if (!server.listening) resolve();
      server.close(() => resolve());
    });
    // Repeated: a connection becomes idle when its last response ends, and would be kept alive for a minute.
    const idle = this.#clock.every(CLOSE_IDLE_MS, () => server.closeIdleConnections());
    const timer = this.#clock.after(CLOSE_MS, () => server.closeAllConnections());
    await closed;
    idle.cancel();
    timer.cancel();
    this.#bounds.stop();
  }

  /** Destroys upgraded connections that are not WebSockets any more. The server would wait for them without end. */
  destroyUpgraded(): void {
    this.#bounds.destroyUpgraded();
  }
}

function createHttpServer(limits: Limits): Server {
  const server = http.createServer({
    maxHeaderSize: limits.headerBytes,
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: limits.keepAliveMs,
    // Checked by rejectMalformed, which responds in the service's error format and covers upgrades.
    requireHostHeader: false,
    // Requests to upgrade to another protocol (h2c) continue with HTTP/1.1 (RFC 9110, section 7.8).
    shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
  });
  // One more than allowed, so that rejectMalformed sees the surplus; Node drops further headers silently.
  server.maxHeadersCount = limits.headerCount + 1;
  return server;
}

function addressesOf(config: Config, { address, family, port }: AddressInfo): Addresses {
  // A wildcard address is not reachable itself; browsers on this machine use loopback.
  const isWildcard = address === '0.0.0.0' || address === '::';
  const host = family === 'IPv6' ? `[${address}]` : address;
  const selfUrl = `http://${isWildcard ? '127.0.0.1' : host}:${port}`;
  return { publicUrl: config.publicUrl ?? selfUrl, selfUrl };
}

/** Closes the connection on which a handler failed. */
function destroySecond(_first: unknown, socket: Duplex): void {
  socket.destroy();
}
