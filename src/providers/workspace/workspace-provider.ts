import { z } from 'zod';
import type { Limits, WorkspaceSettings } from '../../config/config.ts';
import { AppError } from '../../errors.ts';
import { type Telemetry, UNMEASURED } from '../../observability/telemetry.ts';
import { deadline } from '../deadline.ts';
import type { Renewal } from '../provider.ts';
import { fetchJson, type JsonAnswer, outcomeOfStatus } from '../provider-fetch.ts';
import { identifier, shownText, shownWhole, wrongFields } from '../provider-text.ts';
import { readRenewal } from './workspace-renewal.ts';
import { grantedScopes, REQUESTED_SCOPES } from './workspace-scopes.ts';
import { type IssuedTokens, lifetime, oauthErrors, tokenAnswer, tokensIn } from './workspace-tokens.ts';

/** How long the provider may take, milliseconds. */
export type ProviderLimits = Pick<Limits, 'providerTimeoutMs' | 'refreshTimeoutMs'>;

export interface AuthorizationRequest {
  state: string;
  nonce: string;
  /** S256 challenge (RFC 7636). */
  codeChallenge: string;
  loginHint: string | undefined;
}

export interface WorkspaceTokens extends IssuedTokens {
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
  email: shownWhole(320),
  email_verified: z.union([z.boolean(), z.stringbool()]).catch(false),
  name: shownText(500),
  picture: shownWhole(2048),
});

/**
 * The workspace provider's OAuth endpoints (Google: OAuth 2.0 for web server
 * applications, OpenID Connect). Tokens are exchanged here and not by the
 * SDK, which refreshes on its own and puts secrets into its errors.
 */
export class WorkspaceProvider {
  readonly #settings: WorkspaceSettings;
  readonly #callbackUrl: string;
  readonly #limits: ProviderLimits;
  readonly #telemetry: Telemetry;

  constructor(settings: WorkspaceSettings, callbackUrl: string, limits: ProviderLimits, telemetry: Telemetry = UNMEASURED) {
    this.#telemetry = telemetry;
    this.#settings = settings;
    this.#callbackUrl = callbackUrl;
    this.#limits = limits;
  }

  get issuer(): string {
    return this.#settings.issuer;
  }

  /** A deadline for one step at the provider, all its requests together. */
  deadline(): AbortSignal {
    return deadline(this.#limits.providerTimeoutMs);
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
   * @param signal ends the wait for the answer; one that comes all the same is still read for its tokens
   * @param issued told of the tokens as soon as they are here, before anything is checked, and be it after the wait
   * @throws AppError `provider_error`, `provider_timeout`
   */
  async exchange(
    code: string,
    verifier: string,
    nonce: string,
    signal: AbortSignal,
    issued: (tokens: IssuedTokens) => void,
  ): Promise<WorkspaceTokens> {
    const sentAt = Date.now();
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
      deadline(this.#limits.refreshTimeoutMs),
    ).then((answer) => {
      const tokens = answer.status === 200 ? tokensIn(answer.body) : undefined;
      if (tokens !== undefined) issued(tokens);
      return answer;
    });
    const answer = await inTime(request, signal);
    const parsed = tokenAnswer.safeParse(answer.body);
    if (answer.status !== 200 || !parsed.success) throw refused('token', answer, parsed.error);
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
   * Gets another access token (RFC 6749, 6). Ends by a deadline of its own, a long one: whoever gives up an answer that
   * may still come loses the token that the provider has put into the place of the old one.
   */
  async refresh(refreshToken: string): Promise<Renewal> {
    try {
      const { clientId, clientSecret } = this.#settings;
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId, client_secret: clientSecret };
      return readRenewal(await this.#post('refresh', this.#settings.tokenUrl, form, deadline(this.#limits.refreshTimeoutMs)));
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
    if (answer.status !== 200 || !parsed.success) throw refused('userinfo', answer, parsed.error);
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
    throw refused('revoke', answer);
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
    const checks = {
      iss: issuers.includes(claims.iss ?? ''),
      aud: audience.includes(this.#settings.clientId),
      nonce: claims.nonce === nonce,
      exp: current,
      sub: identifier.safeParse(claims.sub).success,
    };
    const wrong = Object.entries(checks).flatMap(([name, holds]) => (holds ? [] : [name]));
    if (wrong.length === 0) return claims.sub as string;
    throw new AppError('provider_error', 'The provider’s answer is not valid.', {
      cause: new Error(`id_token: unexpected ${wrong.join(', ')}`),
    });
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

/** What an answer says, unless the signal ends the wait for it; the request itself goes on. */
async function inTime<Answer>(request: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  const { promise: impatience, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(new AppError('provider_timeout', 'The provider did not answer in time.'));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([request, impatience]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** @param fault of an answer with status 200 that could not be understood */
function refused(endpoint: string, { status, body }: JsonAnswer, fault?: z.ZodError): AppError {
  const unexpected = status === 200 && fault !== undefined ? `unexpected ${wrongFields(fault)}` : 'no OAuth error';
  const code = oauthErrors(body)[0] ?? unexpected;
  return new AppError('provider_error', 'The provider refused.', { cause: new Error(`${endpoint} endpoint: HTTP ${status}, ${code}`) });
}
