import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { SignJWT } from 'jose/jwt/sign';

/** A signing key as stored: a private RSA JWK (RFC 7517). */
export interface StoredKey {
  kid: string;
  jwk: Record<string, unknown>;
}

/** Generates an RSA key for RS256. */
export function generateKey(): StoredKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { kid: randomUUID(), jwk: { ...privateKey.export({ format: 'jwk' }) } };
}

/** Signs ID tokens and publishes the key that verifies them. */
export class Signer {
  readonly #kid: string;
  readonly #key: KeyObject;

  constructor(stored: StoredKey) {
    this.#kid = stored.kid;
    this.#key = createPrivateKey({ key: stored.jwk, format: 'jwk' });
  }

  /** The public JWK Set. */
  get keySet(): { keys: object[] } {
    const jwk = createPublicKey(this.#key).export({ format: 'jwk' });
    return { keys: [{ ...jwk, kid: this.#kid, alg: 'RS256', use: 'sig' }] };
  }

  /** A compact JWS of `claims`, RS256. */
  sign(claims: JWTPayload): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: this.#kid, typ: 'JWT' }).sign(this.#key);
  }
}
