import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../clock/clock.ts';
import type { Limits } from '../../config/config.ts';
import { ERROR_STATUS, type ErrorCode } from '../../errors.ts';
import { http } from '../../node-http.ts';
import { afterPacket, closeIfIncomplete } from './messages.ts';

/** An error response that is sent outside the Express app. */
export interface RawError {
  /** Overrides the status of the code. */
  status?: number;
  code: ErrorCode;
  message: string;
  /** Seconds until the client may try again. */
  retryAfter?: number;
}

const HEADERS_TOO_LARGE: RawError = { status: 431, code: 'too_large', message: 'The request’s headers are too large.' };
const REASONS: Record<string, RawError> = {
  HPE_HEADER_OVERFLOW: HEADERS_TOO_LARGE,
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'invalid_request', message: 'The request did not arrive in time.' },
};
const MALFORMED: RawError = { code: 'invalid_request', message: 'The request is not valid HTTP.' };
const BAD_HOST: RawError = { code: 'invalid_request', message: 'A request must have exactly one Host header.' };
const OTHER_VERSION: RawError = { status: 505, code: 'invalid_request', message: 'Only HTTP/1.1 and HTTP/1.0 are supported.' };
const STARTING: RawError = { code: 'unavailable', message: 'The service is starting.', retryAfter: 1 };

/** Responds to invalid syntax, oversized headers and slow requests, which Node rejects before the app, in the service's error format. */
export function respondToClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  rejectSocket(socket, REASONS[error.code ?? ''] ?? MALFORMED);
}

/** Sends an error on a connection that has no response object, and closes it. */
export function rejectSocket(socket: Duplex, error: RawError): void {
  const { status, headers, body } = responseOf(error);
  const head = [`HTTP/1.1 ${status} ${http.STATUS_CODES[status]}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  // Destroyed, not only ended: a client that keeps its half open would hold the socket beyond every timeout.
  socket.end(`${head.join('\r\n')}\r\nconnection: close\r\n\r\n${body}`, () => socket.destroy());
}

/** Responds to requests before the app is ready. */
export function respondStarting(clock: Clock): RequestListener {
  return afterPacket((_request, response) => send(response, STARTING, clock));
}

/** Rejects upgrades before the WebSocket API is ready. Without a listener their sockets would stay open without end. */
export function rejectUpgradeWhileStarting(_request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  rejectSocket(socket, STARTING);
}

/** Passes only well-formed requests on to the app. */
export function rejectMalformed(limits: Limits, clock: Clock, app: RequestListener): RequestListener {
  return (request, response) => {
    const error = malformedRequestError(request, limits);
    if (error === undefined) app(request, response);
    else send(response, error, clock);
  };
}

/** Checks version, Host, headers and target of a request. @returns the error, or undefined for a valid request */
export function malformedRequestError({ url = '', rawHeaders, httpVersion }: IncomingMessage, limits: Limits): RawError | undefined {
  // HTTP/0.9 has no headers, so a browser can be made to send such a request to any port.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return OTHER_VERSION;
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  // With two, a proxy and the service may use different ones (RFC 9112, 3.2).
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return BAD_HOST;
  // Node drops surplus headers silently; its limit is set to one more than is allowed.
  if (rawHeaders.length > limits.headerCount * 2) return HEADERS_TOO_LARGE;
  if (!url.startsWith('/') && url !== '*' && URL.parse(url) === null) return MALFORMED;
  if (url.length > limits.urlBytes) return { status: 414, code: 'too_large', message: 'The request target is too long.' };
  const query = url.indexOf('?');
  const queryTooLong = query !== -1 && url.length - query - 1 > limits.queryBytes;
  return queryTooLong ? { status: 414, code: 'too_large', message: 'The query of the request is too long.' } : undefined;
}

function send(response: ServerResponse, error: RawError, clock: Clock): void {
  closeIfIncomplete(response, clock);
  const { status, headers, body } = responseOf(error);
  response.writeHead(status, headers).end(body);
}

function responseOf({ code, message, retryAfter, status = ERROR_STATUS[code] }: RawError) {
  const id = randomUUID();
  const body = JSON.stringify({ status: 'error', code, message, request_id: id });
  const headers: Record<string, string | number> = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': id,
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  };
  return { status, headers, body };
}
