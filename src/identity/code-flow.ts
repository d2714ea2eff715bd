import type { Configuration, CustomFetchOptions, ServerMetadata } from 'openid-client';
import { z } from 'zod';
import { type Clock, timeoutSignal } from '../clock/clock.ts';
import { loadOnce } from '../concurrency/load-once.ts';
import type { OidcSettings } from '../config/config.ts';
import { AppError } from '../errors.ts';
import { readCapped } from '../rate-limit/capped-body.ts';
import { isObject } from '../validation/is-object.ts';
import { ANEW_SECONDS, assertAnew } from './anew.ts';
import { fetchJson } from './fetch-keys.ts';
import { CLOCK_SKEW, type Identity, type VerifyIdToken } from './identity.ts';
import { identityUnavailable } from './token-errors.ts';

const TIMEOUT_SECONDS = 10;
const RETRY_SECONDS = 10;
const DISCOVERED_MS = 60_000;
const SCOPE = 'openid email';
/** Three tokens are some kilobytes. */
const MAX_TOKENS_BYTES = 262_144;

/** An OAuth client of the issuer. */
export interface CodeFlowClient {
  clientId: string;
  /** undefined: a public client, which PKCE protects. */
  clientSecret: string | undefined;
  redirectUri: string;
}

/** What binds a sign-in to the browser that began it. */
export interface CodeFlowSecrets {
  state: string;
  nonce: string;
  verifier: string;
  /** The user has to sign in, whether or not the issuer knows the browser. */
  isAnew: boolean;
}

const metadata = z.looseObject({ issuer: z.string(), authorization_endpoint: z.url(), token_endpoint: z.url() });

const load = loadOnce(() => import('openid-client'));

/** The authorization code flow of an OpenID Connect issuer, with PKCE (OIDC Core 3.1; RFC 9700, 2.1.1). */
export class CodeFlow {
  readonly #settings: OidcSettings;
  readonly #client: CodeFlowClient;
  readonly #verify: VerifyIdToken;
  readonly #clock: Clock;
  /** Anyone can begin sign-ins: those of a minute share one request to the issuer. */
  readonly #server: () => Promise<ServerMetadata>;

  /** @param verify verifies ID tokens that were issued for the client */
  constructor(settings: OidcSettings, client: CodeFlowClient, verify: VerifyIdToken, clock: Clock) {
    this.#settings = settings;
    this.#client = client;
    this.#verify = verify;
    this.#clock = clock;
    this.#server = loadOnce(() => this.#discover(), { clock, freshMs: DISCOVERED_MS });
  }

  /** The address of the issuer's sign-in. @throws AppError `unavailable` */
  async authorizationUrl({ state, nonce, verifier, isAnew }: CodeFlowSecrets): Promise<string> {
    const [{ buildAuthorizationUrl, calculatePKCECodeChallenge }, configuration] = [await load(), await this.#configuration()];
    return buildAuthorizationUrl(configuration, {
      redirect_uri: this.#client.redirectUri,
      scope: SCOPE,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(isAnew && { prompt: 'login', max_age: String(ANEW_SECONDS) }),
    }).href;
  }

  /**
   * Exchanges the code of a callback.
   *
   * @param query of the callback, without its question mark
   * @returns undefined: the issuer does not take the code, which has expired or was used (`invalid_grant`, RFC 6749, 5.2)
   * @throws AppError `forbidden` for a callback that is not of this flow, and where the user did not sign in;
   * `invalid_token`, `token_expired`; `provider_error`, also where the user should have signed in anew; `unavailable`
   */
  async finish(query: string, { state, nonce, verifier, isAnew }: CodeFlowSecrets): Promise<Identity | undefined> {
    const [{ authorizationCodeGrant, ResponseBodyError }, configuration] = [await load(), await this.#configuration()];
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    let idToken: string | undefined;
    try {
      const response = await authorizationCodeGrant(configuration, new URL(`${this.#client.redirectUri}?${query}`), checks);
      idToken = response.id_token;
    } catch (error) {
      if (error instanceof ResponseBodyError && error.error === 'invalid_grant') return undefined;
      throw await toAppError(error);
    }
    // The library leaves the signature to TLS (OIDC Core 3.1.3.7, 6); here it is verified like every other.
    const identity = await this.#verify(idToken ?? '');
    if (isAnew) assertAnew(this.#clock, identity);
    return identity;
  }

  /** Read again after a minute, so that a change of the issuer's addresses needs no restart. */
  async #configuration(): Promise<Configuration> {
    const library = await load();
    const { Configuration, ClientSecretBasic, ClientSecretPost, None, allowInsecureRequests, clockTolerance } = library;
    const { clientId, clientSecret } = this.#client;
    const server = await this.#server();
    const takesPost = server.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true;
    const authentication =
      clientSecret === undefined ? None() : takesPost ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret);
    const configuration = new Configuration(server, clientId, { [clockTolerance]: CLOCK_SKEW }, authentication);
    configuration.timeout = TIMEOUT_SECONDS;
    configuration[library.customFetch] = fetchTokens;
    // The configuration admits http on loopback only, and in development.
    if (this.#settings.discoveryUrl.startsWith('http:')) allowInsecureRequests(configuration);
    return configuration;
  }

  /** @throws AppError `unavailable`, also where the document names another issuer (OIDC Discovery 1.0, 4.3) */
  async #discover(): Promise<ServerMetadata> {
    try {
      const signal = timeoutSignal(this.#clock, TIMEOUT_SECONDS * 1000);
      const { body } = await fetchJson(new URL(this.#settings.discoveryUrl), { signal, httpAgent: undefined });
      const found = metadata.parse(body);
      if (found.issuer !== this.#settings.issuer) throw new Error('the discovery document names another issuer');
      return found as ServerMetadata;
    } catch (error) {
      throw identityUnavailable(RETRY_SECONDS, error);
    }
  }
}

/**
 * The library reads responses of any size, and rejects members that it has no use for here: issuers send what they don't
 * give as null or empty, and the scope as a list.
 */
async function fetchTokens(url: string, options: CustomFetchOptions): Promise<Response> {
  const { body, status, headers } = await fetch(url, options as RequestInit);
  const tooLarge = () => new Error(`the token endpoint responded with more than ${MAX_TOKENS_BYTES} bytes`);
  const read = body && (await readCapped(body, MAX_TOKENS_BYTES, tooLarge));
  return new Response(status === 200 && read !== null ? usedTokens(read.toString()) : read, { status, headers });
}

/** What is used of a response with tokens (RFC 6749, 5.1; OIDC Core 3.1.3.3). What is no JSON object stays as it is. */
function usedTokens(json: string): string {
  try {
    const tokens: unknown = JSON.parse(json);
    if (!isObject(tokens)) return json;
    const { access_token, token_type, id_token } = tokens;
    return JSON.stringify({ access_token, token_type, id_token });
  } catch {
    return json;
  }
}

/** The library's errors may quote the issuer's response, so only their codes are kept. */
async function toAppError(error: unknown): Promise<AppError> {
  const { AuthorizationResponseError, ClientError, ResponseBodyError, WWWAuthenticateChallengeError } = await load();
  if (error instanceof AuthorizationResponseError) {
    return new AppError('forbidden', 'You were not signed in.', { cause: new Error(`the issuer responded ${codeIn(error.error)}`) });
  }
  if (error instanceof ResponseBodyError) return notAccepted(new Error(`the token endpoint responded ${codeIn(error.error)}`));
  // A client that it rejects, after a secret in the header: RFC 6749, 5.2.
  if (error instanceof WWWAuthenticateChallengeError) return notAccepted(new Error(`the token endpoint responded ${error.status}`));
  if (error instanceof ClientError && error.code !== 'OAUTH_TIMEOUT' && error.code !== 'OAUTH_ABORT') {
    return new AppError('forbidden', 'This sign-in is not valid. Start again.', { cause: new Error(error.code ?? 'invalid response') });
  }
  return identityUnavailable(RETRY_SECONDS, error);
}

function notAccepted(cause: Error): AppError {
  return new AppError('provider_error', 'The identity provider did not accept the sign-in.', { cause });
}

/** An error code as of RFC 6749, 4.1.2.1. */
function codeIn(error: string): string {
  return /^\w{1,60}$/.test(error) ? error : 'with an error';
}
