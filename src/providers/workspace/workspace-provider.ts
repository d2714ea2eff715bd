import { addAbortListener } from 'node:events';
import { z } from 'zod';
import type { Clock } from '../../clock/clock.ts';
import type { Limits, WorkspaceSettings } from '../../config/config.ts';
import { AppError } from '../../errors.ts';
import { type Telemetry, UNMEASURED } from '../../observability/telemetry.ts';
import type { Renewal } from '../shared/provider.ts';
import { identifier, shownText, shownWhole, wrongFields } from '../shared/provider-text.ts';
import { deadline } from '../transport/deadline.ts';
import { fetchJson, type JsonResponse, outcomeOfStatus } from '../transport/provider-fetch.ts';
import { readRenewal } from './workspace-renewal.ts';
import { grantedScopes, REQUESTED_SCOPES } from './workspace-scopes.ts';
import { type IssuedTokens, lifetime, oauthErrors, tokenResponse, tokensIn } from './workspace-tokens.ts';

/** Time limits for the provider, milliseconds. */
export type ProviderLimits = Pick<Limits, 'providerTimeoutMs' | 'refreshTimeoutMs'>;

export interface AuthorizationRequest {
  state: string;
  nonce: string;
  /** S256 challenge (RFC 7636). */
  codeChallenge: string;
  loginHint: string | undefined;
}

export interface WorkspaceTokens extends IssuedTokens {
  /** Granted scope URLs. */
  scopes: string[];
  /** When the access token expires. */
  expiresAt: Date;
  /** `sub` of the id_token, if there was one. */
  subject: string | undefined;
}

export interface WorkspaceProfile {
  subject: string;
  email: string;
  emailVerified: boolean;
  name: string;
  /** http(s) address, or empty. */
  picture: string;
}

const userinfoResponse = z.object({
  sub: identifier,
  email: shownWhole(320),
  email_verified: z.union([z.boolean(), z.stringbool()]).catch(false),
  name: shownText(500),
  picture: shownWhole(2048),
});

/**
 * The workspace provider's OAuth endpoints (Google: OAuth 2.0 for web server applications, OpenID Connect). The SDK is
 * not used for tokens, because it refreshes them by itself and puts secrets into its errors.
 */
export class WorkspaceProvider {
  readonly #settings: WorkspaceSettings;
  readonly #callbackUrl: string;
  readonly #limits: ProviderLimits;
  readonly #clock: Clock;
  readonly #telemetry: Telemetry;

  constructor(settings: WorkspaceSettings, callbackUrl: string, limits: ProviderLimits, clock: Clock, telemetry: Telemetry = UNMEASURED) {
    this.#clock = clock;
    this.#telemetry = telemetry;
    this.#settings = settings;
    this.#callbackUrl = callbackUrl;
    this.#limits = limits;
  }

  get issuer(): string {
    return this.#settings.issuer;
  }

  /** A deadline for all requests of one step. */
  deadline(): AbortSignal {
    return deadline(this.#clock, this.#limits.providerTimeoutMs);
  }

  /** The address of the consent page. `prompt` makes the provider show accounts and scopes each time, and return a refresh token. */
  async authorizationUrl(request: AuthorizationRequest): Promise<string> {
    const { CodeChallengeMethod, OAuth2Client } = await import('google-auth-library');
    const client = new OAuth2Client({
      clientId: this.#settings.clientId,
      redirectUri: this.#callbackUrl,
      endpoints: { oauth2AuthBaseUrl: this.#settings.authUrl },
    });
    return client.generateAuthUrl({
      access_type: 'offline',
      prompt: 'select_account consent',
      scope: [...REQUESTED_SCOPES],
      state: request.state,
      code_challenge: request.codeChallenge,
      code_challenge_method: CodeChallengeMethod.S256,
      include_granted_scopes: false,
      nonce: request.nonce,
      ...(request.loginHint !== undefined && { login_hint: request.loginHint }),
    });
  }

  /**
   * Exchanges an authorization code (RFC 6749, 4.1.3, with the PKCE verifier).
   *
   * @param signal ends the wait; a response that arrives later is still read for its tokens
   * @param issued receives the tokens as soon as they arrive, before any check, even after the wait has ended
   * @throws AppError `provider_error`, `provider_timeout`
   */
  async exchange(
    code: string,
    verifier: string,
    nonce: string,
    signal: AbortSignal,
    { issued, sent }: { issued(tokens: IssuedTokens): void; sent(response: Promise<unknown>): void },
  ): Promise<WorkspaceTokens> {
    const sentAt = this.#clock.now();
    const request = this.#post(
      'exchange',
      this.#settings.tokenUrl,
      {
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        redirect_uri: this.#callbackUrl,
        client_id: this.#settings.clientId,
        client_secret: this.#settings.clientSecret,
      },
      deadline(this.#clock, this.#limits.refreshTimeoutMs),
    ).then((response) => {
      const tokens = response.status === 200 ? tokensIn(response.body) : undefined;
      if (tokens !== undefined) issued(tokens);
      return response;
    });
    sent(request);
    const response = await inTime(request, signal);
    const parsed = tokenResponse.safeParse(response.body);
    if (response.status !== 200 || !parsed.success) throw refused('token', response, parsed.error);
    const tokens = parsed.data;
    return {
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token,
      scopes: grantedScopes(tokens.scope),
      expiresAt: new Date(sentAt + lifetime(tokens.expires_in) * 1000),
      subject: tokens.id_token === undefined ? undefined : await this.#checkIdToken(tokens.id_token, nonce),
    };
  }

  /**
   * Gets another access token (RFC 6749, 6), with a longer time limit of its own: if the response is abandoned, a rotated
   * refresh token is lost.
   */
  async refresh(refreshToken: string): Promise<Renewal> {
    try {
      const { clientId, clientSecret } = this.#settings;
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId, client_secret: clientSecret };
      return readRenewal(await this.#post('refresh', this.#settings.tokenUrl, form, deadline(this.#clock, this.#limits.refreshTimeoutMs)));
    } catch (error) {
      return { kind: 'failed', reason: error instanceof AppError ? error : new Error('the request failed'), retryAfter: 0 };
    }
  }

  /**
   * The account that a token belongs to.
   *
   * @throws AppError `provider_error`, `provider_timeout`
   */
  async profile(accessToken: string, signal: AbortSignal): Promise<WorkspaceProfile> {
    const response = await this.#fetch('userinfo', this.#settings.userinfoUrl, {
      headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' },
      signal,
    });
    const parsed = userinfoResponse.safeParse(response.body);
    if (response.status !== 200 || !parsed.success) throw refused('userinfo', response, parsed.error);
    const { sub, email, email_verified, name, picture } = parsed.data;
    const shown = URL.parse(picture);
    const isWeb = shown?.protocol === 'https:' || shown?.protocol === 'http:';
    return { subject: sub, email, emailVerified: email_verified, name, picture: isWeb ? picture : '' };
  }

  /**
   * Revokes a token (RFC 7009). A token that the provider does not know counts as revoked. A web page, or an error with
   * status 200, comes from an intermediary and confirms nothing.
   *
   * @throws AppError when the provider did not confirm
   */
  async revoke(token: string): Promise<void> {
    const response = await this.#post('revoke', this.#settings.revokeUrl, { token }, this.deadline());
    const isRefused = response.body === undefined || oauthErrors(response.body).length > 0;
    if (response.status === 200 && !isRefused) return;
    if (response.status === 400 && oauthErrors(response.body).includes('invalid_token')) return;
    throw refused('revoke', response);
  }

  async #post(operation: string, url: string, form: Record<string, string>, signal: AbortSignal) {
    return this.#fetch(operation, url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(form).toString(),
      signal,
    });
  }

  #fetch(operation: string, url: string, init: Omit<Parameters<typeof fetchJson>[1], 'clock'>): Promise<JsonResponse> {
    const step = { kind: 'provider', name: 'workspace', operation } as const;
    return this.#telemetry.step(
      step,
      () => fetchJson(url, { ...init, clock: this.#clock }),
      ({ status }) => outcomeOfStatus(status),
    );
  }

  /** The token came directly from the provider over TLS, which replaces the check of its signature (OpenID Connect Core, 3.1.3.7, 6). */
  async #checkIdToken(idToken: string, nonce: string): Promise<string> {
    const claims = await decode(idToken);
    const issuers = [this.#settings.issuer, this.#settings.issuer.replace(/^https:\/\//, '')];
    const audience = [claims.aud].flat();
    const current = typeof claims.exp === 'number' && claims.exp * 1000 > this.#clock.now() - 60_000;
    const checks = {
      iss: issuers.includes(claims.iss ?? ''),
      aud: audience.includes(this.#settings.clientId),
      nonce: claims.nonce === nonce,
      exp: current,
      sub: identifier.safeParse(claims.sub).success,
    };
    const wrong = Object.entries(checks).flatMap(([name, holds]) => (holds ? [] : [name]));
    if (wrong.length === 0) return claims.sub as string;
    throw new AppError('provider_error', 'The provider’s response is not valid.', {
      cause: new Error(`id_token: unexpected ${wrong.join(', ')}`),
    });
  }
}

async function decode(idToken: string) {
  const { decodeJwt } = await import('jose/jwt/decode');
  try {
    return decodeJwt(idToken);
  } catch {
    throw new AppError('provider_error', 'The provider’s response is not valid.', { cause: new Error('id_token is not a JWT') });
  }
}

/** The response, unless the signal ends the wait; the request itself continues. */
async function inTime<ApiResponse>(request: Promise<ApiResponse>, signal: AbortSignal): Promise<ApiResponse> {
  const { promise: impatience, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(new AppError('provider_timeout', 'The provider did not respond in time.'));
  using _listening = addAbortListener(signal, onAbort);
  return await Promise.race([request, impatience]);
}

/** @param fault of a response with status 200 that is invalid */
function refused(endpoint: string, { status, body }: JsonResponse, fault?: z.ZodError): AppError {
  const unexpected = status === 200 && fault !== undefined ? `unexpected ${wrongFields(fault)}` : 'no OAuth error';
  const code = oauthErrors(body)[0] ?? unexpected;
  return new AppError('provider_error', 'The provider refused.', { cause: new Error(`${endpoint} endpoint: HTTP ${status}, ${code}`) });
}
