import { z } from 'zod';
import type { OidcSettings } from '../config/config.ts';
import { scopeNames } from '../validation/scope-names.ts';
import { createJwtVerifier, idTokenClaims, unlessNull } from './id-token.ts';
import type { AccessToken, VerifierContext, VerifyAccessToken } from './identity.ts';
import { KeySet } from './key-set.ts';
import { ALGORITHMS, oidcKeyLoader } from './oidc.ts';
import { invalidToken } from './token-errors.ts';

/** `at+jwt` as the RFC has it (RFC 9068, 2.1), and `JWT`, which several issuers write. */
const header = z.object({
  kid: z.string().min(1).max(255).optional(),
  typ: z
    .string()
    .regex(/^(?:application\/)?(?:at\+jwt|jwt)$/i)
    .optional(),
  crit: z.never().optional(),
});

const name = z.string().regex(/^[\x20-\x7e]{1,255}$/);
const claims = idTokenClaims.pick({ iss: true, sub: true, exp: true, iat: true, auth_time: true }).extend({
  client_id: unlessNull(name),
  // Instead of it, where the issuer follows OpenID Connect.
  azp: unlessNull(name),
  scope: unlessNull(z.string().max(4_096)),
});

/**
 * Verifies access tokens that are JWTs, by the keys that their issuer publishes (RFC 9068, 4).
 *
 * @param audience the only one
 */
export function loadAccessTokenVerifier(
  settings: Pick<OidcSettings, 'issuer' | 'discoveryUrl'>,
  audience: string,
  context: VerifierContext,
): VerifyAccessToken {
  const keys = new KeySet(oidcKeyLoader(settings, context), context);
  const rules = { issuer: settings.issuer, audience, algorithms: ALGORITHMS, header };
  return createJwtVerifier(keys, rules, context.clock, (payload) => read(payload, context.clock.now()));
}

function read(payload: object, now: number): AccessToken {
  const { success, data } = claims.safeParse(payload);
  const clientId = data?.client_id ?? data?.azp;
  if (!success || clientId === undefined) throw invalidToken('unacceptable claims of an access token');
  if (data.exp <= now / 1_000) throw invalidToken('expired');
  return {
    issuer: data.iss,
    subject: data.sub,
    clientId,
    scopes: scopeNames(data.scope),
    authTime: data.auth_time,
    issuedAt: data.iat,
    expiresAt: data.exp,
  };
}
