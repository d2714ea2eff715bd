import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Express, Response } from 'express';
import type { Clock } from '../../clock/clock.ts';

/** Of a body that is rejected: bytes that are read and dropped, so that its client receives the response, and for how long. */
const DROPPED_BYTES = 4 * 1024 * 1024;
const DROPPING_MS = 2_000;

/** Makes an app close connections as {@link closeIfIncomplete} says. */
export function closeIncomplete(app: Express, clock: Clock): void {
  const { writeHead } = app.response;
  // Node calls it for every response, also where the headers are sent with the first byte of the body.
  app.response.writeHead = function (this: Response, ...given: Parameters<typeof writeHead>) {
    closeIfIncomplete(this, clock);
    return writeHead.apply(this, given);
  } as typeof writeHead;
}

function isBodyIncomplete({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
}

/**
 * If the request's body has not arrived whole, closes the connection after the response, which says so: a proxy that has the
 * response may send its next request there, before or instead of the rest of the body. Some of that is read and dropped
 * first, since to close with data unread resets the connection, and the client may lose the response (RFC 9112, 9.6).
 */
export function closeIfIncomplete(response: ServerResponse, clock: Clock): void {
  const { req: request, socket } = response;
  if (!isBodyIncomplete(request)) return;
  response.shouldKeepAlive = false;
  if (socket === null) return;
  let left = DROPPED_BYTES;
  // Begun before the response ends: of a request that is not read, Node then drops all that follows.
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.pause();
  });
  const destroy = socket.destroySoon.bind(socket);
  // Node calls it at the end of a connection's last response.
  socket.destroySoon = () => {
    const timer = clock.after(DROPPING_MS, destroy);
    socket.once('close', () => timer.cancel());
    request.once('end', destroy).resume();
    socket.end();
  };
}

/**
 * Runs a listener when the packet with the headers has been read whole, so that `complete` says whether a body in the same
 * packet is: Node emits `request` at the end of the headers.
 */
export function afterPacket(listener: RequestListener): RequestListener {
  return (request, response) => {
    const respond = () => {
      // Not to a request after the last response of its connection, nor to one whose body is malformed.
      if (request.socket.writable) listener(request, response);
    };
    if (isBodyIncomplete(request)) setImmediate(respond);
    else respond();
  };
}
