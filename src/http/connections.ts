import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Limits } from '../config/config.ts';
import { guarded } from '../observability/guarded.ts';
import type { Logger } from '../observability/logger.ts';
import { throttledLog } from '../observability/throttled-log.ts';

const LOOK_MS = 1_000;

export interface ConnectionBounds {
  /** Ends every connection that has left HTTP and is still there. */
  destroyUpgraded(): void;
  stop(): void;
}

/**
 * Bounds what clients can hold: connections, and answers that they don't take. Who sends slowly is cut off by
 * Node itself (`headersTimeout`, `requestTimeout`); sockets of the WebSocket API have rules of their own.
 */
export function boundConnections(
  server: Server,
  limits: Pick<Limits, 'connections' | 'answerTimeoutMs'>,
  logger: Logger,
): ConnectionBounds {
  /** Since when something waits for the client, milliseconds; 0 = nothing does. */
  const open = new Map<Duplex, number>();
  /** Of these, which the server itself knows nothing of any more. */
  const upgraded = new Set<Duplex>();
  // One function for all: there may be thousands.
  function forget(this: Duplex): void {
    open.delete(this);
    upgraded.delete(this);
  }
  server.on('connection', (socket) => {
    open.set(socket, 0);
    socket.on('close', forget);
  });
  server.on('upgrade', (_request, socket) => upgraded.add(socket));
  refuseSurplus(server, limits.connections, logger);
  // Of an upgraded one, only its end is waited for here: a refusal, or a WebSocket's last words.
  const waits = (socket: Duplex) => socket.writableLength > 0 && (socket.writableEnded || !upgraded.has(socket));
  const look = () => cutSlowReaders(open, waits, limits.answerTimeoutMs, performance.now());
  const looking = setInterval(guarded(logger, 'looking after connections', look), LOOK_MS);
  looking.unref();
  return {
    destroyUpgraded: () => {
      for (const socket of upgraded) socket.destroy();
    },
    stop: () => clearInterval(looking),
  };
}

/** Cut whatever it has taken meanwhile: a byte now and then would hold an answer's memory for hours. */
function cutSlowReaders(open: Map<Duplex, number>, waits: (socket: Duplex) => boolean, limitMs: number, now: number): void {
  for (const [socket, since] of open) {
    if (!waits(socket)) {
      if (since !== 0) open.set(socket, 0);
    } else if (since === 0) open.set(socket, now);
    else if (now - since >= limitMs) socket.destroy();
  }
}

function refuseSurplus(server: Server, most: number, logger: Logger): void {
  const tell = throttledLog(logger, 'warn');
  server.maxConnections = most;
  server.on('drop', () => tell({ connections: most }, 'connections are refused: as many as may be are open'));
}
