import { AppError } from '../errors.ts';
import { readCapped } from '../rate-limit/capped-body.ts';
import { providerRequest } from './provider-request.ts';

export interface JsonResponse {
  status: number;
  /** Parsed body; null when it is empty, undefined when it is not JSON. */
  body: unknown;
  /** Seconds in the Retry-After header; 0: there is none. */
  retryAfter: number;
}

const MAX_RETRY_SECONDS = 3600;
const MAX_BYTES = 256 * 1024;
const RATE_LIMITED = 429;

/**
 * One request to a provider. Redirects are rejected, because they would send secrets to another host. The size of the
 * response is limited, and errors contain nothing of request or response.
 *
 * @param signal deadline; aborted → AppError `provider_timeout`
 * @throws AppError `provider_timeout`, `provider_error`
 */
export async function fetchJson(url: string, init: RequestInit & { signal: AbortSignal }): Promise<JsonResponse> {
  try {
    const response = await providerRequest(url, init);
    return {
      status: response.status,
      body: parse(await readText(response)),
      retryAfter: retryAfterSeconds(response.headers.get('retry-after')),
    };
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (init.signal.aborted) throw new AppError('provider_timeout', 'The provider did not respond in time.');
    throw new AppError('provider_error', 'The provider can’t be reached.', { cause: new Error(`request failed: ${networkCode(error)}`) });
  }
}

/** Of a failed fetch, only the system's error code may be logged. */
export function networkCode(error: unknown): string {
  let cause: unknown = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
}

async function readText(response: Response): Promise<string> {
  const { headers } = response;
  const length = Number(headers.get('content-length') ?? Number.NaN);
  // If the length is known and the body is not compressed, reading it as a whole is much faster.
  if (length <= MAX_BYTES && !headers.has('content-encoding')) return response.text();
  if (response.body === null) return '';
  const bytes = await readCapped(response.body, MAX_BYTES, () => new AppError('provider_error', 'The provider’s response is too large.'));
  return bytes.toString('utf8');
}

/** The value of Retry-After (RFC 9110, 10.2.3: seconds or a date), at most an hour; 0: none. */
export function retryAfterSeconds(header: unknown): number {
  const value = typeof header === 'string' ? header.slice(0, 100) : '';
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return seconds > 0 ? Math.min(Math.ceil(seconds), MAX_RETRY_SECONDS) : 0;
}

function parse(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The outcome that telemetry counts a provider's response under, by its HTTP status. */
export function outcomeOfStatus(status: number): string {
  if (status < 400) return 'ok';
  if (status === RATE_LIMITED) return 'rate_limited';
  return status < 500 ? 'refused' : 'failed';
}
