import { hash, randomBytes } from 'node:crypto';

/** 256 random bits for states, tickets, verifiers and cookies, as 43 characters of base64url. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Stored in place of a secret that is only compared. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

/** PKCE S256 (RFC 7636, 4.2). */
export function codeChallenge(verifier: string): string {
  return hash('sha256', verifier, 'base64url');
}
