import type { Response } from 'supertest';
import { expect } from 'vitest';
import { ERROR_STATUS, type ErrorCode } from '../../../src/errors.ts';
import type { HttpResponse } from './request.ts';

const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Internal details: stack frames, files, SQL, libraries, parsers. */
const INTERNALS =
  /\n\s+at |node:|node_modules|\.ts\b|\.js\b|\/src\/|SELECT |insert into|select |pg-|postgres|ECONN|ENOENT|SyntaxError|TypeError|Unexpected token|axios|zod/i;

/** Asserts the one form of errors: status, code, exactly four fields, the request id in the header too, and nothing internal. */
export function expectError(response: HttpResponse | Response, code: ErrorCode, message?: string | RegExp): void {
  const headers = new Headers(response.headers);
  expect({ status: response.status, code: response.body?.code, text: response.text }).toMatchObject({ status: ERROR_STATUS[code], code });
  expect(headers.get('content-type')).toMatch(/^application\/json\b/);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(response.body).toEqual({ status: 'error', code, message: expect.any(String), request_id: expect.stringMatching(REQUEST_ID) });
  expect(headers.get('x-request-id')).toBe(response.body.request_id);
  expect(response.body.message).toMatch(/^\S.*\S$/);
  expect(response.text).not.toMatch(INTERNALS);
  if (message !== undefined) expect(response.body.message).toMatch(message);
  if (ERROR_STATUS[code] === 401) expect(headers.get('www-authenticate')).toMatch(/^Bearer realm="steward", error="invalid_token"/);
  else expect(headers.get('www-authenticate')).toBeNull();
  const retries = ERROR_STATUS[code] === 503 || ERROR_STATUS[code] === 429;
  if (retries) expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  // Retrying may help after a provider's fault, or not.
  else if (code === 'provider_error') expect(headers.get('retry-after') ?? '1').toMatch(/^[1-9]\d*$/);
  else expect(headers.get('retry-after')).toBeNull();
  expect(headers.has('allow')).toBe(ERROR_STATUS[code] === 405);
}
