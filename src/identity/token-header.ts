import { decodeProtectedHeader } from 'jose/decode/protected_header';
import { z } from 'zod';
import { invalidToken } from './token-errors.ts';

const MAX_TOKEN_LENGTH = 8_192;
/** JWS compact form (RFC 7515 7.1); the signature may be empty here, which only an emulator's verifier accepts. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

const headerSchema = z.object({
  alg: z.string(),
  kid: z.string().min(1).max(255).optional(),
  // Explicit typing (RFC 8725 3.11): access and logout tokens of the same issuer are no ID tokens.
  typ: z.string().regex(/^JWT$/i).optional(),
  // We understand no extension, so whatever is critical makes the token invalid (RFC 7515 4.1.11).
  crit: z.never().optional(),
  jwk: z.unknown().optional(),
  jku: z.unknown().optional(),
  x5u: z.unknown().optional(),
  x5c: z.unknown().optional(),
});

/** Of the header, only this is ever used: `jwk`, `jku`, `x5u` and `x5c` would let a token bring its own key (RFC 8725 3.10), so it counts only that they are there. */
export interface TokenHeader {
  alg: string;
  kid: string | undefined;
  /** It names a key of its own: no issuer's token does. */
  bringsKey: boolean;
}

/**
 * Reads the header of a token that is not verified yet.
 *
 * @throws AppError `invalid_token` where the token can't be one of ours whatever its signature
 */
export function readHeader(token: string): TokenHeader {
  if (token.length > MAX_TOKEN_LENGTH || !COMPACT.test(token)) throw invalidToken('not a JWS in compact form');
  const header = headerSchema.safeParse(decodeHeader(token));
  if (!header.success) throw invalidToken('unacceptable header');
  const { alg, kid, jwk, jku, x5u, x5c } = header.data;
  return { alg, kid, bringsKey: [jwk, jku, x5u, x5c].some((own) => own !== undefined) };
}

function decodeHeader(token: string): unknown {
  try {
    return decodeProtectedHeader(token);
  } catch {
    throw invalidToken('unreadable header');
  }
}
