import { z } from 'zod';
import type { Identity } from './identity.ts';
import { invalidToken, tokenExpired } from './token-errors.ts';

/** How far the issuer's clock may run ahead of ours, seconds. */
const CLOCK_SKEW = 60;

const claimsSchema = z.object({
  iss: z.string(),
  // At most 255 ASCII characters (OIDC Core 2); control characters would end in logs and the database.
  sub: z.string().regex(/^[\x20-\x7e]{1,255}$/),
  aud: z.union([z.string(), z.array(z.string())]),
  azp: z.string().optional(),
  exp: z.number(),
  iat: z.number(),
  nbf: z.number().optional(),
  auth_time: z.number().optional(),
  email: z.unknown().optional(),
  email_verified: z.unknown().optional(),
});

type Claims = z.infer<typeof claimsSchema>;

export interface Expected {
  issuer: string;
  audience: string;
}

/**
 * Checks the claims of a token whose signature is good (OIDC Core 3.1.3.7).
 *
 * @param now milliseconds since 1970
 * @throws AppError `invalid_token` or `token_expired`
 */
export function identityFromClaims(payload: unknown, expected: Expected, now: number): Identity {
  const parsed = claimsSchema.safeParse(payload);
  if (!parsed.success) throw invalidToken(`unacceptable claims: ${parsed.error.issues.map((issue) => issue.path.join('.')).join(', ')}`);
  const claims = parsed.data;
  if (claims.iss !== expected.issuer) throw invalidToken('iss is not our issuer');
  checkAudience(claims, expected.audience);
  checkTimes(claims, now / 1_000);
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: emailAddress(claims.email),
    emailVerified: claims.email_verified === true,
    authTime: claims.auth_time,
    issuedAt: claims.iat,
    expiresAt: claims.exp,
  };
}

function checkAudience({ aud, azp }: Claims, audience: string): void {
  const audiences = Array.isArray(aud) ? aud : [aud];
  if (!audiences.includes(audience)) throw invalidToken('aud does not name us');
  // A token for several parties was made for one of them, which has to be us (OIDC Core 3.1.3.7, 4 and 5).
  if (audiences.length > 1 && azp !== undefined && azp !== audience) throw invalidToken('azp is another party');
}

function checkTimes({ exp, iat, nbf, auth_time: authTime }: Claims, seconds: number): void {
  const latest = seconds + CLOCK_SKEW;
  if (iat > latest) throw invalidToken('iat lies in the future');
  if (nbf !== undefined && nbf > latest) throw invalidToken('nbf lies in the future');
  if (authTime !== undefined && authTime > latest) throw invalidToken('auth_time lies in the future');
  if (exp <= seconds) throw tokenExpired();
}

const emailClaim = z.email().max(254);

/** An address decides who may use the service, so an odd one counts as none. */
function emailAddress(value: unknown): string | undefined {
  const parsed = emailClaim.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}
