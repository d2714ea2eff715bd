import { compactVerify } from 'jose/jws/compact/verify';
import type { OidcSettings } from '../config/config.ts';
import type { VerifierContext, VerifyIdToken } from './identity.ts';
import { KeySet } from './key-set.ts';
import { type IssuerKey, oidcKeyLoader } from './oidc-keys.ts';
import { identityFromClaims } from './token-claims.ts';
import { invalidToken } from './token-errors.ts';
import { readHeader } from './token-header.ts';

/** Asymmetric only: with a MAC, the public key would be the secret (RFC 8725 2.1, 3.1). */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'];

/** ID tokens of any OpenID Connect issuer, verified with the keys it publishes (OIDC Core 3.1.3.7). */
export function createOidcVerifier(settings: OidcSettings, context: VerifierContext): VerifyIdToken {
  const keys = new KeySet({
    load: oidcKeyLoader(settings, context),
    logger: context.logger,
    telemetry: context.telemetry,
    now: context.now,
    timeout: context.timeouts.keys,
    maxAge: context.keysMaxAge,
  });
  return async (token) => {
    const { alg, kid, bringsKey } = readHeader(token);
    if (!ALGORITHMS.includes(alg)) throw invalidToken('unacceptable algorithm');
    const key = await keys.find(kid, !bringsKey);
    if (key === undefined) throw invalidToken('unknown key id');
    const payload = await verifySignature(token, key, alg);
    return identityFromClaims(payload, settings, context.now());
  };
}

async function verifySignature(token: string, { key, algorithm }: IssuerKey, alg: string): Promise<unknown> {
  if (algorithm !== undefined && algorithm !== alg) throw invalidToken('the key is meant for another algorithm');
  try {
    const { payload } = await compactVerify(token, key, { algorithms: [alg] });
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
  } catch {
    throw invalidToken('the signature does not fit, or no claims are signed');
  }
}
