import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import type { Express, Response } from 'express';

// A static import would read every export and load Node's fetch and WebSocket with it: some 50 ms and 15 MB.
const http = process.getBuiltinModule('node:http');

/** Bytes of a body that are read even if the response does not depend on them. */
const READ_TO_THE_END = 65_536;

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
export function messageClasses() {
  class AppRequest extends http.IncomingMessage {}
  class AppResponse extends http.ServerResponse<IncomingMessage> {
    override defaultHeaders: readonly string[] = [];

    /** Node calls it for every response, also where the headers are sent with the first byte of the body. */
    override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
      for (const [index, name] of this.defaultHeaders.entries()) {
        if (index % 2 === 0 && !this.hasHeader(name)) this.setHeader(name, this.defaultHeaders[index + 1] as string);
      }
      if (leavesMuch(this.req)) this.shouldKeepAlive = false;
      return super.writeHead(status, reason as string, headers);
    }
  }
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/**
 * Whether so much of a body may follow that the connection closes after the response, instead of Node reading the rest. The
 * response says so, or the client would send its next request there (RFC 9112, 9.6).
 */
function leavesMuch({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > READ_TO_THE_END);
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
