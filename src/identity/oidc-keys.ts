import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { isLoopback, type OidcSettings } from '../config/config.ts';
import { throttledLog } from '../observability/throttled-log.ts';
import { type FetchOptions, fetchJson } from './fetch-keys.ts';
import type { VerifierContext } from './identity.ts';
import type { LoadedKeys } from './key-set.ts';
import { isFactorable } from './roca.ts';

/** A public key and the one algorithm it is meant for, where its owner names one (RFC 8725 3.1). */
export interface IssuerKey {
  key: KeyObject;
  algorithm: string | undefined;
}

const MIN_RSA_BITS = 2_048;

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.string() });
const keySetSchema = z.object({ keys: z.array(z.unknown()).max(100) });
const absent = z.never().optional();

/** A JWK that can verify signatures (RFC 7517 4, RFC 7518 6). Parameters of private or symmetric keys make it none. */
const signingKeySchema = z.looseObject({
  kty: z.enum(['RSA', 'EC', 'OKP']),
  // An issuer with a single key needs no name for it (RFC 7517 4.5).
  kid: z.string().default(''),
  use: z.literal('sig').optional(),
  key_ops: z
    .array(z.string())
    .refine((operations) => operations.includes('verify'))
    .optional(),
  alg: z.string().optional(),
  d: absent,
  k: absent,
  p: absent,
  q: absent,
  dp: absent,
  dq: absent,
  qi: absent,
});

/**
 * How to load an issuer's keys: discovery, then the key set it names (OIDC Discovery 1.0, 4).
 *
 * A document of another issuer yields no keys at all and an alarm: every token is refused (4.3).
 */
export function oidcKeyLoader(settings: OidcSettings, context: VerifierContext): (signal: AbortSignal) => Promise<LoadedKeys<IssuerKey>> {
  const alarm = throttledLog(context.logger, 'error', context.now);
  const discoveryUrl = new URL(settings.discoveryUrl);
  return async (signal) => {
    const options: FetchOptions = { signal, httpAgent: context.httpAgent };
    const discovery = discoverySchema.parse((await fetchJson(discoveryUrl, options)).body);
    if (discovery.issuer !== settings.issuer) {
      alarm({}, 'The discovery document names another issuer than OIDC_ISSUER: every ID token is refused');
      return { keys: new Map(), maxAge: undefined };
    }
    const { body, maxAge } = await fetchJson(keySetAddress(discovery.jwks_uri, discoveryUrl), options);
    return { keys: signingKeys(body), maxAge };
  };
}

function keySetAddress(address: string, discoveryUrl: URL): URL {
  const url = new URL(address);
  if (url.protocol === 'https:') return url;
  // A document that came over TLS must not send us to keys that don't.
  const plainAllowed = discoveryUrl.protocol === 'http:' || isLoopback(discoveryUrl.hostname);
  if (url.protocol !== 'http:' || !plainAllowed) throw new Error('jwks_uri is not an https address');
  return url;
}

/** @throws Error where the document holds no key set or no key of use */
function signingKeys(document: unknown): Map<string, IssuerKey> {
  const keys = new Map<string, IssuerKey>();
  for (const entry of keySetSchema.parse(document).keys) {
    const jwk = signingKeySchema.safeParse(entry);
    if (!jwk.success || keys.has(jwk.data.kid)) continue;
    const key = publicKey(entry as JsonWebKey);
    if (key !== undefined) keys.set(jwk.data.kid, { key, algorithm: jwk.data.alg });
  }
  if (keys.size === 0) throw new Error('the key set holds no usable key');
  return keys;
}

function publicKey(jwk: JsonWebKey): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const bits = key.asymmetricKeyDetails?.modulusLength;
    return bits === undefined || (bits >= MIN_RSA_BITS && !isFactorable(key)) ? key : undefined;
  } catch {
    // One key of a kind this Node doesn't know leaves the others usable (RFC 7517 5).
    return undefined;
  }
}
