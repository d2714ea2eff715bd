import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { guarded } from '../observability/guarded.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import type { Connection } from './connection.ts';

/** The close code that ws sends, by its error code (ws, doc/ws.md, "Error codes"). */
const CLOSE_CODES: Record<string, number | undefined> = { WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 1009, WS_ERR_INVALID_UTF8: 1007 };

/** Properties in place of closures: thousands of sockets share the same few listeners. */
export type Linked = WebSocket & { connection?: Connection; logger?: Logger; closeCode?: number | undefined };
/** What a WebSocket runs on. */
export type Carrier = Duplex & { connection?: Connection };

/** The listeners that all sockets share; an error in one terminates its socket. */
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
  if (this.connection?.onData(chunk.length) !== false) return;
  // As ws does after an error: keeps reading without parsing, so that the close frame is delivered.
  this.removeAllListeners('data').resume().end();
}

/** An error before the upgrade is complete. */
export function onUpgradeError(this: Duplex): void {
  this.destroy();
}

function onMessage(this: Linked, data: unknown, isBinary: boolean): void {
  this.connection?.onMessage(data as Buffer, isBinary);
}

function onPing(this: Linked): void {
  this.connection?.onPing();
}

function onPong(this: Linked): void {
  this.connection?.onPong();
}

function onClose(this: Linked, code: number): void {
  this.connection?.onClose(this.closeCode ?? code);
}

/** A protocol error (payload too large, invalid UTF-8) makes ws close the socket itself; without a listener, the error would end the process. */
function onError(this: Linked, error: Error): void {
  // The `close` event then has code 1006 in place of the code that ws sends.
  if ('code' in error) this.closeCode = CLOSE_CODES[String(error.code)];
  this.logger?.debug({ err: describeError(error) }, 'socket error');
}
