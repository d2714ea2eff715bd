import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { codeChallenge, randomSecret } from '../crypto/secrets.ts';
import { AppError } from '../errors.ts';
import { http } from '../node-http.ts';
import type { AuthorizationRequest, SourceAuthorization } from '../providers/mcp/source-authorization.ts';
import type { SourceSettings } from '../providers/mcp/source-settings.ts';

/** Of one sign-in, whatever follows. */
const CALLBACK = /^\/auth\/sources\/callback(?:\/|$)/;
const DONE = 'This is done: go back to the terminal.';

/** Where a browser on this machine comes back to (RFC 8252, 7.3). */
export class LoopbackCallback implements AsyncDisposable {
  readonly #server = http.createServer();
  readonly #answered = Promise.withResolvers<URLSearchParams>();

  /** @returns its address, in the place of {base_url} */
  async open(): Promise<string> {
    this.#server.on('request', ({ url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
      const isCallback = CALLBACK.test(pathname);
      response.writeHead(isCallback ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
      response.end(isCallback ? DONE : '');
      if (isCallback) this.#answered.resolve(searchParams);
    });
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The parameters with which the browser came back. */
  get answer(): Promise<URLSearchParams> {
    return this.#answered.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/**
 * Signs in at a source's authorization server, in a browser on this machine.
 *
 * @param show tells the operator the address to open
 * @returns the access token, as the provider keeps it
 * @throws AppError `forbidden` for an answer that is not of this sign-in, `provider_error`
 */
export async function signInAt(
  authorization: SourceAuthorization,
  source: SourceSettings,
  callback: Pick<LoopbackCallback, 'answer'>,
  show: (address: string) => void,
): Promise<string> {
  const request = await authorization.prepare(source);
  const [state, verifier] = [randomSecret(), randomSecret()];
  show(authorization.authorizationUrl(request, { state, challenge: codeChallenge(verifier) }));
  const answer = await callback.answer;
  const { code, iss } = accepted(authorization, request, answer, state);
  const hooks = { issued: () => {}, sent: () => {} };
  const { accessToken } = await authorization.exchange(request, { code, iss, verifier }, new AbortController().signal, hooks);
  return accessToken;
}

function accepted(
  authorization: SourceAuthorization,
  request: AuthorizationRequest,
  answer: URLSearchParams,
  state: string,
): { code: string; iss: string | undefined } {
  const iss = answer.get('iss') ?? undefined;
  if (answer.get('state') !== state || !authorization.isOfIssuer(request, iss)) {
    throw new AppError('forbidden', 'The browser came back with an answer that is not of this sign-in.');
  }
  const code = answer.get('code');
  if (code === null) throw new AppError('forbidden', 'The server did not permit it.');
  return { code, iss };
}
