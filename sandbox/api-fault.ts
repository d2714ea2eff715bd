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

/** Canonical codes that the newer APIs return beside the HTTP status (google.rpc.Code). */
const CANONICAL: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  412: 'FAILED_PRECONDITION',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** The body of an error response, the same in all six APIs. */
export function faultBody(status: number, reason: string, message: string): object {
  const error = { code: status, message, errors: [{ message, domain: 'global', reason }], status: CANONICAL[status] ?? 'UNKNOWN' };
  return { error };
}
