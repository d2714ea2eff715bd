import { addAbortListener } from 'node:events';
import { z } from 'zod';
import { type Clock, timeoutSignal } from '../../clock/clock.ts';
import type { Limits } from '../../config/config.ts';
import { AppError } from '../../errors.ts';
import type { Telemetry } from '../../observability/telemetry.ts';
import type { Outbound } from '../../outbound/checked-fetch.ts';
import { scopeNames } from '../../validation/scope-names.ts';
import type { Renewal } from '../shared/provider.ts';
import { identifier, optionalField, shownWhole } from '../shared/provider-text.ts';
import { outcomeOfStatus, retryAfterSeconds } from '../transport/provider-fetch.ts';
import { identifyClient } from './authorization-client.ts';
import { discover, unusable } from './authorization-discovery.ts';
import { type AuthorizationHttp, type AuthorizationResponse, errorCodeOf, postAsClient } from './authorization-http.ts';
import { accessCredential, type IssuedTokens, type RefreshCredential, readRefresh, refreshCredential } from './credentials.ts';
import { CLIENT_DOCUMENT_PATH } from './own-addresses.ts';
import type {
  AuthorizationAnswer,
  AuthorizationRequest,
  ExchangeHooks,
  SourceAuthorization,
  SourceClients,
  SourceTokens,
} from './source-authorization.ts';
import type { SourceSettings } from './source-settings.ts';

const token = z.string().min(1).max(16_384);
/** RFC 6749, 5.1. */
const tokenResponse = z.object({
  access_token: token,
  token_type: optionalField(z.string().regex(/^bearer$/i)),
  expires_in: z.coerce.number().positive().optional().catch(undefined),
  refresh_token: optionalField(token).catch(undefined),
  scope: z.string().max(16_384).optional().catch(undefined),
  id_token: z.string().max(16_384).optional().catch(undefined),
});
type TokenResponse = z.output<typeof tokenResponse>;

const claims = z.object({ iss: z.string(), sub: identifier, email: shownWhole(320), preferred_username: shownWhole(320) });

const PREPARATION_MS = 25_000;
const MAX_LIFE_SECONDS = 30 * 24 * 3600;
const DEFAULT_LIFE_SECONDS = 3600;
/** The last of each is GitHub's own. */
const ENDED = new Set(['invalid_grant', 'access_denied', 'invalid_target', 'invalid_scope', 'bad_refresh_token']);
const MISCONFIGURED = new Set(['invalid_client', 'unauthorized_client', 'incorrect_client_credentials']);

export interface AuthorizerOptions {
  outbound: Outbound;
  clients: SourceClients;
  /** {base_url} as browsers see it. */
  publicUrl: string;
  limits: Pick<Limits, 'providerTimeoutMs' | 'refreshTimeoutMs'>;
  clock: Clock;
  telemetry: Telemetry;
}

/** Connecting to sources by OAuth. Endpoints come from the flow or the credential, never from a second discovery. */
export class SourceAuthorizer implements SourceAuthorization {
  readonly #options: AuthorizerOptions;
  readonly #http: AuthorizationHttp;
  /** A refresh has longer: if its response is abandoned, a rotated refresh token is lost. */
  readonly #patient: AuthorizationHttp;

  constructor(options: AuthorizerOptions) {
    const { outbound, limits } = options;
    this.#options = options;
    this.#http = { outbound, timeoutMs: limits.providerTimeoutMs };
    this.#patient = { outbound, timeoutMs: limits.refreshTimeoutMs };
  }

  async prepare(source: SourceSettings, also?: readonly string[]): Promise<AuthorizationRequest> {
    const { clients, publicUrl, clock } = this.#options;
    const signal = timeoutSignal(clock, PREPARATION_MS);
    return this.#step('discover', source.name, async () => {
      try {
        const { server, resource, scope } = await discover(this.#http, source, signal, also);
        const options = { http: this.#http, clients, publicUrl, now: () => clock.now() };
        const client = await identifyClient(options, source, server, { resource, scope }, signal);
        return {
          source: source.name,
          url: source.url,
          issuer: server.issuer,
          announcesIss: server.authorization_response_iss_parameter_supported === true,
          authorizationEndpoint: server.authorization_endpoint,
          tokenEndpoint: server.token_endpoint,
          revocationEndpoint: server.revocation_endpoint ?? undefined,
          clientId: client.clientId,
          clientAuth: client.authMethod,
          redirectUri: client.redirectUri,
          resource,
          scope,
        };
      } catch (error) {
        throw signal.aborted ? new AppError('provider_timeout', `${source.label} did not respond in time.`) : error;
      }
    });
  }

  authorizationUrl(request: AuthorizationRequest, { state, challenge }: { state: string; challenge: string }): string {
    const url = new URL(request.authorizationEndpoint);
    const parameters = {
      response_type: 'code',
      client_id: request.clientId,
      redirect_uri: request.redirectUri,
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      resource: request.resource,
      ...(request.scope !== '' && { scope: request.scope }),
      // OpenID Connect Core, 11: without it, offline_access may be left out.
      ...(request.scope.split(' ').includes('offline_access') && { prompt: 'consent' }),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  isOfIssuer({ issuer, announcesIss }: AuthorizationRequest, iss: string | undefined): boolean {
    return iss === undefined ? !announcesIss : iss === issuer;
  }

  async exchange(
    request: AuthorizationRequest,
    { code, iss, verifier }: AuthorizationAnswer,
    signal: AbortSignal,
    hooks: ExchangeHooks,
  ): Promise<SourceTokens> {
    const source = this.#settings(request);
    if (!this.isOfIssuer(request, iss)) throw unusable(source, 'its answer is not of its authorization server', 'iss');
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: request.redirectUri };
    const now = this.#options.clock.now();
    const sending = this.#post('exchange', request, form).then((response) => {
      const given = this.#issuedBy(request, response.body);
      if (given !== undefined && response.status === 200) hooks.issued(given.tokens);
      return { response, given };
    });
    hooks.sent(sending);
    const { response, given } = await inTime(sending, signal);
    if (response.status !== 200 || given === undefined) {
      throw unusable(source, 'it refused the sign-in', `token endpoint: HTTP ${response.status}, ${errorCodeOf(response.body)}`);
    }
    const { expires_in: expiresIn, scope, id_token: idToken, refresh_token: refreshToken } = given.response;
    const who = idToken === undefined ? undefined : await this.#claimsOf(idToken, request);
    const isLasting = refreshToken === undefined && expiresIn === undefined;
    return {
      ...given.tokens,
      scopes: scopeNames(scope ?? request.scope),
      expiresAt: isLasting ? null : new Date(now + lifeOf(expiresIn) * 1_000),
      subject: who?.sub,
      hint: who?.email || who?.preferred_username || undefined,
    };
  }

  async refresh(refreshToken: string): Promise<Renewal> {
    const credential = readRefresh(refreshToken);
    if (credential?.refreshToken === undefined) return { kind: 'ended', reason: new Error('there is no refresh token') };
    const { refreshToken: sent, scope: _, ...rest } = credential;
    try {
      const response = await this.#post('refresh', rest, { grant_type: 'refresh_token', refresh_token: sent });
      const given = this.#issuedBy({ ...credential }, response.body, sent);
      if (response.status !== 200 || given === undefined) return this.#notRenewed(response, credential);
      const { expires_in: expiresIn, scope } = given.response;
      return {
        kind: 'renewed',
        ...given.tokens,
        scopes: scope === undefined ? undefined : scopeNames(scope),
        lifeSeconds: lifeOf(expiresIn),
      };
    } catch (error) {
      if (error instanceof ClientGone) return { kind: 'misconfigured', reason: error };
      return { kind: 'failed', reason: error instanceof AppError ? error : new Error('the request failed'), retryAfter: 0 };
    }
  }

  async revoke(text: string): Promise<void> {
    const credential = readRefresh(text);
    if (credential?.revocationEndpoint === undefined) return;
    const { refreshToken, accessToken, revocationEndpoint } = credential;
    const [sent, hint] = refreshToken === undefined ? [accessToken, 'access_token'] : [refreshToken, 'refresh_token'];
    try {
      const request = { ...credential, tokenEndpoint: revocationEndpoint };
      const { status, body } = await this.#post('revoke', request, { token: sent, token_type_hint: hint });
      // RFC 7009, 2.2: a token that the server does not know is revoked.
      if ((status >= 200 && status < 300) || errorCodeOf(body) === 'invalid_token') return;
      throw new AppError('provider_error', 'The server refused.', { cause: new Error(`revocation: HTTP ${status}, ${errorCodeOf(body)}`) });
    } catch (error) {
      // Without the client that the token was given to, nothing can be revoked.
      if (!(error instanceof ClientGone)) throw error;
    }
  }

  #notRenewed({ status, body, retryAfter }: AuthorizationResponse, { source, clientId }: RefreshCredential): Renewal {
    const code = errorCodeOf(body);
    const reason = new Error(`token endpoint of ${source}: HTTP ${status}, ${code}`);
    // Some servers say 200 and an error.
    const isRejection = status === 200 || (status >= 400 && status < 500 && status !== 429);
    // A registration that the server has forgotten, or that has ended, is made anew when the user connects again.
    const { clients, publicUrl } = this.#options;
    const isRegistered = clientId !== clients.settings(source)?.clientId && clientId !== publicUrl + CLIENT_DOCUMENT_PATH;
    if (isRejection && code === 'invalid_client' && isRegistered) return { kind: 'ended', reason };
    if (isRejection && MISCONFIGURED.has(code)) return { kind: 'misconfigured', reason };
    if (isRejection && ENDED.has(code)) return { kind: 'ended', reason };
    return { kind: 'failed', reason, retryAfter: retryAfterSeconds(retryAfter, this.#options.clock) };
  }

  /** @param request whose `tokenEndpoint` is posted to; RFC 8707: with `resource`, always */
  async #post(
    operation: string,
    request: Pick<RefreshCredential, 'source' | 'issuer' | 'tokenEndpoint' | 'clientId' | 'clientAuth' | 'resource'>,
    fields: Record<string, string>,
  ): Promise<AuthorizationResponse> {
    const { clientId, clientAuth: authMethod, tokenEndpoint, resource } = request;
    const clientSecret = authMethod === 'none' ? undefined : await this.#secretOf(request);
    const client = { clientId, clientSecret, authMethod };
    const send = () => postAsClient(this.#patient, tokenEndpoint, client, { ...fields, resource });
    return this.#step(operation, request.source, send, ({ status }) => outcomeOfStatus(status));
  }

  /** @throws ClientGone */
  async #secretOf({ source, issuer, clientId }: Pick<RefreshCredential, 'source' | 'issuer' | 'clientId'>): Promise<string> {
    const { clients } = this.#options;
    const kept = (await clients.load(source)).get(issuer);
    const client = [kept, ...(kept?.earlier ?? [])].find((one) => one?.clientId === clientId);
    const settings = clients.settings(source);
    const isConfigured = client?.isConfigured === true && settings?.clientId === clientId;
    const secret = isConfigured ? settings?.clientSecret : client?.clientSecret;
    if (secret === undefined) throw new ClientGone(settings?.label ?? source);
    return secret;
  }

  #settings(request: AuthorizationRequest): SourceSettings {
    const settings = this.#options.clients.settings(request.source);
    if (settings?.url === request.url) return settings;
    throw new AppError('not_configured', 'This server is not offered any more.');
  }

  /** @param sent refresh token, which stays valid where none is given */
  #issuedBy(
    request: Omit<RefreshCredential, 'accessToken' | 'refreshToken'>,
    body: unknown,
    sent?: string,
  ): { tokens: IssuedTokens; response: TokenResponse } | undefined {
    const { data: response } = tokenResponse.safeParse(body);
    if (response === undefined) return undefined;
    const { source, url, issuer, tokenEndpoint, revocationEndpoint, clientId, clientAuth, resource, scope } = request;
    const { access_token: accessToken, refresh_token: refreshToken = sent } = response;
    const bound = { source, url, issuer, tokenEndpoint, revocationEndpoint, clientId, clientAuth, resource };
    const tokens = {
      accessToken: accessCredential({ url, token: accessToken }),
      // The requested scope stays where the answer names none.
      refreshToken: refreshCredential({ ...bound, scope: response.scope ?? scope, refreshToken, accessToken }),
    };
    return { tokens, response };
  }

  /** They come from the token endpoint itself over TLS, and are only a label (OpenID Connect Core, 3.1.3.7, 6). */
  async #claimsOf(idToken: string, { issuer, clientId }: AuthorizationRequest): Promise<z.output<typeof claims> | undefined> {
    const { decodeJwt } = await import('jose/jwt/decode');
    try {
      const read = decodeJwt(idToken);
      const isOurs = read.iss === issuer && [read.aud].flat().includes(clientId);
      return isOurs ? claims.safeParse(read).data : undefined;
    } catch {
      return undefined;
    }
  }

  #step<Result>(operation: string, source: string, work: () => Promise<Result>, outcomeOf?: (result: Result) => string): Promise<Result> {
    return this.#options.telemetry.step({ kind: 'provider', name: 'mcp', source, operation }, work, outcomeOf);
  }
}

/** The client that tokens were given to was configured otherwise, or its registration is gone. */
class ClientGone extends AppError {
  constructor(label: string) {
    super('not_configured', `Steward is no longer the client that ${label} was connected with. The operator has to look at it.`);
  }
}

/** Lifetime of a token, seconds. */
function lifeOf(expiresIn: number | undefined): number {
  return Math.min(Math.max(expiresIn ?? DEFAULT_LIFE_SECONDS, 1), MAX_LIFE_SECONDS);
}

/** The response, unless the signal ends the wait; the request itself continues. */
async function inTime<Response>(request: Promise<Response>, signal: AbortSignal): Promise<Response> {
  const { promise: impatience, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(new AppError('provider_timeout', 'The server did not respond in time.'));
  using _listening = addAbortListener(signal, onAbort);
  return await Promise.race([request, impatience]);
}
