import { AppError, type ErrorCode } from '../errors.ts';

/** A refusal by one of the provider's APIs that actions may have to tell apart. */
export class WorkspaceApiError extends AppError {
  /** HTTP status of the provider's answer. */
  readonly httpStatus: number;
  /** The provider's word for it (`rateLimitExceeded`, `exportSizeLimitExceeded`, …), '' where it gave none. */
  readonly reason: string;

  constructor(httpStatus: number, reason: string, code: ErrorCode, message: string, retryAfter?: number) {
    super(code, message, { cause: new Error(`HTTP ${httpStatus} ${reason}`), ...(retryAfter !== undefined && { retryAfter }) });
    this.httpStatus = httpStatus;
    this.reason = reason;
  }
}

const RATE_REASONS = new Set(['rateLimitExceeded', 'userRateLimitExceeded', 'quotaExceeded', 'RESOURCE_EXHAUSTED', 'RATE_LIMIT_EXCEEDED']);
const SCOPE_REASONS = new Set(['insufficientPermissions', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT', 'insufficientScopes']);

/**
 * The provider's answer as an error of ours. Only its status and its one-word
 * reason are kept: its text may repeat what was sent.
 *
 * @param body parsed JSON, or undefined when it wasn't JSON
 * @param retryAfter seconds, where the answer said so
 */
export function toWorkspaceApiError(status: number, body: unknown, retryAfter: number | undefined): WorkspaceApiError {
  const reason = reasonOf(body);
  const fail = (code: ErrorCode, message: string, seconds?: number) => new WorkspaceApiError(status, reason, code, message, seconds);
  if (status === 429 || (status === 403 && RATE_REASONS.has(reason))) {
    return fail('rate_limited', 'The provider asks for a pause: too many requests for this account.', retryAfter ?? 30);
  }
  if (status === 403 && SCOPE_REASONS.has(reason)) return fail('missing_scopes', 'This account’s consent doesn’t cover this.');
  if (status === 400)
    return fail('invalid_request', reason === '' ? 'The provider refused the input.' : `The provider refused the input: ${reason}.`);
  if (status === 401) return fail('reauth_required', 'The provider no longer accepts this connection.');
  if (status === 403) return fail('forbidden', reason === '' ? 'The provider forbids this.' : `The provider forbids this: ${reason}.`);
  if (status === 404 || status === 410) return fail('not_found', 'There is no such thing in this account.');
  if (status === 409 || status === 412) return fail('conflict', 'It was changed meanwhile. Read it again and retry.');
  if (status === 413) return fail('too_large', 'The provider says that this is too large.');
  // Its own fault, which mostly passes.
  return fail('provider_error', 'The provider reports a fault.', status >= 500 ? (retryAfter ?? 30) : undefined);
}

/** `errors[0].reason` (Drive, Calendar, Gmail), an ErrorInfo's `reason`, or the canonical `status`. */
function reasonOf(body: unknown): string {
  const error = field(body, 'error');
  const candidates = [
    field(first(field(error, 'errors')), 'reason'),
    field(first(field(error, 'details')), 'reason'),
    field(error, 'status'),
  ];
  const found = candidates.find((value): value is string => typeof value === 'string' && /^[A-Za-z_]{1,64}$/.test(value));
  return found ?? '';
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
