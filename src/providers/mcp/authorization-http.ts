import { AppError } from '../../errors.ts';
import type { Outbound } from '../../outbound/checked-fetch.ts';
import { readCapped } from '../../rate-limit/capped-body.ts';
import { parseJson } from '../transport/response-json.ts';

/** A response of an authorization server, or of a metadata document. */
export interface AuthorizationResponse {
  status: number;
  /** undefined: it is not JSON. */
  body: unknown;
  /** Value of `WWW-Authenticate`. */
  challenge: string | null;
  /** Value of `Retry-After`. */
  retryAfter: string | null;
}

export interface AuthorizationHttp {
  outbound: Outbound;
  /** For each request, milliseconds. */
  timeoutMs: number;
}

const MAX_BYTES = 256 * 1024;

/** Gets JSON. @throws what {@link Outbound.fetch} throws */
export function getJson(http: AuthorizationHttp, url: string | URL, signal: AbortSignal): Promise<AuthorizationResponse> {
  return send(http, url, { headers: [['accept', 'application/json']], signal });
}

export function postJson(
  http: AuthorizationHttp,
  url: string | URL,
  body: unknown,
  signal: AbortSignal,
  accept = 'application/json',
): Promise<AuthorizationResponse> {
  const headers: [string, string][] = [
    ['content-type', 'application/json'],
    ['accept', accept],
  ];
  return send(http, url, { method: 'POST', headers, body: JSON.stringify(body), signal });
}

/** @param authorization of the client (RFC 6749, 2.3.1); undefined: it is in the form, or there is none */
export function postForm(
  http: AuthorizationHttp,
  url: string,
  form: URLSearchParams,
  authorization: string | undefined,
  signal: AbortSignal | undefined,
): Promise<AuthorizationResponse> {
  const headers: [string, string][] = [
    ['content-type', 'application/x-www-form-urlencoded'],
    ['accept', 'application/json'],
    ...(authorization === undefined ? [] : ([['authorization', authorization]] as [string, string][])),
  ];
  return send(http, url, { method: 'POST', headers, body: form.toString(), signal });
}

async function send(
  { outbound, timeoutMs }: AuthorizationHttp,
  url: string | URL,
  request: { method?: string; headers: [string, string][]; body?: string; signal: AbortSignal | undefined },
): Promise<AuthorizationResponse> {
  const response = await outbound.fetch(url, { ...request, timeoutMs, maxBytes: MAX_BYTES });
  const { status, headers } = response;
  const tooLarge = () => new AppError('provider_error', 'The response is too large.');
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  // What a server answers to a first call may be a stream without end.
  if (isStream) await response.body?.cancel();
  const bytes = isStream || response.body === null ? Buffer.alloc(0) : await readCapped(response.body, MAX_BYTES, tooLarge);
  return { status, body: parseJson(bytes), challenge: headers.get('www-authenticate'), retryAfter: headers.get('retry-after') };
}
