import { AppError, type AppErrorOptions, type ErrorCode } from '../../errors.ts';
import { type ProviderWords, providerMessage, wordsAsDetails } from '../shared/provider-words.ts';
import { type Rejection, readRejection } from './workspace-rejection.ts';

/** An error response of one of the provider's APIs that actions may have to distinguish. */
export class WorkspaceApiError extends AppError {
  /** HTTP status of the response. */
  readonly httpStatus: number;
  /** The provider's reason (`rateLimitExceeded`, `exportSizeLimitExceeded`, …); '': none. */
  readonly reason: string;
  /** The limit applies for hours, so that retrying within seconds is useless. */
  readonly lasting: boolean;
  /** The API that the operator has not enabled for this client. */
  readonly disabledApi: string | undefined;

  constructor(httpStatus: number, refusal: Rejection, words: ProviderWords, code: ErrorCode, message: string, options: AppErrorOptions) {
    // It is logged: the message may repeat what was sent.
    const cause = new Error(`HTTP ${httpStatus} ${words.reason}`.trimEnd());
    super(code, message, { cause, ...options });
    this.httpStatus = httpStatus;
    this.reason = words.reason;
    this.lasting = refusal.kind === 'lasting_limit';
    this.disabledApi = refusal.disabledApi;
  }
}

/** The sandbox's reason for a method that it does not emulate. */
const NOT_PLAYED = 'methodNotPlayed';
/** If the provider asks for no delay, seconds. */
const PAUSE = 30;
const LONG_PAUSE = 3_600;

export interface ProviderResponse {
  status: number;
  /** Parsed JSON; undefined when it was not JSON. */
  body: unknown;
  /** Seconds, if the response contained them. */
  retryAfter: number | undefined;
  /** Secrets of the request. */
  sent: readonly string[];
}

/**
 * Converts an error response. The provider's own words are added as `details.provider`.
 *
 * @param method that was called, e.g. `sheets.spreadsheets.get`
 */
export function toWorkspaceApiError(method: string, { status, body, retryAfter, sent }: ProviderResponse): WorkspaceApiError {
  const refusal = readRejection(method, status, body);
  const { kind, reason } = refusal;
  const words = { reason, message: providerMessage(refusal.message, sent) };
  const fail = (code: ErrorCode, message: string, seconds?: number) => {
    // What the operator has to correct names the operator's project, so it is only logged.
    const details = code === 'not_configured' ? undefined : wordsAsDetails(words);
    const options = { ...(details !== undefined && { details }), ...(seconds !== undefined && { retryAfter: seconds }) };
    return new WorkspaceApiError(status, refusal, words, code, message, options);
  };
  if (kind === 'lasting_limit') return fail('rate_limited', 'A limit of the provider’s is used up for hours.', retryAfter ?? LONG_PAUSE);
  if (kind === 'limit') {
    return fail('rate_limited', 'The provider asks for a pause: too many requests for this account.', retryAfter ?? PAUSE);
  }
  if (kind === 'disabled_api')
    return fail('not_configured', 'This server may not use this API of the provider’s yet: its operator has to enable it.');
  if (kind === 'scopes') return fail('missing_scopes', 'This account’s consent doesn’t cover this.');
  if (status === 400)
    return fail('invalid_request', reason === '' ? 'The provider refused the input.' : `The provider refused the input: ${reason}.`);
  if (status === 401) return fail('reauth_required', 'The provider no longer accepts this connection.');
  if (status === 403) return fail('forbidden', reason === '' ? 'The provider forbids this.' : `The provider forbids this: ${reason}.`);
  if (status === 404 && reason === NOT_PLAYED) {
    return fail('provider_error', 'The sandbox doesn’t play this method; at the real provider it can be called.');
  }
  if (status === 404 || status === 410) return fail('not_found', 'There is no such thing in this account.');
  if (status === 409 || status === 412) return fail('conflict', 'It was changed meanwhile. Read it again and retry.');
  if (status === 413) return fail('too_large', 'The provider says that this is too large.');
  // A fault of the provider, usually temporary.
  return fail('provider_error', 'The provider reports a fault.', status >= 500 ? (retryAfter ?? PAUSE) : undefined);
}
