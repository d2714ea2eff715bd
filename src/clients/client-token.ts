import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'stw_pat_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_CHARACTERS = 30;
const CHECKSUM_CHARACTERS = 6;
const FORM = /^stw_pat_[0-9A-Za-z]{36}$/;

/**
 * A new personal access token: the prefix, by which secret scanners find it, 178 random bits in base62, and their CRC-32
 * (the form of GitHub's tokens: github.blog, "Behind GitHub’s new authentication token formats").
 */
export function newClientToken(): string {
  const secret = Array.from({ length: SECRET_CHARACTERS }, () => DIGITS[randomInt(DIGITS.length)]).join('');
  return PREFIX + secret + checksumOf(secret);
}

/** Whether a credential is meant as a personal access token. */
export function isClientToken(credential: string): boolean {
  return credential.startsWith(PREFIX);
}

/** Whether a token has the form of one, and its checksum: others are rejected without a look-up. */
export function isWellFormed(token: string): boolean {
  const secret = token.slice(PREFIX.length, PREFIX.length + SECRET_CHARACTERS);
  return FORM.test(token) && token.endsWith(checksumOf(secret));
}

export function hashOfToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function checksumOf(secret: string): string {
  let rest = crc32(secret);
  let digits = '';
  for (let place = 0; place < CHECKSUM_CHARACTERS; place += 1) {
    digits = `${DIGITS[rest % DIGITS.length]}${digits}`;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
