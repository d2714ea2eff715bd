/** Codes of JSON-RPC 2.0, 5.1. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/**
 * The one message of a request's body. A batch could hold any number of calls, so that limits would count them as one; the
 * protocol has had none since its revision 2025-06-18.
 *
 * @returns the message, or the response to what is none
 */
export async function singleMessage(request: Request): Promise<{ message: unknown } | { rejection: Response }> {
  let message: unknown;
  try {
    message = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(await request.arrayBuffer()));
  } catch {
    return { rejection: rejected(PARSE_ERROR, 'The body is not JSON in UTF-8.') };
  }
  if (Array.isArray(message)) return { rejection: rejected(INVALID_REQUEST, 'Send one message in a request, not a batch.') };
  return { message };
}

/** An error of JSON-RPC 2.0 (5.1) to a request without an id that is known. */
export function rejected(code: number, message: string, status = 400): Response {
  return Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status });
}
