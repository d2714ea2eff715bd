import { AppError } from '../../errors.ts';
import { readChallenge } from '../../outbound/challenge.ts';
import type { Outbound } from '../../outbound/checked-fetch.ts';
import { isObject } from '../../validation/is-object.ts';
import { scopeNames } from '../../validation/scope-names.ts';
import type { AccessCredential } from './credentials.ts';

/** For each request to the server, milliseconds. */
export const REQUEST_MS = 30_000;
/** For the stream of what a server has to say by itself; it is opened again. */
const STREAM_MS = 10 * 60_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** What is known of the answer to a request while it is read. */
export interface Answer {
  /** It comes as a stream of events. */
  isStream: boolean;
  /** Why its body was not read to its end. The official client keeps only a text of it. */
  cut: unknown;
}

/**
 * Requests with the credential, which goes to the server's address only.
 *
 * @param current the answer to the request that is being sent; undefined: to none
 */
export function fetchWith(outbound: Outbound, { url, header, token }: AccessCredential, current: () => Answer | undefined) {
  return async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    if (new URL(input).href !== new URL(url).href) throw new Error('another address than that of the credential');
    const headers = new Headers(init.headers);
    if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
    if (header !== undefined) headers.set(header.name, header.value);
    const { method = 'GET', body, signal } = init;
    const answer = current();
    const isOwnStream = method === 'GET' && !headers.has('last-event-id');
    const response = await outbound.fetch(url, {
      method,
      headers,
      body: typeof body === 'string' ? body : undefined,
      signal: signal ?? undefined,
      timeoutMs: isOwnStream ? STREAM_MS : REQUEST_MS,
      maxBytes: MAX_ANSWER_BYTES,
      onCut: (error) => {
        if (answer !== undefined) answer.cut = error;
      },
    });
    if (response.status === 403) await assertScope(response);
    const isStream = response.headers.get('content-type')?.trim().toLowerCase().startsWith('text/event-stream') === true;
    if (answer !== undefined && response.ok) answer.isStream = isStream;
    if (method === 'GET' && response.ok && !isStream) return withoutStream(response);
    return withTidyJson(response);
  };
}

/** The HTTP status of an error of the official client; undefined: it has none. */
export function statusOf(error: unknown): number | undefined {
  const status = (error as { data?: { status?: unknown } } | undefined)?.data?.status;
  return typeof status === 'number' ? status : undefined;
}

/** What a page or a document in place of a stream means: that there is none. */
async function withoutStream({ body }: Response): Promise<Response> {
  await body?.cancel();
  return new Response(null, { status: 405 });
}

/** The official client refuses members that it does not know, and `null` in place of one that is absent: both are in use. */
function withTidyJson(response: Response): Response {
  const read = response.json.bind(response);
  return Object.assign(response, {
    async json() {
      const message: unknown = await read();
      return Array.isArray(message) ? message.map(tidied) : tidied(message);
    },
  });
}

function tidied(message: unknown): unknown {
  if (!isObject(message) || 'method' in message) return message;
  const { jsonrpc, id, result, error } = message;
  const own = { jsonrpc, ...(id !== null && { id }) };
  return isObject(error) ? { ...own, error } : { ...own, result };
}

/** @throws AppError `missing_scopes` with `details.missingScopes`, if that is why the server refuses */
async function assertScope({ headers, body }: Response): Promise<void> {
  const { isScopeMissing, scope = '' } = readChallenge(headers.get('www-authenticate'));
  if (!isScopeMissing) return;
  await body?.cancel();
  throw new AppError('missing_scopes', 'The server asks for more than this connection was granted.', {
    details: { missingScopes: scopeNames(scope) },
  });
}
