/** The aggregator's error object in responses and webhooks. */
export interface AggregatorErrorBody {
  error_type: string;
  error_code: string;
  error_code_reason: string | null;
  error_message: string;
  display_message: string | null;
  documentation_url: string;
  suggested_action: string | null;
}

interface Kind {
  type: string;
  message: string;
  /** Text for users, for errors that a user can correct. */
  display?: string;
  action?: string;
}

const LOG_IN_AGAIN = 'The login details of this account have changed. Log in at the bank again.';
const RELINK = 'Run Link in update mode with this item.';

/** Codes that the sandbox returns by itself or on request, with their type (Plaid: Errors). */
const KINDS: Record<string, Kind> = {
  INVALID_API_KEYS: { type: 'INVALID_INPUT', message: 'invalid client_id or secret provided' },
  INVALID_ACCESS_TOKEN: { type: 'INVALID_INPUT', message: 'could not find matching access token' },
  INVALID_PUBLIC_TOKEN: { type: 'INVALID_INPUT', message: 'could not find matching public token: it is unknown, expired or used' },
  INVALID_LINK_TOKEN: { type: 'INVALID_INPUT', message: 'could not find matching link token: it is unknown or expired' },
  INVALID_ACCOUNT_ID: { type: 'INVALID_INPUT', message: 'one or more of the account IDs does not belong to this item' },
  INVALID_INSTITUTION: { type: 'INVALID_INPUT', message: 'invalid institution_id provided' },
  INVALID_WEBHOOK_VERIFICATION_KEY_ID: { type: 'INVALID_INPUT', message: 'could not find a webhook verification key with this key_id' },
  UNAUTHORIZED_ENVIRONMENT: { type: 'INVALID_INPUT', message: 'this client_id may not use this environment' },
  INVALID_BODY: { type: 'INVALID_REQUEST', message: 'the body could not be read as a JSON object' },
  MISSING_FIELDS: { type: 'INVALID_REQUEST', message: 'required fields are missing' },
  UNKNOWN_FIELDS: { type: 'INVALID_REQUEST', message: 'fields are not recognized by this endpoint' },
  INVALID_FIELD: { type: 'INVALID_REQUEST', message: 'a field is not valid' },
  INVALID_CONFIGURATION: { type: 'INVALID_REQUEST', message: 'the configuration of this client is not valid' },
  NOT_FOUND: { type: 'INVALID_REQUEST', message: 'the requested endpoint does not exist' },
  SANDBOX_ONLY: { type: 'INVALID_REQUEST', message: 'this endpoint exists in the sandbox only' },
  ITEM_NOT_FOUND: { type: 'ITEM_ERROR', message: 'this item does not exist, was removed, or its user withdrew access' },
  ITEM_LOGIN_REQUIRED: {
    type: 'ITEM_ERROR',
    message: 'the login details of this item have changed; the user has to log in again',
    display: LOG_IN_AGAIN,
    action: RELINK,
  },
  ACCESS_NOT_GRANTED: {
    type: 'ITEM_ERROR',
    message: 'the user did not grant the necessary permissions',
    display: 'The necessary permissions were not granted.',
    action: RELINK,
  },
  ADDITIONAL_CONSENT_REQUIRED: { type: 'INVALID_INPUT', message: 'the user has not consented to this product', action: RELINK },
  ITEM_LOCKED: {
    type: 'ITEM_ERROR',
    message: 'the login of this item is locked',
    display: 'This login is locked. Unlock it at the bank.',
    action: RELINK,
  },
  PASSWORD_RESET_REQUIRED: {
    type: 'ITEM_ERROR',
    message: 'the user must reset the password',
    display: 'Reset the password at the bank.',
    action: RELINK,
  },
  USER_SETUP_REQUIRED: {
    type: 'ITEM_ERROR',
    message: 'the user must finish setting up the login',
    display: 'Finish setting up the login at the bank.',
    action: RELINK,
  },
  USER_PERMISSION_REVOKED: {
    type: 'ITEM_ERROR',
    message: 'the holder of this item withdrew the permission',
    display: 'Access to this account was withdrawn.',
  },
  INVALID_UPDATED_USERNAME: { type: 'ITEM_ERROR', message: 'the login in update mode was another than the item has' },
  NO_ACCOUNTS: { type: 'ITEM_ERROR', message: 'no accounts were found for this item', display: 'No accounts were found.' },
  NO_AUTH_ACCOUNTS: {
    type: 'ITEM_ERROR',
    message: 'this item has no checking or savings account',
    display: 'No checking or savings account was found.',
  },
  PRODUCT_NOT_READY: { type: 'ITEM_ERROR', message: 'the requested product is not yet ready' },
  PRODUCTS_NOT_SUPPORTED: { type: 'ITEM_ERROR', message: 'the requested product is not supported for this item' },
  PRODUCT_NOT_ENABLED: { type: 'ITEM_ERROR', message: 'the requested product was not enabled for this item' },
  ITEM_NOT_SUPPORTED: { type: 'ITEM_ERROR', message: 'this kind of account is not supported' },
  MFA_NOT_SUPPORTED: { type: 'ITEM_ERROR', message: 'this second factor is not supported' },
  INSTITUTION_DOWN: {
    type: 'INSTITUTION_ERROR',
    message: 'this institution is down',
    display: 'The bank can’t be reached. Try again later.',
  },
  INSTITUTION_NOT_RESPONDING: {
    type: 'INSTITUTION_ERROR',
    message: 'this institution does not respond',
    display: 'The bank does not respond. Try again later.',
  },
  INSTITUTION_NOT_AVAILABLE: {
    type: 'INSTITUTION_ERROR',
    message: 'this institution is not available',
    display: 'The bank is not available.',
  },
  INSTITUTION_NO_LONGER_SUPPORTED: { type: 'INSTITUTION_ERROR', message: 'this institution is no longer supported' },
  TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION: {
    type: 'TRANSACTIONS_ERROR',
    message: 'transaction data changed since the last page was fetched; begin again from the first cursor of this loop',
  },
  SANDBOX_WEBHOOK_INVALID: { type: 'SANDBOX_ERROR', message: 'this item has no webhook address, or the code cannot be fired for it' },
  INTERNAL_SERVER_ERROR: { type: 'API_ERROR', message: 'an unexpected error occurred' },
  PLANNED_MAINTENANCE: { type: 'API_ERROR', message: 'the API is down for planned maintenance' },
};

/** Statuses that depend on the code; other statuses depend on the type. */
const CODE_STATUS: Record<string, number> = { NOT_FOUND: 404, PLANNED_MAINTENANCE: 503 };
const TYPE_STATUS: Record<string, number> = { RATE_LIMIT_EXCEEDED: 429, API_ERROR: 500 };

/** An error of the aggregator's API. Its router catches it and responds with {@link errorBody}. */
export class AggregatorError extends Error {
  readonly status: number;
  readonly body: AggregatorErrorBody;

  /**
   * @param code `error_code`; a code unknown to the sandbox needs a type
   * @param message replaces the code's usual `error_message`
   */
  constructor(code: string, message?: string, type?: string) {
    const body = errorBody(code, message, type);
    super(body.error_message);
    this.name = 'AggregatorError';
    this.status = CODE_STATUS[code] ?? TYPE_STATUS[body.error_type] ?? 400;
    this.body = body;
  }
}

/** The error object of a code, without the request id of responses. */
export function errorBody(code: string, message?: string, type?: string): AggregatorErrorBody {
  const kind = KINDS[code] ?? unlisted(code);
  const errorType = type ?? kind.type;
  return {
    error_type: errorType,
    error_code: code,
    error_code_reason: null,
    error_message: message ?? kind.message,
    display_message: kind.display ?? null,
    documentation_url: `https://plaid.com/docs/errors/${errorType.toLowerCase().replaceAll('_', '-')}/#${code.toLowerCase()}`,
    suggested_action: kind.action ?? null,
  };
}

function unlisted(code: string): Kind {
  if (code === 'RATE_LIMIT_EXCEEDED' || code.endsWith('_LIMIT')) {
    return { type: 'RATE_LIMIT_EXCEEDED', message: 'rate limit exceeded; try again later' };
  }
  return { type: 'API_ERROR', message: 'an error injected by the sandbox' };
}

export interface InjectedError {
  code: string;
  type?: string | undefined;
  /** Only calls of this path; absent: every call. */
  path?: string | undefined;
  /** Only calls about this item; absent: any item. */
  itemId?: string | undefined;
  /** Number of calls that fail. */
  times: number;
}

/** Errors that tests requested for the next calls. */
export class InjectedErrors {
  #pending: InjectedError[] = [];

  add(error: InjectedError): void {
    this.#pending.push({ ...error });
  }

  /** @throws AggregatorError the first error requested for this path and item */
  meet(path: string, itemId: string | undefined): void {
    const fits = (ordered: string | undefined, given: string | undefined) => ordered === undefined || ordered === given;
    const found = this.#pending.find((candidate) => fits(candidate.path, path) && fits(candidate.itemId, itemId));
    if (found === undefined) return;
    found.times -= 1;
    if (found.times <= 0) this.#pending = this.#pending.filter((candidate) => candidate !== found);
    throw new AggregatorError(found.code, undefined, found.type);
  }
}
