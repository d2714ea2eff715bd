/** Every error code with its HTTP status. */
export const ERROR_STATUS = {
  invalid_request: 400,
  invalid_token: 401,
  token_expired: 401,
  forbidden: 403,
  recent_login_required: 403,
  missing_scopes: 403,
  not_found: 404,
  method_not_allowed: 405,
  reauth_required: 409,
  relink_required: 409,
  item_gone: 409,
  conflict: 409,
  /** An action runs only after the user has approved it; `details.approvalId` identifies the approval. */
  approval_required: 409,
  /** The caller cancelled before the action began. */
  aborted: 409,
  too_large: 413,
  unsupported_media_type: 415,
  invalid_configuration: 422,
  unsupported_account: 422,
  rate_limited: 429,
  internal: 500,
  provider_error: 502,
  /** A change was sent and no response received. The change may have been made, so it is never retried automatically. */
  outcome_unknown: 502,
  unavailable: 503,
  not_configured: 503,
  /** Chat requires a model, and none is configured. */
  assistant_disabled: 503,
  provider_timeout: 504,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

export interface AppErrorOptions {
  /** The underlying error. Logged, never sent. Must not contain a secret. */
  cause?: unknown;
  /** Seconds, for the Retry-After header. */
  retryAfter?: number;
  /** Allowed methods, for the Allow header of a 405. */
  allow?: readonly string[];
  /** Where it was thrown, the error was logged at a limited rate: requests that fail with it are logged at debug level only. */
  logged?: boolean;
  /** Machine-readable details (choices, an approval's id); safe to show to the caller. */
  details?: Readonly<Record<string, unknown>> | undefined;
}

/** The one error class. `message` is safe to show to any client and contains no internals; those belong in `cause`. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly retryAfter: number | undefined;
  readonly allow: readonly string[] | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly logged: boolean;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = ERROR_STATUS[code];
    this.retryAfter = options.retryAfter;
    this.allow = options.allow;
    this.details = options.details;
    this.logged = options.logged ?? false;
  }
}

/** The error that the caller of the service may see. */
export function asAppError(thrown: unknown): AppError {
  return thrown instanceof AppError ? thrown : internalError();
}

/** @param cause what is wrong, for the log */
export function internalError(cause?: string): AppError {
  return new AppError('internal', 'Something went wrong on our side.', cause === undefined ? {} : { cause: new Error(cause) });
}

/** @param message what is overloaded or can't be reached, for seconds rather than minutes */
export function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('unavailable', message, { cause, retryAfter: 5 });
}

/** The process is stopping; another replica, or the next process, takes the request. */
export function restarting(): AppError {
  return unavailable('The service is being restarted.');
}

/** The provider's code in the details of an error, which may be logged; its message may not. undefined: there is none. */
export function providerReason({ details }: Pick<AppError, 'details'>): string | undefined {
  return (details?.provider as { reason?: string } | undefined)?.reason;
}

/** The service cannot start, and the operator can correct the reason. The message says how and contains no secret. */
export class StartError extends Error {}
