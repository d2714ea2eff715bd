import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../clock/clock.ts';
import type { Limits } from '../../config/config.ts';
import { guarded } from '../../observability/guarded.ts';
import type { Logger } from '../../observability/logger.ts';
import { throttledLog } from '../../observability/throttled-log.ts';

const CHECK_MS = 1_000;

export type ConnectionBounds = ReturnType<typeof boundConnections>;

/**
 * Limits the number of connections and the time that a client takes to read a response. Slow requests are limited by
 * Node (`headersTimeout`, `requestTimeout`), WebSockets by the WebSocket API.
 */
export function boundConnections(server: Server, limits: Pick<Limits, 'connections' | 'answerTimeoutMs'>, clock: Clock, logger: Logger) {
  /** Since when data waits to be read by the client, milliseconds; 0 = no data waits. */
  const open = new Map<Duplex, number>();
  /** Those that were upgraded, which the server no longer tracks. */
  const upgraded = new Set<Duplex>();
  // One function for all connections, since there may be thousands.
  function forget(this: Duplex): void {
    open.delete(this);
    upgraded.delete(this);
  }
  server.on('connection', (socket) => {
    open.set(socket, 0);
    socket.on('close', forget);
  });
  server.on('upgrade', (_request, socket) => upgraded.add(socket));
  limitConnections(server, limits.connections, clock, logger);
  // An upgraded connection is checked only once it has ended: a rejection, or a WebSocket's close frame.
  const waits = (socket: Duplex) => socket.writableLength > 0 && (socket.writableEnded || !upgraded.has(socket));
  const check = () => destroySlowReaders(open, waits, limits.answerTimeoutMs, clock.monotonic());
  const checking = clock.every(CHECK_MS, guarded(logger, 'checking connections', check)).unref();
  return {
    /** Destroys the connections that were upgraded and are still open. */
    destroyUpgraded: () => {
      for (const socket of upgraded) socket.destroy();
    },
    stop: () => checking.cancel(),
  };
}

/** Progress does not extend the time limit: reading a byte now and then would hold the memory of a response for hours. */
function destroySlowReaders(open: Map<Duplex, number>, waits: (socket: Duplex) => boolean, limitMs: number, now: number): void {
  for (const [socket, since] of open) {
    if (!waits(socket)) {
      if (since !== 0) open.set(socket, 0);
    } else if (since === 0) open.set(socket, now);
    else if (now - since >= limitMs) socket.destroy();
  }
}

function limitConnections(server: Server, most: number, clock: Clock, logger: Logger): void {
  const log = throttledLog(clock, logger, 'warn');
  server.maxConnections = most;
  server.on('drop', () => log({ connections: most }, 'new connections are rejected: the limit is reached'));
}
