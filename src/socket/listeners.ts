import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { guarded } from '../observability/guarded.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import type { Connection } from './connection.ts';

/** What ws closes a socket with, by its error (ws, doc/ws.md, "Error codes"). */
const FAULTS: Record<string, number | undefined> = { WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 1009, WS_ERR_INVALID_UTF8: 1007 };

/** Lets the listeners of thousands of sockets be the same few functions. */
export type Linked = WebSocket & { connection?: Connection; logger?: Logger; fault?: number | undefined };
/** What a WebSocket runs on. */
export type Carrier = Duplex & { connection?: Connection };

/** One of each for all sockets; a failure ends the socket that it is of. */
export function listeners(logger: Logger) {
  const socket = <Given extends unknown[]>(handle: (this: Linked, ...given: Given) => void) =>
    guarded(logger, 'a socket', handle, function (this: Linked) {
      this.terminate();
    });
  return {
    message: socket(onMessage),
    ping: socket(onPing),
    pong: socket(onPong),
    close: socket(onClose),
    error: socket(onError),
    data: guarded(logger, 'a socket', onData, function () {
      this.destroy();
    }),
    tick: guarded(
      logger,
      'a socket',
      (connection: Connection, now: number) => connection.tick(now),
      (connection) => connection.terminate(),
    ),
  };
}

function onData(this: Carrier, chunk: Buffer): void {
  if (this.connection?.took(chunk.length) !== false) return;
  // As ws does after an error: read to the end of its time, so that the close frame arrives, but no longer made messages of.
  this.removeAllListeners('data').resume().end();
}

/** A connection that breaks before it is a WebSocket. */
export function onUpgradeError(this: Duplex): void {
  this.destroy();
}

function onMessage(this: Linked, data: unknown, isBinary: boolean): void {
  this.connection?.receive(data as Buffer, isBinary);
}

function onPing(this: Linked): void {
  this.connection?.pinged();
}

function onPong(this: Linked): void {
  this.connection?.ponged();
}

function onClose(this: Linked, code: number): void {
  this.connection?.closed(this.fault ?? code);
}

/** A protocol error (payload too large, invalid UTF-8) makes ws close the socket itself; unheard it would end the process. */
function onError(this: Linked, error: Error): void {
  // Of the close frame that ws sends then, its `close` event knows nothing: it says 1006.
  if ('code' in error) this.fault = FAULTS[String(error.code)];
  this.logger?.debug({ err: describeError(error) }, 'socket error');
}
