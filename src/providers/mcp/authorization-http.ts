import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { Outbound } from '../../outbound/checked-fetch.ts';
import { readCapped } from '../../rate-limit/capped-body.ts';
import { parseJson } from '../transport/response-json.ts';
import type { SourceClient } from './source-authorization.ts';

/** A response of an authorization server, or of a metadata document. */
export interface AuthorizationResponse {
  status: number;
  /** undefined: it is neither JSON nor, as token endpoints before RFC 6749 answer, a form. */
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
/** An error code (RFC 6749, 5.2). Other values might repeat a secret. */
const errorResponse = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/) });

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

/** Posts a form as a client, which proves who it is as it was registered (RFC 6749, 2.3.1). */
export function postAsClient(
  http: AuthorizationHttp,
  url: string,
  { clientId, clientSecret, authMethod }: Pick<SourceClient, 'clientId' | 'clientSecret' | 'authMethod'>,
  fields: Record<string, string>,
  signal?: AbortSignal,
): Promise<AuthorizationResponse> {
  const form = new URLSearchParams(fields);
  const isBasic = authMethod === 'client_secret_basic';
  if (!isBasic) form.set('client_id', clientId);
  if (authMethod === 'client_secret_post') form.set('client_secret', clientSecret ?? '');
  const headers: [string, string][] = [
    ['content-type', 'application/x-www-form-urlencoded'],
    ['accept', 'application/json'],
    ...(isBasic ? ([['authorization', basic(clientId, clientSecret ?? '')]] as [string, string][]) : []),
  ];
  return send(http, url, { method: 'POST', headers, body: form.toString(), signal });
}

/** The error that a server names; another text if it names none. */
export function errorCodeOf(body: unknown): string {
  return errorResponse.safeParse(body).data?.error ?? 'no OAuth error';
}

/** RFC 6749, 2.3.1: both are form-encoded first. */
function basic(clientId: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(clientId)}:${encode(secret)}`).toString('base64')}`;
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
  const isForm = headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') === true;
  const body = isForm ? Object.fromEntries(new URLSearchParams(bytes.toString())) : parseJson(bytes);
  return { status, body, challenge: headers.get('www-authenticate'), retryAfter: headers.get('retry-after') };
}
