import { StewardError } from '../../../client/steward-client.js';
import { kit } from '../../language/en/frame.js';
import { saidToYou } from '../../language/en/said-to-you.js';

/** An error to display: the server’s message if there is one. */
export class Failure extends Error {
  constructor(message, { code, status = 0, requestId, superseded = false, details }) {
    super(saidToYou(message));
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    /** The user signed out or changed in the meantime: display nothing. */
    this.superseded = superseded;
    this.details = details;
  }
}

/** The client's errors as the page's. @throws any other error, which is a mistake of the page */
export function failureOf(error) {
  if (error instanceof Failure) return error;
  if (error instanceof StewardError) {
    const superseded = error.code === 'closed' || error.code === 'signed_out';
    return new Failure(error.message, { code: error.code, superseded, details: error.details });
  }
  if (error.name === 'AbortError') return new Failure(kit.stopped, { code: 'aborted' });
  throw error;
}

/**
 * Calls the service.
 *
 * @param options.token ID token for the Authorization header, bare: only to begin a session
 * @param options.csrf of the session. It is sent with what only reads, too: if another user has signed in in another tab, the
 *   service then shows nothing of that user here
 * @param options.form fields, sent urlencoded
 * @param options.json body, sent as JSON; neither = no body
 * @returns the JSON body of a successful response
 * @throws Failure for any other response, or if the server is unreachable
 */
export async function call(method, path, { token, csrf, form, json } = {}) {
  const response = await send(method, path, { token, csrf, form, json });
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const body = await response.json().catch(() => undefined);
  // POST /waitlist reports a failed insertion with status 200.
  if (response.ok && body !== undefined && body.status !== 'error') return body;
  throw new Failure(body?.message ?? kit.status(response.status), {
    code: body?.code,
    status: response.status,
    requestId: body?.request_id ?? requestId,
    details: body?.details,
  });
}

async function send(method, path, { token, csrf, form, json }) {
  const type = json === undefined ? {} : { 'content-type': 'application/json' };
  const body = json === undefined ? form && new URLSearchParams(form) : JSON.stringify(json);
  try {
    return await fetch(path, {
      method,
      headers: {
        accept: 'application/json',
        ...type,
        ...(token !== undefined && { authorization: token }),
        ...(csrf !== undefined && { 'x-csrf-token': csrf }),
      },
      ...(body !== undefined && { body }),
    });
  } catch {
    throw new Failure(kit.unreachable, { code: 'unreachable' });
  }
}
