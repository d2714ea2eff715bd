import { z } from 'zod';
import { isObject } from '../../validation/is-object.ts';
import { optionalField, providerText } from '../shared/provider-text.ts';

const token = z.string().max(8192);
const scope = optionalField(providerText(8192));

/** The token endpoint's response to a refresh (RFC 6749, 5.1). An empty token counts as none. */
export const renewalResponse = z.object({
  access_token: token.min(1),
  // Required by the RFC; a token without it is treated as a bearer token.
  token_type: optionalField(z.string().regex(/^bearer$/i)),
  expires_in: z.union([z.number(), z.string()]).optional().catch(undefined),
  refresh_token: optionalField(token).transform((value) => value || undefined),
  // The granted scopes are unchanged, because the user was not asked.
  scope: scope.catch(undefined),
});

/** The response to an authorization code (OpenID Connect Core, 3.1.3.3). */
export const tokenResponse = renewalResponse.extend({
  scope,
  id_token: optionalField(z.string().max(16_384)).transform((value) => value || undefined),
});

/** Tokens of a response, which are revoked if the response cannot be used. */
export interface IssuedTokens {
  accessToken: string;
  refreshToken: string | undefined;
}

/** The tokens of a response, even if the rest of it is invalid; undefined: there are none. */
export function tokensIn(body: unknown): IssuedTokens | undefined {
  if (!isObject(body) || typeof body.access_token !== 'string' || body.access_token === '') return undefined;
  const { access_token: accessToken, refresh_token: refreshToken } = body;
  return { accessToken, refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : undefined };
}

const MIN_LIFE_SECONDS = 1;
/** For an implausible lifetime: short enough to be corrected soon, long enough not to refresh at every use. */
const UNLIKELY_LIFE_SECONDS = 30;
const MAX_LIFE_SECONDS = 24 * 3600;
const DEFAULT_LIFE_SECONDS = 3600;

/** Lifetime of a token, seconds. Invalid values (absent, zero, negative, NaN, years) are clamped. */
export function lifetime(expiresIn: number | string | undefined): number {
  const seconds = Number(expiresIn ?? DEFAULT_LIFE_SECONDS);
  if (!Number.isFinite(seconds)) return DEFAULT_LIFE_SECONDS;
  if (seconds <= 0) return UNLIKELY_LIFE_SECONDS;
  return Math.min(Math.max(seconds, MIN_LIFE_SECONDS), MAX_LIFE_SECONDS);
}

/** An error code (RFC 6749, 5.2). Other values might repeat a secret. */
const WORD = /^[a-z_]{1,40}$/;

/**
 * The error codes of a response, the main one first. The provider also puts codes into `error_subtype`, and into JSON
 * inside the text of another field (`invalid_rapt`: an administrator ended the session).
 */
export function oauthErrors(body: unknown): string[] {
  if (!isObject(body)) return [];
  const { error } = body;
  const texts = isObject(error) ? [error.message] : [error, body.error_subtype, body.error_description];
  const words = texts.flatMap((text) => (typeof text === 'string' ? [text, ...wordsInside(text)] : []));
  return words.filter((word) => WORD.test(word));
}

function wordsInside(text: string): string[] {
  if (!text.startsWith('{')) return [];
  try {
    const inner: unknown = JSON.parse(text);
    return isObject(inner) ? [inner.error, inner.error_subtype].filter((word) => typeof word === 'string') : [];
  } catch {
    return [];
  }
}
