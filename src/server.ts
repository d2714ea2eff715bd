import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createApp } from './app.ts';
import type { Config } from './config/config.ts';
import { type Addresses, type Context, createContext, type Overrides } from './context.ts';
import { addressOf } from './http/client-address.ts';
import { boundConnections } from './http/connections.ts';
import { answerClientError, answerStarting, refuseMisshapen, refuseStarting } from './http/raw-responses.ts';
import { guarded } from './observability/guarded.ts';
import { createLogger, describeError, type Logger } from './observability/logger.ts';
import { type RequestDeps, workOf } from './socket/requests.ts';
import { SocketServer } from './socket/socket-server.ts';
import { startTelemetry } from './start-telemetry.ts';
import { openFoundation } from './startup/foundation.ts';
import { DeletionWatch } from './users/deletion-watch.ts';
import { Workers } from './workers.ts';

// An import would read every export, and with them load Node's fetch and WebSocket: some 50 ms and 15 MB.
const { createServer: createHttpServer } = process.getBuiltinModule('node:http');

/** Node looks for overdue requests every 30 s unless told; slow ones would be three times as old as they may. */
const CHECK_MS = 1_000;
/** Longer than the 10 s that a provider has to answer a request of ours. */
const CLOSE_MS = 12_000;
const CLOSE_IDLE_MS = 100;

export interface Steward {
  /** {base_url} as browsers see it. */
  readonly url: string;
  /** Where it listens. */
  readonly address: string;
  readonly context: Context;
  /** Takes no new work, finishes what runs, and gives everything back in the reverse order of its taking. */
  stop(): Promise<void>;
}

/**
 * Starts the whole service.
 *
 * @throws whatever made the start impossible, after giving back what was taken already
 */
export async function startServer(config: Config, overrides: Overrides = {}): Promise<Steward> {
  const logger = overrides.logger ?? createLogger(config.logLevel);
  const undo: (() => Promise<void> | void)[] = [];
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= unwind(undo, logger);
    return stopping;
  };
  try {
    return await start(config, overrides, logger, undo, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  config: Config,
  overrides: Overrides,
  logger: Logger,
  undo: (() => Promise<void> | void)[],
  stop: () => Promise<void>,
): Promise<Steward> {
  if (config.environment === 'development') {
    const { lockDataDirectory } = await import('./database/data-lock.ts');
    undo.push(lockDataDirectory(config.dataDir));
  }
  const { limits } = config;
  const defer = (release: () => Promise<void> | void) => void undo.push(release);
  // First to come and last to go: what stopping looks like is worth knowing, too.
  const { telemetry, show } = await startTelemetry(config, logger, defer);
  const { foundation, prepare } = await openFoundation(config, logger, telemetry, defer);
  let draining = false;
  // Bound before the rest: the sandbox and the callback need to know the address, and a start that doesn't get its port
  // leaves the database as it was. Everything is 503 until the app is there, and a balancer that finds the port open
  // may take that for an answer: so what takes long was done before.
  const server = createHttpServer({
    maxHeaderSize: limits.headerBytes,
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: limits.keepAliveMs,
    // Ours is refused in the form of every other error, and for upgrades too.
    requireHostHeader: false,
    // Any other protocol (h2c) may go on with HTTP/1.1 (RFC 9110, 7.8).
    shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
  });
  server.maxHeadersCount = limits.headerCount + 1;
  const bounds = boundConnections(server, limits, logger);
  undo.push(() => bounds.stop());
  server.on('request', answerStarting).on('upgrade', refuseStarting);
  server.on('clientError', guarded(logger, 'a connection', answerClientError, destroySecond));
  const address = await listen(server, config);
  undo.push(() => closeServer(server));
  const addresses = addressesOf(config, address);
  await prepare();
  const context = await createContext(foundation, addresses, overrides, defer);

  const requests: RequestDeps = {
    executor: context.executor,
    catalog: context.catalog,
    accounts: (userId) => context.executor.accounts(userId),
    isConfigured: (provider) => context[provider] !== undefined,
  };
  const sockets = new SocketServer({
    authenticate: (token) => context.sessions.authenticate(token),
    isAllowedOrigin: (origin) => context.allowsOrigin(origin),
    addressOf: (request) => addressOf(app, request),
    revision: () => context.integrations.current.revision,
    work: (userId, frame) => workOf(requests, userId, frame),
    feed: context.feed,
    limits,
    logger,
    telemetry,
  });
  const app = createApp(context, {
    connections: () => sockets.size,
    draining: () => draining,
    userDeleted: (userId) => sockets.userDeleted(userId),
  });
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => sockets.upgrade(request, socket, head);
  server.off('upgrade', refuseStarting).on('upgrade', guarded(logger, 'an upgrade', upgrade, destroySecond));
  const answer = guarded(logger, 'a request', refuseMisshapen(limits, app), (_request, response) => response.destroy());
  // An expectation that nobody knows is let be, as it may (RFC 9110, 10.1.1).
  server.off('request', answerStarting).on('request', answer).on('checkExpectation', answer);
  show(context, { sockets: () => sockets.states, draining: () => draining });
  const workers = new Workers(context, overrides.queuePollSeconds);
  workers.start();
  context.reloads.start();
  const deletions = new DeletionWatch(
    context.db,
    { forget: (userId) => context.sessions.forget(userId), end: (userId) => sockets.userDeleted(userId) },
    logger,
  );
  deletions.start();
  let closed = Promise.resolve();
  undo.push(
    () => workers.stop(),
    // What the provider has rotated exists nowhere else: it must reach the database before that is closed.
    () => context.tokens.settle(),
    () => context.orphanedTokens.settle(),
    // A change that was begun runs to its end and is written down, though nobody waits for it any more.
    () => context.executor.settle(),
    // Requests under way still need the database, and the queue for what they revoke: both outlive the last answer.
    () => closed,
    // What was upgraded and is no socket of ours by now would never end, and the server waits for it.
    () => bounds.destroyUpgraded(),
    () => context.feed.stop(),
    () => context.reloads.stop(),
    () => deletions.stop(),
    () => sockets.close(),
    () => {
      closed = closeServer(server);
    },
    // Until the balancer has noticed, it sends requests, and they are served like any other.
    () => sleep(limits.stopWaitMs),
    () => {
      draining = true;
      endConnectionsAfterAnswers(server);
    },
  );
  return { url: addresses.publicUrl, address: addresses.selfUrl, context, stop };
}

function listen(server: Server, config: Config): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, () => {
      server.off('error', reject);
      resolve(server.address() as AddressInfo);
    });
  });
}

function addressesOf(config: Config, { address, family, port }: AddressInfo): Addresses {
  // Everywhere means nowhere in particular: browsers on this machine reach it as loopback.
  const everywhere = address === '0.0.0.0' || address === '::';
  const host = family === 'IPv6' ? `[${address}]` : address;
  const selfUrl = `http://${everywhere ? '127.0.0.1' : host}:${port}`;
  return { publicUrl: config.publicUrl ?? selfUrl, selfUrl };
}

/** Whoever keeps connections learns by the answer that this one is the last, before it is closed under the next request. */
function endConnectionsAfterAnswers(server: Server): void {
  server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
}

/** What is left of a connection on which something failed. */
function destroySecond(_first: unknown, socket: Duplex): void {
  socket.destroy();
}

/** Connections that are idle end at once; a request under way has a while to finish. */
async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    if (!server.listening) resolve();
    server.close(() => resolve());
  });
  // Again and again: a connection whose last answer went out since would be kept alive for a minute.
  const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_MS);
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(timer);
}

async function unwind(undo: (() => Promise<void> | void)[], logger: Logger): Promise<void> {
  for (let release = undo.pop(); release !== undefined; release = undo.pop()) {
    try {
      await release();
    } catch (error) {
      logger.error({ err: describeError(error) }, 'a part did not stop cleanly');
    }
  }
}
