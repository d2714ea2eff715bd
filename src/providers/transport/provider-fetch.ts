import type { Clock } from '../../clock/clock.ts';
import { AppError } from '../../errors.ts';
import { exchange } from './http-exchange.ts';
import { parseJson } from './response-json.ts';

export interface JsonResponse {
  status: number;
  /** Parsed body; null when it is empty, undefined when it is not JSON. */
  body: unknown;
  /** Seconds in the Retry-After header; 0: there is none. */
  retryAfter: number;
}

const MAX_RETRY_SECONDS = 3600;
const LIMIT = { bytes: 256 * 1024, error: () => new AppError('provider_error', 'The provider’s response is too large.') };
const RATE_LIMITED = 429;

interface JsonRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Deadline. */
  signal: AbortSignal;
  clock: Clock;
}

/**
 * One request to a provider, see {@link exchange}. The size of the response is limited, and errors contain nothing of request
 * or response.
 *
 * @throws AppError `provider_timeout`, `provider_error`
 */
export async function fetchJson(url: string, { method = 'GET', headers = {}, body, signal, clock }: JsonRequest): Promise<JsonResponse> {
  const { origin, pathname, search } = new URL(url);
  try {
    const request = { method, origin, path: pathname + search, headers, body };
    const { status, retryAfter, bytes } = await exchange(request, { signal, clock, limit: () => LIMIT });
    return { status, body: bytes.length === 0 ? null : parseJson(bytes), retryAfter: retryAfterSeconds(retryAfter, clock) };
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (signal.aborted) throw new AppError('provider_timeout', 'The provider did not respond in time.');
    throw new AppError('provider_error', 'The provider can’t be reached.', { cause: new Error(`request failed: ${networkCode(error)}`) });
  }
}

/** Of a failed request, only the system's error code may be logged. */
export function networkCode(error: unknown): string {
  let cause: unknown = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
}

/** The value of Retry-After (RFC 9110, 10.2.3: seconds or a date), at most an hour; 0: none. */
export function retryAfterSeconds(header: unknown, clock: Clock): number {
  const value = typeof header === 'string' ? header.slice(0, 100) : '';
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - clock.now()) / 1000;
  return seconds > 0 ? Math.min(Math.ceil(seconds), MAX_RETRY_SECONDS) : 0;
}

/** The outcome that telemetry counts a provider's response under, by its HTTP status. */
export function outcomeOfStatus(status: number): string {
  if (status < 400) return 'ok';
  if (status === RATE_LIMITED) return 'rate_limited';
  return status < 500 ? 'refused' : 'failed';
}
