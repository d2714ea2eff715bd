import type { JWTHeaderParameters } from 'jose';
import { JOSEError, JWTClaimValidationFailed, JWTExpired } from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';
import { z } from 'zod';
import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors.ts';
import { asciiDomainAddress, isEmailAddress, MAX_OCTETS } from '../validation/email-address.ts';
import { CLOCK_SKEW, type Identity, type VerifyIdToken } from './identity.ts';
import type { KeySet } from './key-set.ts';
import { invalidToken, tokenExpired } from './token-errors.ts';

const MAX_TOKEN_LENGTH = 8_192;
/** JWS compact serialization (RFC 7515 7.1). */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Header of an ID token, as far as it is used. */
export const idTokenHeader = z.object({
  kid: z.string().min(1).max(255).optional(),
  // Explicit typing (RFC 8725 3.11): the issuer's access and logout tokens are not ID tokens.
  typ: z.string().regex(/^JWT$/i).optional(),
  // No extension is supported, not even jose's b64 (RFC 7515 4.1.11).
  crit: z.never().optional(),
});

/** Parameters with which a token would contain its own key (RFC 8725 3.10). They are never used. */
const KEY_PARAMETERS = ['jwk', 'jku', 'x5u', 'x5c'];

/** A claim that may be missing; some issuers write null in its place. */
export function unlessNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined);
}

const emailClaim = z.string().max(MAX_OCTETS).overwrite(asciiDomainAddress).refine(isEmailAddress);

/** Claims of an ID token, as far as they are used (OIDC Core 2). */
export const idTokenClaims = z.object({
  iss: z.string(),
  // At most 255 ASCII characters; control characters would end up in logs and the database.
  sub: z.string().regex(/^[\x20-\x7e]{1,255}$/),
  aud: z.union([z.string(), z.array(z.string())]),
  azp: unlessNull(z.string()),
  exp: z.number(),
  iat: z.number(),
  auth_time: unlessNull(z.number()),
  // Decides who may use the service: an invalid address counts as none.
  email: emailClaim.optional().catch(undefined),
  email_verified: z.unknown().optional(),
});

/** What holds for every JWT of an issuer. */
export interface JwtRules {
  issuer: string;
  audience: string;
  /** JWS algorithms that the issuer may use. */
  algorithms: string[];
  /** Schema of the protected header. */
  header: z.ZodType;
}

export interface TokenRules extends JwtRules {
  claims: z.ZodType<z.infer<typeof idTokenClaims>>;
}

/** Verifies signature, header and claims of ID tokens (OIDC Core 3.1.3.7). */
export function createTokenVerifier(keys: KeySet, rules: TokenRules, clock: Clock): VerifyIdToken {
  return createJwtVerifier(keys, rules, clock, (payload) => identityFromClaims(payload, rules, clock.now()));
}

/**
 * Verifies signature, header, `iss`, `aud`, `exp` and `nbf` of a JWT.
 *
 * @param read checks the claims, and gives what is wanted of them
 */
export function createJwtVerifier<Result>(
  keys: KeySet,
  rules: JwtRules,
  clock: Clock,
  read: (payload: object) => Result,
): (token: string) => Promise<Result> {
  const { issuer, audience, algorithms } = rules;
  const getKey = (header: JWTHeaderParameters) => {
    if (!rules.header.safeParse(header).success) throw invalidToken('unacceptable header');
    return keys.find(header, !KEY_PARAMETERS.some((name) => name in header));
  };
  return async (token) => {
    if (token.length > MAX_TOKEN_LENGTH || !COMPACT.test(token)) throw invalidToken('not a JWS in compact serialization');
    try {
      const options = { issuer, audience, algorithms, clockTolerance: CLOCK_SKEW, currentDate: new Date(clock.now()) };
      const { payload } = await jwtVerify(token, getKey, options);
      return read(payload);
    } catch (error) {
      throw toAppError(error);
    }
  };
}

/**
 * The checks that jose omits, or does with more tolerance.
 *
 * @param payload claims whose signature, `iss`, `aud` and `nbf` are verified
 * @param now milliseconds since 1970
 * @throws AppError `invalid_token` or `token_expired`
 */
export function identityFromClaims(payload: object, { audience, claims: schema }: TokenRules, now: number): Identity {
  const { success, data: claims, error } = schema.safeParse(payload);
  if (!success) throw invalidToken(`unacceptable claims: ${error.issues.map((issue) => issue.path.join('.')).join(', ')}`);
  const { aud, azp, iat, exp, auth_time: authTime } = claims;
  // A token for several audiences was issued to one of them, which has to be us (OIDC Core 3.1.3.7, 4 and 5).
  if (aud.length > 1 && Array.isArray(aud) && azp !== undefined && azp !== audience) throw invalidToken('azp is another client');
  const seconds = now / 1_000;
  if (iat > seconds + CLOCK_SKEW) throw invalidToken('iat is in the future');
  if (authTime !== undefined && authTime > seconds + CLOCK_SKEW) throw invalidToken('auth_time is in the future');
  if (exp <= seconds) throw tokenExpired();
  return {
    issuer: claims.iss,
    subject: claims.sub,
    email: claims.email,
    emailVerified: claims.email_verified === true,
    authTime,
    issuedAt: iat,
    expiresAt: exp,
  };
}

function toAppError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (error instanceof JWTExpired) return tokenExpired();
  // Other messages may quote the token.
  if (error instanceof JWTClaimValidationFailed) return invalidToken(error.message);
  return invalidToken(error instanceof JOSEError ? error.code : 'the signature cannot be verified');
}
