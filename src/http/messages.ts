import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import type { Express, Response } from 'express';
import type { Clock } from '../clock/clock.ts';

// A static import would read every export and load Node's fetch and WebSocket with it: some 50 ms and 15 MB.
const http = process.getBuiltinModule('node:http');

/** Of a body that is rejected: bytes that are read and dropped, so that its client receives the response, and for how long. */
const DROPPED_BYTES = 4 * 1024 * 1024;
const DROPPING_MS = 2_000;

declare module 'node:http' {
  interface ServerResponse {
    /** Headers that the response has unless it sets others: names and values in turn. */
    defaultHeaders: readonly string[];
  }
}

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

export type MessageClasses = ReturnType<typeof messageClasses>;

/**
 * The classes of a server's requests and responses. Express sets the prototypes of each to its app's; objects that were
 * made with these have them already. Changing them takes 2 of the 50 µs of a request, and makes slower what Node does with them.
 */
export function messageClasses(clock: Clock) {
  class AppRequest extends http.IncomingMessage {}
  class AppResponse extends http.ServerResponse<IncomingMessage> {
    override defaultHeaders: readonly string[] = [];

    /** Node calls it for every response, also where the headers are sent with the first byte of the body. */
    override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
      for (const [index, name] of this.defaultHeaders.entries()) {
        if (index % 2 === 0 && !this.hasHeader(name)) this.setHeader(name, this.defaultHeaders[index + 1] as string);
      }
      if (isBodyIncomplete(this.req)) closeAfter(this, clock);
      return super.writeHead(status, reason as string, headers);
    }
  }
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

function isBodyIncomplete({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
}

/**
 * Closes the connection after the response, which says so: a proxy that has the response may send its next request there,
 * before or instead of the rest of the body. Some of that is read and dropped first, since to close with data unread
 * resets the connection, and the client may lose the response (RFC 9112, 9.6).
 */
function closeAfter(response: ServerResponse<IncomingMessage>, clock: Clock): void {
  const { req: request, socket } = response;
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

/** Gives the classes the prototypes of the app. */
export function adopt(app: Express, { IncomingMessage, ServerResponse }: MessageClasses): void {
  app.request = Object.setPrototypeOf(IncomingMessage.prototype, app.request);
  app.response = Object.setPrototypeOf(ServerResponse.prototype, app.response);
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
