/** What a person is told when something did not work: the server’s own words, where it gave some. */
export class Failure extends Error {
  constructor(message, { code, status, requestId, superseded = false }) {
    super(message);
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    /** The person signed out or changed meanwhile: nothing to show. */
    this.superseded = superseded;
  }
}

/**
 * Calls the service.
 *
 * @param options.token ID token for the Authorization header, bare
 * @param options.form fields, sent urlencoded; none = no body
 * @returns the JSON answer of a 200
 * @throws Failure for everything else, a server that can't be reached included
 */
export async function call(method, path, { token, form } = {}) {
  const response = await send(method, path, token, form);
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const answer = await response.json().catch(() => undefined);
  // The waitlist says a failed insertion with status 200.
  if (response.ok && answer !== undefined && answer.status !== 'error') return answer;
  throw new Failure(answer?.message ?? `The server answered ${response.status} without a message.`, {
    code: answer?.code,
    status: response.status,
    requestId: answer?.request_id ?? requestId,
  });
}

async function send(method, path, token, form) {
  try {
    return await fetch(path, {
      method,
      headers: { accept: 'application/json', ...(token !== undefined && { authorization: token }) },
      ...(form !== undefined && { body: new URLSearchParams(form) }),
    });
  } catch {
    throw new Failure('The server could not be reached.', { code: 'unreachable', status: 0 });
  }
}
