import { AppError, type AppErrorOptions, type ErrorCode } from '../../errors.ts';
import { type ProviderWords, providerMessage, wordsAsDetails } from '../provider-words.ts';
import { type Refusal, readRefusal } from './workspace-rejection.ts';

/** A refusal by one of the provider's APIs that actions may have to tell apart. */
export class WorkspaceApiError extends AppError {
  /** HTTP status of the provider's answer. */
  readonly httpStatus: number;
  /** The provider's word for it (`rateLimitExceeded`, `exportSizeLimitExceeded`, …), '' where it gave none. */
  readonly reason: string;
  /** The limit is one of hours: another try within seconds only adds to it. */
  readonly lasting: boolean;
  /** The API that the operator has not enabled for this client, as the provider names it. */
  readonly disabledApi: string | undefined;

  constructor(httpStatus: number, refusal: Refusal, words: ProviderWords, code: ErrorCode, message: string, options: AppErrorOptions) {
    const cause = new Error(`HTTP ${httpStatus} ${words.reason}${words.message === '' ? '' : `: ${words.message}`}`);
    super(code, message, { cause, ...options });
    this.httpStatus = httpStatus;
    this.reason = words.reason;
    this.lasting = refusal.kind === 'lasting_limit';
    this.disabledApi = refusal.disabledApi;
  }
}

/** The sandbox's word for a method that it has no answer for. */
const NOT_PLAYED = 'methodNotPlayed';
/** Where the provider says no time itself, seconds. */
const PAUSE = 30;
const LONG_PAUSE = 3_600;

export interface ProviderAnswer {
  status: number;
  /** Parsed JSON, or undefined when it wasn't JSON. */
  body: unknown;
  /** Seconds, where the answer said so. */
  retryAfter: number | undefined;
  /** Secrets that went out with the request. */
  sent: readonly string[];
}

/**
 * The provider's answer as an error of ours. Its own words stand beside ours, as `details.provider`, never in their place.
 *
 * @param method that was called, e.g. `sheets.spreadsheets.get`
 */
export function toWorkspaceApiError(method: string, { status, body, retryAfter, sent }: ProviderAnswer): WorkspaceApiError {
  const refusal = readRefusal(method, status, body);
  const { kind, reason } = refusal;
  const words = { reason, message: providerMessage(refusal.message, sent) };
  const fail = (code: ErrorCode, message: string, seconds?: number) => {
    // What the operator has to mend names the operator's project: it is for the log alone.
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
  // Its own fault, which mostly passes.
  return fail('provider_error', 'The provider reports a fault.', status >= 500 ? (retryAfter ?? PAUSE) : undefined);
}
