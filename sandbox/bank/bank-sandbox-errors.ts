/** Messages of the codes that the sandbox returns by itself or on request, by type (Plaid: Errors). */
const MESSAGES: Record<string, Record<string, string>> = {
  INVALID_INPUT: {
    INVALID_API_KEYS: 'invalid client_id or secret provided',
    INVALID_ACCESS_TOKEN: 'could not find matching access token',
    INVALID_PUBLIC_TOKEN: 'could not find matching public token: it is unknown, expired or used',
    INVALID_LINK_TOKEN: 'could not find matching link token: it is unknown or expired',
    INVALID_ACCOUNT_ID: 'one or more of the account IDs does not belong to this item',
    INVALID_INSTITUTION: 'invalid institution_id provided',
    INVALID_WEBHOOK_VERIFICATION_KEY_ID: 'could not find a webhook verification key with this key_id',
    UNAUTHORIZED_ENVIRONMENT: 'this client_id may not use this environment',
    ADDITIONAL_CONSENT_REQUIRED: 'the user has not consented to this product',
  },
  INVALID_REQUEST: {
    INVALID_BODY: 'the body could not be read as a JSON object',
    MISSING_FIELDS: 'required fields are missing',
    UNKNOWN_FIELDS: 'fields are not recognized by this endpoint',
    INVALID_FIELD: 'a field is not valid',
    INVALID_CONFIGURATION: 'the configuration of this client is not valid',
    NOT_FOUND: 'the requested endpoint does not exist',
    SANDBOX_ONLY: 'this endpoint exists in the sandbox only',
  },
  ITEM_ERROR: {
    ITEM_NOT_FOUND: 'this item does not exist, was removed, or its user withdrew access',
    ITEM_LOGIN_REQUIRED: 'the login details of this item have changed; the user has to log in again',
    ACCESS_NOT_GRANTED: 'the user did not grant the necessary permissions',
    ITEM_LOCKED: 'the login of this item is locked',
    PASSWORD_RESET_REQUIRED: 'the user must reset the password',
    USER_SETUP_REQUIRED: 'the user must finish setting up the login',
    USER_PERMISSION_REVOKED: 'the holder of this item withdrew the permission',
    INVALID_UPDATED_USERNAME: 'the login in update mode was another than the item has',
    NO_ACCOUNTS: 'no accounts were found for this item',
    NO_AUTH_ACCOUNTS: 'this item has no checking or savings account',
    PRODUCT_NOT_READY: 'the requested product is not yet ready',
    PRODUCTS_NOT_SUPPORTED: 'the requested product is not supported for this item',
    PRODUCT_NOT_ENABLED: 'the requested product was not enabled for this item',
    ITEM_NOT_SUPPORTED: 'this kind of account is not supported',
    MFA_NOT_SUPPORTED: 'this second factor is not supported',
  },
  INSTITUTION_ERROR: {
    INSTITUTION_DOWN: 'this institution is down',
    INSTITUTION_NOT_RESPONDING: 'this institution does not respond',
    INSTITUTION_NOT_AVAILABLE: 'this institution is not available',
    INSTITUTION_NO_LONGER_SUPPORTED: 'this institution is no longer supported',
  },
  TRANSACTIONS_ERROR: {
    TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION:
      'transaction data changed since the last page was fetched; begin again from the first cursor of this loop',
  },
  SANDBOX_ERROR: {
    SANDBOX_WEBHOOK_INVALID: 'this item has no webhook address, or the code cannot be fired for it',
  },
  API_ERROR: {
    INTERNAL_SERVER_ERROR: 'an unexpected error occurred',
    PLANNED_MAINTENANCE: 'the API is down for planned maintenance',
  },
};

/** Texts for users, of errors that a user can correct. */
const DISPLAYED: Record<string, string> = {
  ITEM_LOGIN_REQUIRED: 'The login details of this account have changed. Log in at the bank again.',
  ACCESS_NOT_GRANTED: 'The necessary permissions were not granted.',
  ITEM_LOCKED: 'This login is locked. Unlock it at the bank.',
  PASSWORD_RESET_REQUIRED: 'Reset the password at the bank.',
  USER_SETUP_REQUIRED: 'Finish setting up the login at the bank.',
  USER_PERMISSION_REVOKED: 'Access to this account was withdrawn.',
  NO_ACCOUNTS: 'No accounts were found.',
  NO_AUTH_ACCOUNTS: 'No checking or savings account was found.',
  INSTITUTION_DOWN: 'The bank can’t be reached. Try again later.',
  INSTITUTION_NOT_RESPONDING: 'The bank does not respond. Try again later.',
  INSTITUTION_NOT_AVAILABLE: 'The bank is not available.',
};

/** Errors that are corrected by running Link in update mode. */
const RELINKED = new Set([
  'ITEM_LOGIN_REQUIRED',
  'ACCESS_NOT_GRANTED',
  'ADDITIONAL_CONSENT_REQUIRED',
  'ITEM_LOCKED',
  'PASSWORD_RESET_REQUIRED',
  'USER_SETUP_REQUIRED',
]);

/** Statuses that depend on the code; other statuses depend on the type. */
const CODE_STATUS: Record<string, number> = { NOT_FOUND: 404, PLANNED_MAINTENANCE: 503 };
const TYPE_STATUS: Record<string, number> = { RATE_LIMIT_EXCEEDED: 429, API_ERROR: 500 };

/** An error of the aggregator's API. Its router catches it and responds with {@link errorBody}. */
export class AggregatorError extends Error {
  readonly status: number;
  readonly body: ReturnType<typeof errorBody>;

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

/** The error object of a code in responses and webhooks, without the request id of responses. */
export function errorBody(code: string, message?: string, type = typeOf(code)) {
  return {
    error_type: type,
    error_code: code,
    error_code_reason: null,
    error_message: message ?? MESSAGES[typeOf(code)]?.[code] ?? unlistedMessage(code),
    display_message: DISPLAYED[code] ?? null,
    documentation_url: `https://plaid.com/docs/errors/${type.toLowerCase().replaceAll('_', '-')}/#${code.toLowerCase()}`,
    suggested_action: RELINKED.has(code) ? 'Run Link in update mode with this item.' : null,
  };
}

function typeOf(code: string): string {
  const known = Object.keys(MESSAGES).find((type) => Object.hasOwn(MESSAGES[type] ?? {}, code));
  return known ?? (isRateLimit(code) ? 'RATE_LIMIT_EXCEEDED' : 'API_ERROR');
}

function unlistedMessage(code: string): string {
  return isRateLimit(code) ? 'rate limit exceeded; try again later' : 'an error injected by the sandbox';
}

function isRateLimit(code: string): boolean {
  return code === 'RATE_LIMIT_EXCEEDED' || code.endsWith('_LIMIT');
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
