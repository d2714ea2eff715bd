import { z } from 'zod';
import { isLoopback, type OidcSettings } from '../config/config.ts';
import { throttledLog } from '../observability/throttled-log.ts';
import { fetchJson } from './fetch-keys.ts';
import { createTokenVerifier, idTokenClaims, idTokenHeader } from './id-token.ts';
import type { VerifierContext, VerifyIdToken } from './identity.ts';
import { KeySet, type LoadKeys } from './key-set.ts';
import { signingKeys } from './signing-keys.ts';

/** Asymmetric only: with a MAC, the public key would be the secret (RFC 8725 2.1, 3.1). */
export const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

const discoverySchema = z.object({ issuer: z.string(), jwks_uri: z.string() });
const keySetSchema = z.object({ keys: z.array(z.unknown()).max(100) });

/** ID tokens of an OpenID Connect issuer, verified with the keys that it publishes (OIDC Core 3.1.3.7). */
export function createOidcVerifier(settings: OidcSettings, context: VerifierContext): VerifyIdToken {
  const keys = new KeySet(oidcKeyLoader(settings, context), context);
  const { issuer, audience } = settings;
  const rules = { issuer, audience, algorithms: ALGORITHMS, header: idTokenHeader, claims: idTokenClaims };
  return createTokenVerifier(keys, rules, context.clock);
}

/**
 * Loads the discovery document and the key set that it names (OIDC Discovery 1.0, 4). If the document names another
 * issuer, there are no keys, so that every token is rejected (4.3).
 */
export function oidcKeyLoader(
  settings: Pick<OidcSettings, 'issuer' | 'discoveryUrl'>,
  { logger, clock, httpAgent }: VerifierContext,
): LoadKeys {
  const alarm = throttledLog(clock, logger, 'error');
  const discoveryUrl = new URL(settings.discoveryUrl);
  return async (signal) => {
    const discovery = discoverySchema.parse((await fetchJson(discoveryUrl, { signal, httpAgent })).body);
    if (discovery.issuer !== settings.issuer) {
      alarm({}, 'The discovery document names another issuer than OIDC_ISSUER: every ID token is rejected');
      return { jwks: { keys: [] }, maxAge: undefined };
    }
    const { body, maxAge } = await fetchJson(keySetUrl(discovery.jwks_uri, discoveryUrl), { signal, httpAgent });
    return { jwks: signingKeys(keySetSchema.parse(body).keys), maxAge };
  };
}

function keySetUrl(address: string, discoveryUrl: URL): URL {
  const url = new URL(address);
  if (url.protocol === 'https:') return url;
  // A document fetched over TLS must not lead to keys that are not.
  const plainAllowed = discoveryUrl.protocol === 'http:' || isLoopback(discoveryUrl.hostname);
  if (url.protocol !== 'http:' || !plainAllowed) throw new Error('jwks_uri is not an https URL');
  return url;
}
