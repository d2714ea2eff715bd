import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import { ERROR_STATUS, type ErrorCode } from '../errors.ts';

const REASONS: Record<string, { status: number; code: ErrorCode; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'too_large', message: 'The request’s headers are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'invalid_request', message: 'The request did not arrive in time.' },
};
const MALFORMED = { status: ERROR_STATUS.invalid_request, code: 'invalid_request', message: 'This is not an HTTP request.' } as const;

/** Answers what never became a request (broken syntax, huge headers, too slow) in the same form as every other error. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const { status, code, message } = REASONS[error.code ?? ''] ?? MALFORMED;
  const { id, body } = errorBody(code, message);
  const head = [
    `HTTP/1.1 ${status} Error`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${id}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Answers requests that come before the app is there. */
export const answerStarting: RequestListener = (_request, response) => {
  const { id, body } = errorBody('unavailable', 'The service is starting.');
  response.writeHead(ERROR_STATUS.unavailable, {
    'content-type': 'application/json; charset=utf-8',
    'retry-after': '1',
    'x-request-id': id,
  });
  response.end(body);
};

function errorBody(code: ErrorCode, message: string): { id: string; body: string } {
  const id = randomUUID();
  return { id, body: JSON.stringify({ status: 'error', code, message, request_id: id }) };
}
