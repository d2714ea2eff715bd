import { createHash, timingSafeEqual } from 'node:crypto';
import type { JWK } from 'jose';
import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { compactVerify } from 'jose/jws/compact/verify';
import type { Clock } from '../../clock/clock.ts';
import { AppError } from '../../errors.ts';
import type { WebhookKeys } from './bank-webhook-keys.ts';

/** Older webhooks are rejected (Plaid, "Webhook verification"). */
const MAX_AGE_SECONDS = 5 * 60;
/** Tolerance for clocks. */
const LEEWAY_SECONDS = 60;
const ALGORITHM = 'ES256';
const KEY_ID = /^[\w.-]{1,128}$/;
const SHA256 = /^[0-9a-f]{64}$/i;

/**
 * Verifies that the aggregator has recently sent these bytes: a compact JWS (RFC 7515), ES256, with the body's SHA-256 and
 * the time (Plaid: Webhook verification).
 *
 * @param proofs values of the header `Plaid-Verification`, of which there must be one
 * @returns `iat`, seconds since 1970
 * @throws AppError `invalid_token`, and what {@link WebhookKeys.find} throws
 */
export async function verifyWebhook(keys: WebhookKeys, clock: Clock, proofs: readonly string[], body: Uint8Array): Promise<number> {
  const [proof, ...others] = proofs;
  if (proof === undefined || others.length > 0) throw refused('it needs one header Plaid-Verification');
  const key = await keys.find(keyIdOf(proof));
  if (key === undefined) throw refused('its key is unknown or has expired');
  const { iat, digest } = claimsOf(await signedPayload(proof, key.jwk));
  const age = clock.now() / 1_000 - iat;
  if (age > MAX_AGE_SECONDS || age < -LEEWAY_SECONDS) throw refused('it is too old, or from the future');
  if (!timingSafeEqual(digest, createHash('sha256').update(body).digest())) throw refused('its body is another one');
  return iat;
}

/** The algorithm is fixed (RFC 8725, 3.1), and checked before a key is requested. */
function keyIdOf(proof: string): string {
  const { alg, kid } = headerOf(proof);
  if (alg !== ALGORITHM) throw refused('its signature is not ES256');
  if (typeof kid !== 'string' || !KEY_ID.test(kid)) throw refused('its key id is not one');
  return kid;
}

function headerOf(proof: string): ReturnType<typeof decodeProtectedHeader> {
  try {
    return decodeProtectedHeader(proof);
  } catch {
    throw refused('it is not signed as it has to be');
  }
}

async function signedPayload(proof: string, key: JWK): Promise<unknown> {
  try {
    const { payload } = await compactVerify(proof, key, { algorithms: [ALGORITHM] });
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
  } catch {
    throw refused('its signature is not valid');
  }
}

function claimsOf(payload: unknown): { iat: number; digest: Buffer } {
  const { iat, request_body_sha256: hash } = (payload ?? {}) as Record<string, unknown>;
  if (typeof iat !== 'number' || !Number.isSafeInteger(iat)) throw refused('it does not say when it was signed');
  if (typeof hash !== 'string' || !SHA256.test(hash)) throw refused('it does not say which body was signed');
  return { iat, digest: Buffer.from(hash, 'hex') };
}

function refused(reason: string): AppError {
  return new AppError('invalid_token', `The webhook is refused: ${reason}.`);
}
