/** An error response in the form of the provider's APIs. */
export class ApiFault extends Error {
  readonly status: number;
  /** `notFound`, `invalidArgument`, `rateLimitExceeded`, … */
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

export function notFound(what = 'Requested entity was not found.'): ApiFault {
  return new ApiFault(404, 'notFound', what);
}

export function invalid(message: string): ApiFault {
  return new ApiFault(400, 'invalidArgument', message);
}

/** Canonical codes (google.rpc.Code) by HTTP status; 410 and 412 have none. */
const CANONICAL: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};
/** Reasons that the newer APIs tell by the canonical code. */
const PLAIN = new Set(['invalidArgument', 'failedPrecondition', 'authError', 'forbidden', 'notFound', 'backendError']);
/** The newer APIs' words for reasons. */
const ERROR_INFO: Record<string, string> = {
  insufficientPermissions: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
  rateLimitExceeded: 'RATE_LIMIT_EXCEEDED',
};

/** Where reasons belong that are not global. */
const DOMAINS: Record<string, string> = {
  rateLimitExceeded: 'usageLimits',
  forbiddenForNonOrganizer: 'calendar',
  timeRangeEmpty: 'calendar',
  fullSyncRequired: 'calendar',
  updatedMinTooLongAgo: 'calendar',
};

/**
 * The status and the body of an error response: with reasons in `errors` (Gmail, Calendar, Drive: Resolve errors), or with a
 * canonical code and details (Docs, Sheets, Slides: AIP-193).
 *
 * @param path of the request, below the APIs' root
 */
export function faultResponse(path: string, { status, reason, message }: Pick<ApiFault, 'status' | 'reason' | 'message'>) {
  if (/^\/v\d+\//.test(path)) {
    // Their limits are 429 (Usage limits).
    const code = reason === 'rateLimitExceeded' ? 429 : status;
    const canonical = reason === 'failedPrecondition' ? 'FAILED_PRECONDITION' : (CANONICAL[code] ?? 'UNKNOWN');
    return { status: code, body: { error: { code, message, status: canonical, ...detailsOf(reason) } } };
  }
  const errors = [{ message, domain: DOMAINS[reason] ?? 'global', reason }];
  const canonical = CANONICAL[status] !== undefined && { status: CANONICAL[status] };
  return { status, body: { error: { code: status, message, errors, ...canonical } } };
}

function detailsOf(reason: string): object {
  if (PLAIN.has(reason)) return {};
  const type = 'type.googleapis.com/google.rpc.ErrorInfo';
  return { details: [{ '@type': type, reason: ERROR_INFO[reason] ?? reason, domain: 'googleapis.com' }] };
}
