import { AppError } from '../../errors.ts';
import { OutboundFailure } from '../../outbound/checked-fetch.ts';
import { NoAnswer, RpcError } from './source-connection.ts';
import { statusOf } from './source-fetch.ts';

/** The cause of an error of a server that does not work at the moment. */
class ServerFailure extends Error {}
/** The cause of an error of a server that works, and refused what it was asked. */
class Refusal extends Error {}

/** Codes of the official client (`SdkErrorCode`). */
const HTTP_FAILURES = /^CLIENT_HTTP_/;
/** JSON-RPC: nothing was done (invalid request, unknown method, invalid params), and those of MCP for headers and capabilities. */
const NOTHING_DONE = new Set([-32600, -32601, -32602, -32020, -32021, -32022]);
/** A server that asks for something by an address (MCP 2025-11-25, `UrlElicitationRequiredError`). */
const ELICITATION = -32042;

/** Of the official client, which has no code for it in earlier revisions. */
const UNKNOWN_REVISION = /^(Server's|Unsupported) protocol version/i;

const LOST: Record<NoAnswer['why'], (label: string) => string> = {
  ended: (label) => `${label} ended its answer early.`,
  unrelated: (label) => `${label} sent something that doesn’t answer the request.`,
};

/** Whether an error says that a server does not work, whatever it is asked. */
export function isServerFailure(error: unknown): boolean {
  if (!(error instanceof AppError)) return false;
  return error.code === 'provider_timeout' || error.cause instanceof ServerFailure || error.cause instanceof OutboundFailure;
}

/** Whether an error is a server's answer that it refuses what it was asked. */
export function isRefusal(error: unknown): boolean {
  if (error instanceof AppError) return error.cause instanceof Refusal;
  const status = statusOf(error);
  return status !== undefined && status < 500;
}

/** Whether a request with this error can't have changed anything: it was not sent, or refused. */
export function isWithoutEffect(error: unknown): boolean {
  if (error instanceof AppError)
    return (
      error.code === 'forbidden' || error.code === 'missing_scopes' || (error.cause instanceof OutboundFailure && error.cause.isUnsent)
    );
  if (error instanceof RpcError) return NOTHING_DONE.has(error.code);
  const status = statusOf(error);
  return status !== undefined && status >= 400 && status < 500 && status !== 408;
}

/**
 * What a caller may see of an error in speaking to a server: nothing of the server's own words.
 *
 * @param label how people know the source
 */
export function asSourceError(error: unknown, label: string): AppError {
  const known = appErrorIn(error);
  if (known !== undefined) return known;
  if (error instanceof RpcError) return answered(error.code, label);
  if (error instanceof NoAnswer) return failed(LOST[error.why](label), `no answer: ${error.why}`);
  if (error instanceof Error && UNKNOWN_REVISION.test(error.message)) {
    return failed(`${label} speaks a revision of MCP that Steward doesn’t know.`, 'revision of the protocol');
  }
  const { code } = error as { code?: unknown };
  if (code === 'REQUEST_TIMEOUT') return new AppError('provider_timeout', `${label} did not respond in time.`);
  const status = statusOf(error);
  if (status !== undefined) return refused(status, label);
  const reason = typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown';
  const isNotMcp = typeof code === 'string' && HTTP_FAILURES.test(code);
  const text = isNotMcp ? `${label} doesn’t answer as an MCP server at this address.` : `The answer of ${label} could not be read.`;
  return new AppError('provider_error', text, { cause: new ServerFailure(reason) });
}

/** The official client wraps some errors of a request. */
function appErrorIn(error: unknown): AppError | undefined {
  let at: unknown = error;
  for (let depth = 0; depth < 4 && at instanceof Error; depth += 1) {
    if (at instanceof AppError) return at;
    at = at.cause ?? (at as { data?: { cause?: unknown } }).data?.cause;
  }
  return undefined;
}

function answered(code: number, label: string): AppError {
  if (code === ELICITATION) return asksUser(label);
  return new AppError('provider_error', `${label} refused the call (error ${code}).`, { cause: new Refusal(`JSON-RPC error ${code}`) });
}

/** A result of 2026-07-28 with which a server asks the user of a client for something (`input_required`). */
export function asksUser(label: string): AppError {
  return new AppError('provider_error', `${label} asks for something in the middle of the call, which Steward doesn’t pass on to you.`, {
    cause: new Refusal('input required'),
  });
}

function refused(status: number, label: string): AppError {
  if (status === 429) {
    const cause = new Error(`HTTP ${status}`);
    return new AppError('rate_limited', `${label} limits the number of calls. Try again later.`, { cause, retryAfter: 30 });
  }
  if (status >= 500) return failed(`${label} has a problem at the moment.`, `HTTP ${status}`);
  const cause = new Refusal(`HTTP ${status}`);
  if (status === 403) return new AppError('provider_error', `${label} doesn’t permit this with the access that was given.`, { cause });
  return new AppError('provider_error', `${label} refused the call (status ${status}).`, { cause });
}

function failed(text: string, cause: string): AppError {
  return new AppError('provider_error', text, { cause: new ServerFailure(cause) });
}
