import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits for states, tickets, verifiers and cookies, as 43 characters of base64url. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a secret that only has to be recognised again. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** PKCE S256 (RFC 7636, 4.2). */
export function codeChallenge(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
