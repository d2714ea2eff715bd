import { createApp } from './app.ts';
import { systemClock } from './clock/clock.ts';
import type { Config } from './config/config.ts';
import { createContext, type Overrides, type Services } from './context.ts';
import { addressOf } from './http/server/client-address.ts';
import { HttpServer } from './http/server/http-server.ts';
import { createLogger, describeError, type Logger } from './observability/logger.ts';
import { PROVIDERS } from './providers/providers.ts';
import { sessionWatch } from './sign-in/session-watch.ts';
import { handlerOf, type RequestDeps } from './socket/requests/request-handlers.ts';
import { SocketServer } from './socket/socket-server.ts';
import { startTelemetry } from './start-telemetry.ts';
import { openCore } from './startup/core.ts';
import { sessionCookie } from './startup/session-cookie.ts';
import { deletionWatch } from './users/deletion-watch.ts';
import { Workers } from './workers.ts';

export interface Steward {
  /** {base_url} as browsers see it. */
  readonly url: string;
  /** The address it listens at. */
  readonly address: string;
  readonly context: Services;
  /** Accepts no new work, finishes work in progress, and releases all resources. Later calls wait for the first. */
  stop(): Promise<void>;
}

/** What shutdown() stops, beside the resources. */
type Running = Awaited<ReturnType<typeof start>>;

/**
 * Starts the whole service.
 *
 * @throws the error that prevented the start, after releasing all resources
 */
export async function startServer(config: Config, overrides: Overrides = {}): Promise<Steward> {
  const logger = overrides.logger ?? createLogger(config.logLevel);
  const resources = new AsyncDisposableStack();
  try {
    const running = await start(config, overrides, logger, resources);
    const { publicUrl: url, selfUrl: address } = running.http.addresses;
    let stopping: Promise<void> | undefined;
    const stop = () => {
      stopping ??= shutdown(running, resources, logger);
      return stopping;
    };
    return { url, address, context: running.context, stop };
  } catch (error) {
    await attempt(() => resources.disposeAsync(), logger);
    throw error;
  }
}

async function start(config: Config, overrides: Overrides, logger: Logger, resources: AsyncDisposableStack) {
  if (config.environment === 'development') {
    const { lockDataDirectory } = await import('./database/data-lock.ts');
    resources.defer(lockDataDirectory(config.dataDir));
  }
  const { clock = systemClock, providers: descriptors = PROVIDERS } = overrides;
  // Telemetry is released after everything else, so that it covers the shutdown.
  const { telemetry, show } = await startTelemetry(config, clock, logger, resources);
  const { core, prepare } = await openCore({ config, descriptors, clock, logger, telemetry }, overrides.databaseTimeouts, resources);
  // The sandbox and the OAuth callback need the address, and a start that cannot bind its port must not migrate the
  // database. A load balancer may take an open port for readiness, so the slow steps come before it.
  const http = await HttpServer.listen({ config, clock, logger });
  resources.defer(() => http.close());
  await prepare();
  const context = await createContext(core, http.addresses, overrides, resources);

  let draining = false;
  const requests: RequestDeps = { ...context, accounts: (userId) => context.executor.accounts(userId) };
  const sockets = new SocketServer({
    authenticate: (given) => ('token' in given ? context.authenticateAny(given.token) : context.webSessions.ofSocket(given)),
    sessionOf: sessionCookie(http.addresses.publicUrl),
    isAllowedOrigin: (origin) => context.allowsOrigin(origin),
    addressOf: (request) => addressOf(app, request),
    revision: () => context.integrations.current.revision,
    chat: context.assistant,
    handlerOf: (principal, frame) => handlerOf(requests, principal, frame),
    feed: context.feed,
    admission: context.admission,
    limits: config.limits,
    clock,
    logger,
    telemetry,
  });
  const userDeleted = (userId: string) => {
    context.assistant.userDeleted(userId);
    sockets.userDeleted(userId);
  };
  const sessions = sessionWatch(context.db, sockets, context.polls);
  const sessionsEnded = () => sessions.tick();
  const app = createApp(context, { connections: () => sockets.size, draining: () => draining, userDeleted, sessionsEnded });
  http.serve(app, (request, socket, head) => sockets.upgrade(request, socket, head));
  show(context, { sockets: () => sockets.states, draining: () => draining });

  const workers = new Workers(context, overrides.queuePollSeconds);
  workers.start();
  context.reloads.start();
  context.uses.start();
  context.sources?.readings.start();
  context.automations.poll.start();
  context.notifications.sending.start();
  deletionWatch(context.db, { forget: (userId) => context.sessions.forget(userId), end: userDeleted }, context.polls).start();
  sessions.start();
  /** Makes the service unready. */
  const drain = () => {
    draining = true;
    http.endConnectionsAfterResponses();
  };
  return { http, sockets, context, workers, drain };
}

/** Stops the service. The steps run in this order; one that fails is logged and does not prevent the others. */
async function shutdown(running: Running, resources: AsyncDisposableStack, logger: Logger): Promise<void> {
  const { http, sockets, context, workers, drain } = running;
  let closed = Promise.resolve();
  let answered = Promise.resolve();
  const steps = [
    drain,
    // Load balancers send requests until they notice; these are served.
    () => context.clock.sleep(context.config.limits.stopWaitMs),
    // Not awaited here: requests in progress may need what is stopped below only after their response.
    () => {
      closed = http.close();
    },
    // Not awaited here: sockets and responses read the answers that are under way.
    () => {
      answered = context.assistant.close(context.config.limits.socketDrainMs);
    },
    () => sockets.close(),
    () => answered,
    () => context.mcp.close(),
    () => http.destroyUpgraded(),
    () => closed,
    // Changes in progress run to completion and are recorded, even without a caller.
    () => context.executor.settle(),
    () => context.automations.stop(),
    () => context.orphanedTokens.settle(),
    // A rotated refresh token exists in this process only until it is stored.
    () => context.tokens.settle(),
    () => context.sources?.settle(),
    () => workers.stop(),
    () => resources.disposeAsync(),
  ];
  for (const step of steps) await attempt(step, logger);
}

async function attempt(step: () => unknown, logger: Logger): Promise<void> {
  try {
    await step();
  } catch (error) {
    logger.error({ err: describeError(error) }, 'a part did not stop cleanly');
  }
}
