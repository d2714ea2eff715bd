import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Express, Response } from 'express';
import type { Clock } from '../clock/clock.ts';

/** Of a body that is rejected: bytes that are read and dropped, so that its client receives the response, and for how long. */
const DROPPED_BYTES = 4 * 1024 * 1024;
const DROPPING_MS = 2_000;

declare module 'node:http' {
  interface ServerResponse {
    /** Headers that the response has unless it sets others: names and values in turn. */
    defaultHeaders: readonly string[];
  }
}

/** Gives an app's responses their default headers, and closes connections as {@link closeIfIncomplete} says. */
export function extendResponses(app: Express, clock: Clock): void {
  const { writeHead } = app.response;
  app.response.defaultHeaders = [];
  // Node calls it for every response, also where the headers are sent with the first byte of the body.
  app.response.writeHead = function (this: Response, ...given: Parameters<typeof writeHead>) {
    for (const [index, name] of this.defaultHeaders.entries()) {
      if (index % 2 === 0 && !this.hasHeader(name)) this.setHeader(name, this.defaultHeaders[index + 1] as string);
    }
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
  // Begun before the response ends: of a request that nobody reads, Node then drops all that follows.
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

/**
 * Sends the usual response, whose headers are all known here: to set them one after the other takes twice as long.
 *
 * @param json the body's text
 */
export function sendJson(response: Response, json: string): void {
  // The response to HEAD states the length of the body that it omits.
  const own = [
    'cache-control',
    'no-store',
    'content-type',
    'application/json; charset=utf-8',
    'content-length',
    String(Buffer.byteLength(json)),
  ];
  // Node would take the longest way for headers of both kinds.
  if (response.getHeaderNames().length === 0) {
    const all = response.defaultHeaders.concat(own);
    response.defaultHeaders = [];
    response.writeHead(response.statusCode, all);
  } else {
    for (let index = 0; index < own.length; index += 2) response.setHeader(own[index] as string, own[index + 1] as string);
  }
  response.end(json);
}
