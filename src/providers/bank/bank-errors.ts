import type { z } from 'zod';
import type { Clock } from '../../clock/clock.ts';
import { AppError, type AppErrorOptions, type ErrorCode } from '../../errors.ts';
import { isObject } from '../../validation/is-object.ts';
import { providerMessage, wordsAsDetails } from '../shared/provider-words.ts';
import { retryAfterSeconds } from '../transport/provider-fetch.ts';
import { parseJson } from '../transport/response-json.ts';
import { checked } from '../transport/responses.ts';

interface Meaning {
  code: ErrorCode;
  message: string;
  retryAfter?: number;
}

const RELINK: Meaning = { code: 'relink_required', message: 'The bank asks you to log in again.' };
const RELINK_AT_BANK: Meaning = {
  code: 'relink_required',
  message: 'The bank wants something done on its own site first; after that, log in again here.',
};
const GONE: Meaning = { code: 'item_gone', message: 'This connection no longer exists at the bank. Link the bank again.' };
const UNSUPPORTED: Meaning = { code: 'unsupported_account', message: 'This bank or account can’t be used for this. Choose another one.' };
const LATER: Meaning = { code: 'unavailable', message: 'The bank can’t be reached at the moment.', retryAfter: 60 };
const TOO_MANY = {
  code: 'unavailable',
  message: 'The bank aggregator asks for a pause: too many requests.',
  retryAfter: 60,
} satisfies Meaning;
const FAULT: Meaning = { code: 'provider_error', message: 'The bank aggregator reports a fault.' };
const OPERATOR: Meaning = { code: 'internal', message: 'The bank connection is not set up correctly on our side.' };

/** The transactions changed between two pages; reading starts again from the first cursor (Plaid: /transactions/sync). */
export const SYNC_MUTATION = 'TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION';

/** The user has not consented to the product that a call needs. The item's other products work. */
const CONSENT_MISSING = 'ADDITIONAL_CONSENT_REQUIRED';

/** The aggregator's `error_code` → our error. */
const MEANINGS: Record<string, Meaning> = {
  INVALID_PUBLIC_TOKEN: { code: 'invalid_request', message: 'public_token: is not valid any more. Start linking again.' },
  ITEM_LOGIN_REQUIRED: RELINK,
  ACCESS_NOT_GRANTED: RELINK,
  [CONSENT_MISSING]: {
    code: 'relink_required',
    message: consentMissingMessage('The bank'),
  },
  NO_ACCOUNTS: RELINK,
  ITEM_LOCKED: RELINK_AT_BANK,
  PASSWORD_RESET_REQUIRED: RELINK_AT_BANK,
  USER_SETUP_REQUIRED: RELINK_AT_BANK,
  // A typing error in update mode; the item is unchanged.
  INVALID_UPDATED_USERNAME: {
    code: 'relink_required',
    message: 'The login was another one than before. Log in again with the user name that this bank was linked with.',
  },
  ITEM_NOT_FOUND: GONE,
  USER_PERMISSION_REVOKED: GONE,
  INVALID_ACCOUNT_ID: { code: 'not_found', message: 'There is no such account at the bank.' },
  INVALID_INSTITUTION: { code: 'not_found', message: 'There is no such bank.' },
  NO_AUTH_ACCOUNTS: UNSUPPORTED,
  PRODUCTS_NOT_SUPPORTED: UNSUPPORTED,
  PRODUCT_NOT_ENABLED: UNSUPPORTED,
  ITEM_NOT_SUPPORTED: UNSUPPORTED,
  MFA_NOT_SUPPORTED: UNSUPPORTED,
  INSTITUTION_NO_LONGER_SUPPORTED: UNSUPPORTED,
  PRODUCT_NOT_READY: { code: 'unavailable', message: 'The bank’s data is still being fetched. Try again in a minute.', retryAfter: 60 },
  INSTITUTION_DOWN: LATER,
  INSTITUTION_NOT_RESPONDING: LATER,
  INSTITUTION_NOT_AVAILABLE: LATER,
  PLANNED_MAINTENANCE: LATER,
  RATE_LIMIT_EXCEEDED: TOO_MANY,
  INTERNAL_SERVER_ERROR: { ...FAULT, retryAfter: 60 },
  LAST_UPDATED_DATETIME_OUT_OF_RANGE: LATER,
  [SYNC_MUTATION]: { code: 'unavailable', message: 'The bank’s transactions changed while they were read. Try again.', retryAfter: 1 },
  INVALID_API_KEYS: OPERATOR,
  UNAUTHORIZED_ENVIRONMENT: OPERATOR,
  MISSING_FIELDS: OPERATOR,
  UNKNOWN_FIELDS: OPERATOR,
  INVALID_FIELD: OPERATOR,
  INVALID_BODY: OPERATOR,
  INVALID_CONFIGURATION: OPERATOR,
  SANDBOX_ONLY: OPERATOR,
  INVALID_ACCESS_TOKEN: OPERATOR,
};

/** The status that an error implies for its item: `active` if the user can do nothing about it. */
export type ItemHealth = 'active' | 'relink_required' | 'item_gone';

/** The status that an item's error implies. An unknown error of the item itself requires update mode. */
export function itemHealth(errorCode: string, errorType: string): ItemHealth {
  const known = Object.hasOwn(MEANINGS, errorCode) ? MEANINGS[errorCode]?.code : undefined;
  if (known === 'relink_required' || known === 'item_gone') return known;
  return known === undefined && errorType === 'ITEM_ERROR' ? 'relink_required' : 'active';
}

export type ItemRejection = Exclude<ItemHealth, 'active'>;

/** Whether an error concerns the item that the call was about. */
export function isItemRejection(error: unknown): error is AppError & { readonly code: ItemRejection } {
  return error instanceof AppError && (error.code === 'relink_required' || error.code === 'item_gone');
}

/** An error response of the aggregator whose code callers may need. */
export class BankError extends AppError {
  /** `error_code` as the aggregator names it. */
  readonly bankCode: string;

  constructor(bankCode: string, meaning: Meaning, options: { cause: Error; details?: AppErrorOptions['details'] | undefined }) {
    super(meaning.code, meaning.message, { ...options, ...(meaning.retryAfter !== undefined && { retryAfter: meaning.retryAfter }) });
    this.bankCode = bankCode;
  }
}

export function isConsentMissing(error: unknown): boolean {
  return error instanceof BankError && error.bankCode === CONSENT_MISSING;
}

/** @param label of the item */
export function consentMissingMessage(label: string): string {
  return `${label} hasn’t been allowed to give this. Open it once more (update mode) and agree.`;
}

/**
 * Converts what the SDK throws. An AxiosError contains the client secret and access tokens; only the aggregator's code,
 * request id and, for the caller, cleaned message are kept.
 */
export function toBankError(thrown: unknown, clock: Clock): AppError {
  const response = field(thrown, 'response');
  if (response === undefined) return withoutResponse(thrown);
  const sent = field(response, 'data');
  const data = sent instanceof Uint8Array ? parseJson(sent) : undefined;
  const status = Number(field(response, 'status'));
  const retryAfter = retryAfterSeconds(field(field(response, 'headers'), 'retry-after'), clock) || undefined;
  const code = field(data, 'error_code');
  if (typeof code === 'string') {
    const message = providerMessage(field(data, 'error_message'), sentSecrets(thrown));
    // It is logged: the message may repeat what was sent.
    const cause = new Error(`bank aggregator: ${clean(code)}, request ${clean(field(data, 'request_id'))}`);
    const meaning = meaningOf(code);
    // Errors that only the operator can correct are logged, not shown.
    const details = meaning.code === 'internal' ? undefined : wordsAsDetails({ reason: clean(code), message });
    // The delay that the aggregator asks for, if its error code allows a retry at all.
    const asked = retryAfter !== undefined && meaning.retryAfter !== undefined ? { retryAfter } : {};
    return new BankError(code, { ...meaning, ...asked }, { cause, details });
  }
  const cause = new Error(`bank aggregator: HTTP ${clean(status)} without an error code`);
  // A gateway responded instead of the aggregator; such errors are temporary.
  if (status === 429) return new AppError(TOO_MANY.code, TOO_MANY.message, { cause, retryAfter: retryAfter ?? TOO_MANY.retryAfter });
  const later = status >= 500 ? { retryAfter: retryAfter ?? PASSING } : {};
  return new AppError('provider_error', 'The bank aggregator’s response could not be read.', { cause, ...later });
}

/** Seconds after which to retry when a gateway or the connection failed. */
const PASSING = 30;
/** System errors of connections that could not be made or were lost. */
const CONNECTION_LOST = /^(ECONN(RESET|REFUSED)|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/;
/** What the HTTP client says of a response that is longer than allowed; its code is that of others, too. */
const TOO_LARGE = /^maxContentLength size of \d+ exceeded/;

function withoutResponse(thrown: unknown): AppError {
  const network = clean(field(thrown, 'code'));
  if (['ECONNABORTED', 'ETIMEDOUT', 'ERR_CANCELED'].includes(network)) {
    return new AppError('provider_timeout', 'The bank aggregator did not respond in time.');
  }
  if (TOO_LARGE.test(String(field(thrown, 'message')))) {
    return new AppError('provider_error', 'The bank aggregator’s response is too large: ask for less, with a smaller max or fewer days.');
  }
  const isLost = CONNECTION_LOST.test(network);
  const cause = new Error(`bank aggregator: ${network}`);
  return new AppError('provider_error', 'The bank aggregator can’t be reached.', { cause, ...(isLost && { retryAfter: PASSING }) });
}

/** Secrets of the request that must not be repeated in an error. */
function sentSecrets(thrown: unknown): string[] {
  const { headers, data } = (field(thrown, 'config') ?? {}) as { headers?: unknown; data?: unknown };
  const named = ['PLAID-CLIENT-ID', 'PLAID-SECRET'].map((name) => field(headers, name));
  const tokens = typeof data === 'string' ? [...data.matchAll(/"\w{1,40}_token":"([^"\\]{1,500})"/g)].map(([, token]) => token) : [];
  return [...named, ...tokens].filter((secret) => typeof secret === 'string');
}

const INPUT_CODES = new Set(['MISSING_FIELDS', 'UNKNOWN_FIELDS', 'INVALID_FIELD', 'INVALID_BODY']);

/**
 * Whether the aggregator doesn't accept the cursor of /transactions/sync, for example after the item was replaced: "cursor not
 * associated with access_token". The cursor is the only field of that call that can be invalid.
 */
export function isUnknownCursor(error: unknown): boolean {
  return error instanceof BankError && (error.bankCode === 'INVALID_FIELD' || error.bankCode.includes('CURSOR'));
}

/** An error about fields that a caller provided is reported to the caller, and is no fault of the service. */
export function asInputError(error: unknown, message = 'The bank aggregator refused the input.'): unknown {
  if (!(error instanceof BankError) || !INPUT_CODES.has(error.bankCode)) return error;
  return new BankError(error.bankCode, { code: 'invalid_request', message }, { cause: error, details: error.details });
}

/**
 * The part of a response that is used.
 *
 * @throws AppError `provider_error`, naming only the fields at fault
 */
export function checkResponse<S extends z.ZodType>(schema: S, data: unknown): z.output<S> {
  try {
    return checked(schema, data);
  } catch (error) {
    return asBankResponseError(error);
  }
}

/** Names the aggregator in the error about an unreadable response. */
export function asBankResponseError(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'provider_error') throw error;
  throw new AppError('provider_error', 'The bank aggregator’s response could not be read.', { cause: error.cause });
}

function meaningOf(code: string): Meaning {
  const known = Object.hasOwn(MEANINGS, code) ? MEANINGS[code] : undefined;
  if (known !== undefined) return known;
  if (code.endsWith('_LIMIT')) return TOO_MANY;
  return FAULT;
}

function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

/** A code or id; other values are not repeated. */
function clean(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return 'unknown';
  return /^[\w.-]{1,64}$/.test(String(value)) ? String(value) : 'unknown';
}
