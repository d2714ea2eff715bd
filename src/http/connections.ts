import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from '../logger.ts';
import type { Limits } from '../settings.ts';

const LOOK_MS = 1_000;
const TOLD_MS = 60_000;

/**
 * Bounds what clients can hold: connections, and answers that they don't take. Who sends slowly is cut off by
 * Node itself (`headersTimeout`, `requestTimeout`); sockets of the WebSocket API have rules of their own.
 *
 * @returns stops looking
 */
export function boundConnections(server: Server, limits: Pick<Limits, 'connections' | 'answerTimeoutMs'>, logger: Logger): () => void {
  /** Since when something waits for the client, milliseconds; 0 = nothing does. */
  const open = new Map<Duplex, number>();
  // One function for all: there may be thousands.
  function forget(this: Duplex): void {
    open.delete(this);
  }
  server.on('connection', (socket) => {
    open.set(socket, 0);
    socket.on('close', forget);
  });
  server.on('upgrade', (_request, socket) => open.delete(socket));
  refuseSurplus(server, limits.connections, logger);
  const looking = setInterval(() => cutSlowReaders(open, limits.answerTimeoutMs, performance.now()), LOOK_MS);
  looking.unref();
  return () => clearInterval(looking);
}

/** Cut whatever it has taken meanwhile: a byte now and then would hold an answer's memory for hours. */
function cutSlowReaders(open: Map<Duplex, number>, limitMs: number, now: number): void {
  for (const [socket, since] of open) {
    if (socket.writableLength === 0) {
      if (since !== 0) open.set(socket, 0);
    } else if (since === 0) open.set(socket, now);
    else if (now - since >= limitMs) socket.destroy();
  }
}

function refuseSurplus(server: Server, most: number, logger: Logger): void {
  let toldAt = Number.NEGATIVE_INFINITY;
  server.maxConnections = most;
  server.on('drop', () => {
    const now = performance.now();
    if (now - toldAt < TOLD_MS) return;
    toldAt = now;
    logger.warn({ connections: most }, 'connections are refused: as many as may be are open');
  });
}
