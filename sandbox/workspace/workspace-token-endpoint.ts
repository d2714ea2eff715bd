import { createHash, timingSafeEqual } from 'node:crypto';
import { EMAIL, OPENID } from '../consent-scopes.ts';
import type { Controls } from '../controls.ts';
import type { Signer } from '../identity/identity-keys.ts';
import type { Consent, Grants, Token } from './workspace-grants.ts';

/** Behavior that varies at the real provider. Tests change it, and a restart resets it. */
export interface Behaviour {
  tokenLifeSeconds: number;
  /** Replaces the value of `expires_in`. */
  reportedExpiresIn: number | string | undefined;
  /** `strict`: every refresh returns a new refresh token and revokes the old one. */
  rotation: 'off' | 'strict';
  omitRefreshToken: boolean;
  omitIdToken: boolean;
}

export interface TokenResponse {
  status: 200 | 400 | 401;
  body: Record<string, unknown>;
}

export interface TokenEndpointOptions {
  client: { id: string; secret: string };
  issuer: string;
  grants: Grants;
  signer: Signer;
  controls: Controls;
  behaviour: Behaviour;
}

/** Fields of a token request. */
export type TokenRequest = Record<string, string>;

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;
const ID_TOKEN_LIFE_SECONDS = 3_600;

/** The token endpoint (RFC 6749, 3.2), with the provider's error codes. */
export class TokenEndpoint {
  readonly #options: TokenEndpointOptions;

  constructor(options: TokenEndpointOptions) {
    this.#options = options;
  }

  /**
   * Responds to a token request.
   *
   * @param authorization the Authorization header; Basic credentials take precedence over those of the form
   */
  handle(form: TokenRequest, authorization: string | undefined): Promise<TokenResponse> | TokenResponse {
    const { controls } = this.#options;
    if (form.grant_type === 'authorization_code') controls.count('workspace', 'exchanges');
    if (form.grant_type === 'refresh_token') controls.count('workspace', 'refreshes');
    if (!this.#isClient(form, authorization)) return errorResponse('invalid_client', 'The OAuth client was not found.', 401);
    if (form.grant_type === 'authorization_code') return this.#exchange(form);
    if (form.grant_type === 'refresh_token') return this.#refresh(form);
    if (form.grant_type === undefined) return errorResponse('invalid_request', 'Missing parameter: grant_type');
    return errorResponse('unsupported_grant_type', 'Invalid grant_type');
  }

  #isClient(form: TokenRequest, authorization: string | undefined): boolean {
    const { client } = this.#options;
    const given = basicCredentials(authorization) ?? { id: form.client_id ?? '', secret: form.client_secret ?? '' };
    return same(given.id, client.id) && same(given.secret, client.secret);
  }

  async #exchange(form: TokenRequest): Promise<TokenResponse> {
    const { grants, behaviour } = this.#options;
    if (form.code === undefined) return errorResponse('invalid_request', 'Missing required parameter: code');
    const consent = grants.consentOf(form.code);
    if (consent === undefined) return errorResponse('invalid_grant', 'Malformed auth code.');
    if (form.redirect_uri !== consent.redirectUri) return errorResponse('redirect_uri_mismatch', 'Bad Request');
    if (form.code_verifier === undefined) return errorResponse('invalid_grant', 'Missing code verifier.');
    if (!provesChallenge(form.code_verifier, consent.challenge)) return errorResponse('invalid_grant', 'Invalid code verifier.');
    const grant = grants.redeem(form.code);
    const { sub, scopes } = consent;
    const refreshToken = consent.offline && !behaviour.omitRefreshToken ? grants.issue({ kind: 'refresh', sub, scopes, grant }) : undefined;
    return this.#tokens({ sub, scopes, grant }, refreshToken, consent);
  }

  #refresh(form: TokenRequest): Promise<TokenResponse> | TokenResponse {
    const { grants, behaviour } = this.#options;
    if (form.refresh_token === undefined) return errorResponse('invalid_request', 'Missing required parameter: refresh_token');
    const token = grants.find(form.refresh_token);
    if (token?.kind !== 'refresh') return errorResponse('invalid_grant', 'Token has been expired or revoked.');
    if (behaviour.rotation === 'off') return this.#tokens(token, undefined);
    grants.discard(form.refresh_token);
    return this.#tokens(token, grants.issue({ kind: 'refresh', sub: token.sub, scopes: token.scopes, grant: token.grant }));
  }

  async #tokens(
    { sub, scopes, grant }: Pick<Token, 'sub' | 'scopes' | 'grant'>,
    refreshToken?: string,
    consent?: Consent,
  ): Promise<TokenResponse> {
    const { grants, behaviour } = this.#options;
    const accessToken = grants.issue({ kind: 'access', sub, scopes, grant }, behaviour.tokenLifeSeconds);
    const body: Record<string, unknown> = {
      access_token: accessToken,
      expires_in: behaviour.reportedExpiresIn ?? behaviour.tokenLifeSeconds,
      scope: scopes.join(' '),
      token_type: 'Bearer',
    };
    if (refreshToken !== undefined) body.refresh_token = refreshToken;
    if (scopes.includes(OPENID) && !behaviour.omitIdToken) {
      body.id_token = await this.#idToken({ sub, scopes, accessToken, nonce: consent?.nonce });
    }
    return { status: 200, body };
  }

  /** An ID token of the account (OpenID Connect Core, 2, and 3.1.3.6 for at_hash). */
  #idToken(about: { sub: string; scopes: string[]; accessToken: string; nonce: string | undefined }): Promise<string> {
    const { client, issuer, grants, signer, controls } = this.#options;
    const now = Math.floor(controls.now() / 1_000);
    const email = about.scopes.includes(EMAIL) ? grants.account(about.sub)?.email : undefined;
    return signer.sign({
      iss: issuer,
      azp: client.id,
      aud: client.id,
      sub: about.sub,
      ...(email === undefined ? {} : { email, email_verified: true }),
      ...(about.nonce === undefined ? {} : { nonce: about.nonce }),
      at_hash: createHash('sha256').update(about.accessToken).digest().subarray(0, 16).toString('base64url'),
      iat: now,
      exp: now + ID_TOKEN_LIFE_SECONDS,
    });
  }
}

function errorResponse(error: string, description: string, status: 400 | 401 = 400): TokenResponse {
  return { status, body: { error, error_description: description } };
}

/** RFC 6749, 2.3.1: identifier and secret are form-encoded in a Basic header. */
function basicCredentials(authorization: string | undefined): { id: string; secret: string } | undefined {
  const encoded = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 2);
  const decoded = new URLSearchParams(`id=${id}&secret=${secret}`);
  return { id: decoded.get('id') ?? '', secret: decoded.get('secret') ?? '' };
}

function provesChallenge(verifier: string, challenge: string): boolean {
  return VERIFIER.test(verifier) && same(createHash('sha256').update(verifier).digest('base64url'), challenge);
}

function same(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(left), digest(right));
}
