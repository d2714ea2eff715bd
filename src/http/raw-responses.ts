import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Limits } from '../config/config.ts';
import { ERROR_STATUS, type ErrorCode } from '../errors.ts';

const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** An error that is told before, or beside, the app. */
export interface Refusal {
  /** Where the protocol has a more exact one than the code's own. */
  status?: number;
  code: ErrorCode;
  message: string;
  /** Seconds until another try makes sense. */
  retryAfter?: number;
}

const HEADERS_TOO_LARGE: Refusal = { status: 431, code: 'too_large', message: 'The request’s headers are too large.' };
const REASONS: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: HEADERS_TOO_LARGE,
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'invalid_request', message: 'The request did not arrive in time.' },
};
const MALFORMED: Refusal = { code: 'invalid_request', message: 'This is not an HTTP request.' };
const BAD_HOST: Refusal = { code: 'invalid_request', message: 'A request has exactly one Host header.' };
const OTHER_VERSION: Refusal = { status: 505, code: 'invalid_request', message: 'Only HTTP/1.1 and HTTP/1.0 are spoken here.' };
const STARTING: Refusal = { code: 'unavailable', message: 'The service is starting.', retryAfter: 1 };

/** Answers what never became a request (broken syntax, huge headers, too slow) in the same form as every other error. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  refuseSocket(socket, REASONS[error.code ?? ''] ?? MALFORMED);
}

/** Answers on a connection that no response belongs to, and ends it. */
export function refuseSocket(socket: Duplex, refusal: Refusal): void {
  const { status, headers, body } = answerOf(refusal);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  // Destroyed, not only ended: a client that keeps its half open would hold the socket beyond every time-out.
  socket.end(`${head.join('\r\n')}\r\nconnection: close\r\n\r\n${body}`, () => socket.destroy());
}

/** Answers requests that come before the app is there. */
export const answerStarting: RequestListener = (_request, response) => refuse(response, STARTING);

/** Refuses upgrades that come before the WebSocket API is there: a socket that nobody takes would stay open for ever. */
export function refuseStarting(_request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  refuseSocket(socket, STARTING);
}

/** Lets only requests of a bearable form through to the app. */
export function refuseMisshapen(limits: Limits, app: RequestListener): RequestListener {
  return (request, response) => {
    response.once('finish', () => endUnread(request));
    const refusal = misshapen(request, limits);
    if (refusal === undefined) app(request, response);
    else refuse(response, refusal);
  };
}

/** Nobody needs the rest of a body whose request is answered; Node would read it for as long as a request may take. */
function endUnread({ complete, socket }: IncomingMessage): void {
  if (!complete) socket.destroySoon();
}

/** What is wrong with a request's form, address or headers, whatever it asks for. */
export function misshapen({ url = '', rawHeaders, httpVersion }: IncomingMessage, limits: Limits): Refusal | undefined {
  // HTTP/0.9 knows no headers, so a browser may be made to send one to any port.
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return OTHER_VERSION;
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  // Two programs may each believe another one of them (RFC 9112, 3.2).
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) return BAD_HOST;
  // Node would leave the surplus out without a word; it is told to keep one more than may be.
  if (rawHeaders.length > limits.headerCount * 2) return HEADERS_TOO_LARGE;
  if (url.length > limits.urlBytes) return { status: 414, code: 'too_large', message: 'The request’s address is too long.' };
  const query = url.indexOf('?');
  const queryTooLong = query !== -1 && url.length - query - 1 > limits.queryBytes;
  return queryTooLong ? { status: 414, code: 'too_large', message: 'The request’s query is too long.' } : undefined;
}

function refuse(response: ServerResponse, refusal: Refusal): void {
  const { status, headers, body } = answerOf(refusal);
  response.writeHead(status, headers).end(body);
}

function answerOf({ code, message, retryAfter, status = ERROR_STATUS[code] }: Refusal) {
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
