import { createPublicKey, type JsonWebKey } from 'node:crypto';
import type { JSONWebKeySet, JWK } from 'jose';
import { z } from 'zod';
import { isFactorable } from './roca.ts';

const MIN_RSA_BITS = 2_048;
const PRIVATE_PARAMETERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'];

/** A JWK that verifies signatures (RFC 7517 4). A key with published private parameters proves nothing. */
const signingKeySchema = z
  .looseObject({
    kty: z.enum(['RSA', 'EC', 'OKP']),
    // An issuer with a single key needs no id for it (RFC 7517 4.5).
    kid: z.string().optional(),
    use: z.literal('sig').optional(),
    key_ops: z
      .array(z.string())
      .refine((operations) => operations.includes('verify'))
      .optional(),
    alg: z.string().optional(),
  })
  .refine((jwk) => !PRIVATE_PARAMETERS.some((name) => name in jwk));

/**
 * The keys of a set that may verify ID tokens, the first for each key id. Others are skipped (RFC 7517 5).
 *
 * @throws Error if no key remains
 */
export function signingKeys(candidates: readonly unknown[]): JSONWebKeySet {
  const keys = new Map<string | undefined, JWK>();
  for (const candidate of candidates) {
    const { success, data } = signingKeySchema.safeParse(candidate);
    if (success && !keys.has(data.kid) && isStrong(data)) keys.set(data.kid, data as JWK);
  }
  if (keys.size === 0) throw new Error('the key set holds no usable key');
  return { keys: [...keys.values()] };
}

function isStrong(jwk: JsonWebKey): boolean {
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const bits = key.asymmetricKeyDetails?.modulusLength;
    return bits === undefined || (bits >= MIN_RSA_BITS && !isFactorable(key));
  } catch {
    return false;
  }
}
