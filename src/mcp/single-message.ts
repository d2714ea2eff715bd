import { isObject } from '../validation/is-object.ts';

/** Codes of JSON-RPC 2.0, 5.1, and of its implementations. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const UNSUPPORTED = -32_000;

/**
 * The one message of a request's body. A batch could hold any number of calls, so that limits would count them as one; the
 * protocol has had none since its revision 2025-06-18. Many clients write members that they don't give as null, which the
 * protocol admits for none of them: these are left out.
 *
 * @returns the message, or the response to what is none
 */
export async function singleMessage(request: Request): Promise<{ message: unknown } | { rejection: Response }> {
  // As everywhere in the service (RFC 9110, 8.4).
  const coding = request.headers.get('content-encoding')?.toLowerCase() ?? '';
  if (!['', 'identity'].includes(coding)) return { rejection: rejected(UNSUPPORTED, 'Send the body uncompressed.', 415) };
  let message: unknown;
  try {
    message = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(await request.arrayBuffer()));
  } catch {
    return { rejection: rejected(PARSE_ERROR, 'The body is not JSON in UTF-8.') };
  }
  if (Array.isArray(message)) return { rejection: rejected(INVALID_REQUEST, 'Send one message in a request, not a batch.') };
  return { message: asGiven(message) };
}

/** A message without what is null of it, of its parameters and of their `_meta`; arguments of tools are as they are. */
function asGiven(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { id, params, ...more } = message;
  const { _meta, ...given } = isObject(params) ? params : {};
  const parameters = isObject(params) ? withoutNull({ ...given, _meta: isObject(_meta) ? withoutNull(_meta) : _meta }) : params;
  // Of an id, null says something: that the request has none which is known (JSON-RPC 2.0, 5).
  return { ...withoutNull({ ...more, params: parameters }), ...(id !== undefined && { id }) };
}

function withoutNull(members: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null && value !== undefined));
}

/** An error of JSON-RPC 2.0 (5.1) to a request without an id that is known. */
export function rejected(code: number, message: string, status = 400): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}
