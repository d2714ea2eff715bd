import { type IncomingHttpHeaders, request as requestOverHttp } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { text } from 'node:stream/consumers';

const PATIENCE_MS = 25_000;

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: any;
}

export interface Request {
  method?: string;
  token?: string;
  form?: Record<string, string>;
  json?: object;
  idempotencyKey?: string;
  cookie?: string;
  /** Unchanged JSON, with the sender's signature. */
  signed?: { body: string; proof: string };
}

/**
 * One request on a new connection: a kept one would fail for a process that was killed before. Redirects are not followed.
 *
 * @returns undefined when no response was received: the outcome is unknown
 */
export async function ask(
  base: string,
  path: string,
  { method, token, form, json, idempotencyKey, cookie, signed }: Request = {},
): Promise<Reply | undefined> {
  const headers = {
    ...(token !== undefined && { authorization: token }),
    ...(cookie !== undefined && { cookie }),
    ...(signed !== undefined && { 'content-type': 'application/json', 'plaid-verification': signed.proof }),
    ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const content = signed?.body ?? (json && JSON.stringify(json)) ?? (form && new URLSearchParams(form).toString());
  const url = new URL(path, base);
  const request = url.protocol === 'https:' ? requestOverTls : requestOverHttp;
  const sent = request(url, { method: method ?? (content === undefined ? 'GET' : 'POST'), headers, agent: false });
  let hasBegun = false;
  sent.on('error', reject).on('close', () => hasBegun || reject(new Error('no answer')));
  sent.on('response', (response) => {
    hasBegun = true;
    text(response).then((body) => {
      const isJson = response.headers['content-type']?.includes('json') === true;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: isJson ? JSON.parse(body) : undefined });
    }, reject);
  });
  sent.end(content);
  const answer = await within(PATIENCE_MS, promise);
  sent.destroy();
  return answer;
}

/** @returns undefined if it fails, or takes longer */
export async function within<Value>(ms: number, work: Promise<Value>): Promise<Value | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), ms);
  try {
    return await Promise.race([work, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** The query of a response's redirect. */
export function leadsTo(reply: Reply | undefined): Record<string, string> {
  const { location } = reply?.headers ?? {};
  return location === undefined ? {} : Object.fromEntries(new URL(location).searchParams);
}
