import { z } from 'zod';
import { AppError } from '../errors.ts';
import type { WorkspaceSettings } from '../settings.ts';
import { type Telemetry, UNMEASURED } from '../telemetry.ts';
import { deadline } from './deadline.ts';
import { fetchJson, type JsonAnswer } from './fetch-json.ts';
import { outcomeOfStatus } from './outcome.ts';
import { identifier, providerText } from './provider-text.ts';
import { type Renewal, readRenewal } from './workspace-renewal.ts';
import { grantedScopes, REQUESTED_SCOPES } from './workspace-scopes.ts';
import { lifetime, oauthErrors, tokenAnswer } from './workspace-tokens.ts';

export interface AuthorizationRequest {
  state: string;
  nonce: string;
  /** S256 challenge (RFC 7636). */
  codeChallenge: string;
  loginHint: string | undefined;
}

export interface WorkspaceTokens {
  accessToken: string;
  refreshToken: string | undefined;
  /** Scope URLs really granted. */
  scopes: string[];
  /** When the access token ends. */
  expiresAt: Date;
  /** `sub` of the id_token, where one came. */
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

const userinfoAnswer = z.object({
  sub: identifier,
  email: providerText(320).default(''),
  email_verified: z.union([z.boolean(), z.stringbool()]).default(false),
  name: providerText(500).default(''),
  picture: providerText(2048).default(''),
});

/**
 * The workspace provider's OAuth endpoints (Google: OAuth 2.0 for web server
 * applications, OpenID Connect). Tokens are exchanged here and not by the
 * SDK, which refreshes on its own and puts secrets into its errors.
 */
export class WorkspaceProvider {
  readonly #settings: WorkspaceSettings;
  readonly #callbackUrl: string;
  readonly #timeoutMs: number;
  readonly #telemetry: Telemetry;

  constructor(settings: WorkspaceSettings, callbackUrl: string, timeoutMs: number, telemetry: Telemetry = UNMEASURED) {
    this.#telemetry = telemetry;
    this.#settings = settings;
    this.#callbackUrl = callbackUrl;
    this.#timeoutMs = timeoutMs;
  }

  get issuer(): string {
    return this.#settings.issuer;
  }

  /** A deadline for one step at the provider, all its requests together. */
  deadline(): AbortSignal {
    return deadline(this.#timeoutMs);
  }

  /** The consent page's address. `prompt` makes the provider show accounts and scopes each time, so that a refresh token comes back. */
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
   * @throws AppError `provider_error`, `provider_timeout`
   */
  async exchange(code: string, verifier: string, nonce: string, signal: AbortSignal): Promise<WorkspaceTokens> {
    const sentAt = Date.now();
    const answer = await this.#post(
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
      signal,
    );
    const parsed = tokenAnswer.safeParse(answer.body);
    if (answer.status !== 200 || !parsed.success) throw refused('token', answer.status, answer.body);
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
   * Gets another access token (RFC 6749, 6). Ends by a deadline of its own: a caller who gives up must not
   * end what others wait for, nor lose a token that the provider has rotated.
   */
  async refresh(refreshToken: string): Promise<Renewal> {
    try {
      const { clientId, clientSecret } = this.#settings;
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId, client_secret: clientSecret };
      return readRenewal(await this.#post('refresh', this.#settings.tokenUrl, form, this.deadline()));
    } catch (error) {
      return { kind: 'failed', reason: error instanceof AppError ? error : new Error('the request failed'), retryAfter: 0 };
    }
  }

  /**
   * Whose account a token opens.
   *
   * @throws AppError `provider_error`, `provider_timeout`
   */
  async profile(accessToken: string, signal: AbortSignal): Promise<WorkspaceProfile> {
    const answer = await this.#fetch('userinfo', this.#settings.userinfoUrl, {
      headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' },
      signal,
    });
    const parsed = userinfoAnswer.safeParse(answer.body);
    if (answer.status !== 200 || !parsed.success) throw refused('userinfo', answer.status, answer.body);
    const { sub, email, email_verified, name, picture } = parsed.data;
    const shown = URL.parse(picture);
    const isWeb = shown?.protocol === 'https:' || shown?.protocol === 'http:';
    return { subject: sub, email, emailVerified: email_verified, name, picture: isWeb ? picture : '' };
  }

  /**
   * Revokes a token (RFC 7009); one that the provider doesn't know is as good as revoked. A web page, or an error with
   * status 200, comes from something that stands before the provider and confirms nothing.
   *
   * @throws AppError when the provider did not confirm
   */
  async revoke(token: string): Promise<void> {
    const answer = await this.#post('revoke', this.#settings.revokeUrl, { token }, this.deadline());
    const isRefused = answer.body === undefined || oauthErrors(answer.body).length > 0;
    if (answer.status === 200 && !isRefused) return;
    if (answer.status === 400 && oauthErrors(answer.body).includes('invalid_token')) return;
    throw refused('revoke', answer.status, answer.body);
  }

  async #post(operation: string, url: string, form: Record<string, string>, signal: AbortSignal) {
    return this.#fetch(operation, url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(form),
      signal,
    });
  }

  #fetch(operation: string, url: string, init: RequestInit & { signal: AbortSignal }): Promise<JsonAnswer> {
    const step = { kind: 'provider', name: 'workspace', operation } as const;
    return this.#telemetry.step(
      step,
      () => fetchJson(url, init),
      ({ status }) => outcomeOfStatus(status),
    );
  }

  /** The token came straight from the provider over TLS, which stands in for its signature (OpenID Connect Core, 3.1.3.7, 6). */
  async #checkIdToken(idToken: string, nonce: string): Promise<string> {
    const claims = await decode(idToken);
    const issuers = [this.#settings.issuer, this.#settings.issuer.replace(/^https:\/\//, '')];
    const audience = [claims.aud].flat();
    const current = typeof claims.exp === 'number' && claims.exp * 1000 > Date.now() - 60_000;
    if (
      !issuers.includes(claims.iss ?? '') ||
      !audience.includes(this.#settings.clientId) ||
      claims.nonce !== nonce ||
      !current ||
      !identifier.safeParse(claims.sub).success
    ) {
      throw new AppError('provider_error', 'The provider’s answer is not valid.', {
        cause: new Error('id_token: iss, aud, nonce, exp or sub is wrong'),
      });
    }
    return claims.sub as string;
  }
}

async function decode(idToken: string) {
  const { decodeJwt } = await import('jose/jwt/decode');
  try {
    return decodeJwt(idToken);
  } catch {
    throw new AppError('provider_error', 'The provider’s answer is not valid.', { cause: new Error('id_token is not a JWT') });
  }
}

function refused(endpoint: string, status: number, body: unknown): AppError {
  const code = oauthErrors(body)[0] ?? 'no OAuth error';
  return new AppError('provider_error', 'The provider refused.', { cause: new Error(`${endpoint} endpoint: HTTP ${status}, ${code}`) });
}
