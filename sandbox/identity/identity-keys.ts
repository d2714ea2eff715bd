import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { SignJWT } from 'jose/jwt/sign';

/** A signing key as it lies in the sandbox's state: a private RSA key in JWK form (RFC 7517). */
export interface StoredKey {
  kid: string;
  jwk: Record<string, unknown>;
}

/** Makes an RSA key for RS256, once for each issuer of the sandbox. */
export function generateKey(): StoredKey {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { kid: randomUUID(), jwk: { ...privateKey.export({ format: 'jwk' }) } };
}

/** Signs ID tokens and shows the key that verifies them. */
export class Signer {
  readonly #kid: string;
  readonly #key: KeyObject;

  constructor(stored: StoredKey) {
    this.#kid = stored.kid;
    this.#key = createPrivateKey({ key: stored.jwk, format: 'jwk' });
  }

  /** The JWK Set to publish: the public half only. */
  get keySet(): { keys: object[] } {
    const jwk = createPublicKey(this.#key).export({ format: 'jwk' });
    return { keys: [{ ...jwk, kid: this.#kid, alg: 'RS256', use: 'sig' }] };
  }

  /** A compact JWS of `claims`, RS256. */
  sign(claims: JWTPayload): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: this.#kid, typ: 'JWT' }).sign(this.#key);
  }
}
