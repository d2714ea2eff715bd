import { createHash } from 'node:crypto';
import type { OidcSettings, SignInSettings } from '../../src/config/config.ts';
import type { Controls } from '../controls.ts';
import type { EmulatorOptions } from '../emulator-options.ts';
import { IdentityAuthorization } from './identity-authorization.ts';
import { Signer, type StoredKey } from './identity-keys.ts';

const TOKEN_LIFE_SECONDS = 3_600;

/** A local OpenID Connect issuer that signs in any user: the identity provider of development. */
export class IdentityIssuer {
  readonly settings: OidcSettings;
  /** The client of the service's own pages. */
  readonly signIn: SignInSettings;
  readonly authorization: IdentityAuthorization;
  readonly #signer: Signer;
  readonly #controls: Controls;
  readonly #root: string;
  /** As browsers see it. */
  readonly #publicRoot: string;

  constructor(options: EmulatorOptions & { signingKey: StoredKey }) {
    this.#signer = new Signer(options.signingKey);
    this.#controls = options.controls;
    this.#root = `${options.selfUrl}/sandbox/identity`;
    this.settings = {
      kind: 'oidc',
      // Users are identified by issuer and subject, so neither may contain the port, which changes between starts.
      issuer: 'https://identity.sandbox.invalid',
      audience: 'steward',
      discoveryUrl: `${this.#root}/.well-known/openid-configuration`,
    };
    const { issuer, audience: clientId } = this.settings;
    this.#publicRoot = `${options.publicUrl}/sandbox/identity`;
    this.signIn = { clientId, clientSecret: undefined };
    const redirectUri = `${options.publicUrl}/auth/session/callback`;
    this.authorization = new IdentityAuthorization({ clientId, redirectUri, issuer, controls: options.controls });
  }

  get keySet(): { keys: object[] } {
    return this.#signer.keySet;
  }

  /** The discovery document (OpenID Connect Discovery, 3). */
  get discovery(): object {
    return {
      issuer: this.settings.issuer,
      authorization_endpoint: `${this.#publicRoot}/authorize`,
      token_endpoint: `${this.#root}/token`,
      jwks_uri: `${this.#root}/jwks.json`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    };
  }

  /** Signs in `user`: an ID token that is valid for one hour. @param nonce of the authorization request */
  async issue(user: string, nonce?: string): Promise<{ id_token: string; expires_in: number }> {
    const now = Math.floor(this.#controls.now() / 1_000);
    const token = await this.#signer.sign({
      iss: this.settings.issuer,
      aud: this.settings.audience,
      sub: createHash('sha256').update(`identity:${user}`).digest('base64url').slice(0, 28),
      email: `${user}@example.com`,
      email_verified: true,
      name: displayName(user),
      auth_time: now,
      iat: now,
      exp: now + TOKEN_LIFE_SECONDS,
      ...(nonce !== undefined && { nonce }),
    });
    return { id_token: token, expires_in: TOKEN_LIFE_SECONDS };
  }
}

/** A display name derived from a login: `ana.mueller` → `Ana Mueller`. */
export function displayName(login: string): string {
  const words = login.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ') || login;
}
