import { z } from 'zod';
import { isObject } from '../../validation/is-object.ts';
import { optionalField, providerText } from '../provider-text.ts';

const token = z.string().max(8192);
const scope = optionalField(providerText(8192));

/** The token endpoint's answer to a refresh (RFC 6749, 5.1). An empty token is none. */
export const renewalAnswer = z.object({
  access_token: token.min(1),
  // The RFC requires it; a token that came without is a bearer token all the same.
  token_type: optionalField(z.string().regex(/^bearer$/i)),
  expires_in: z.union([z.number(), z.string()]).optional().catch(undefined),
  refresh_token: optionalField(token).transform((value) => value || undefined),
  // The ones granted before stand: nobody has been asked since.
  scope: scope.catch(undefined),
});

/** Its answer to an authorization code (OpenID Connect Core, 3.1.3.3). */
export const tokenAnswer = renewalAnswer.extend({
  scope,
  id_token: optionalField(z.string().max(16_384)).transform((value) => value || undefined),
});

/** What an answer brought that has to be given back where it can't be used. */
export interface IssuedTokens {
  accessToken: string;
  refreshToken: string | undefined;
}

/** The tokens in an answer, however little else of it is understood; undefined = none came. */
export function tokensIn(body: unknown): IssuedTokens | undefined {
  if (!isObject(body) || typeof body.access_token !== 'string' || body.access_token === '') return undefined;
  const { access_token: accessToken, refresh_token: refreshToken } = body;
  return { accessToken, refreshToken: typeof refreshToken === 'string' && refreshToken !== '' ? refreshToken : undefined };
}

const MIN_LIFE_SECONDS = 1;
/** For a life that can't be meant: short enough to be put right soon, long enough not to ask at every use. */
const UNLIKELY_LIFE_SECONDS = 30;
const MAX_LIFE_SECONDS = 24 * 3600;
const DEFAULT_LIFE_SECONDS = 3600;

/** Seconds a token lives; nonsense (absent, zero, negative, NaN, years) is clamped. */
export function lifetime(expiresIn: number | string | undefined): number {
  const seconds = Number(expiresIn ?? DEFAULT_LIFE_SECONDS);
  if (!Number.isFinite(seconds)) return DEFAULT_LIFE_SECONDS;
  if (seconds <= 0) return UNLIKELY_LIFE_SECONDS;
  return Math.min(Math.max(seconds, MIN_LIFE_SECONDS), MAX_LIFE_SECONDS);
}

/** A word as RFC 6749, 5.2 has them; anything else might be our own secret, echoed. */
const WORD = /^[a-z_]{1,40}$/;

/**
 * The error codes that an answer names, the main one first. The provider also puts them into `error_subtype`, and
 * into JSON inside the text of another field (`invalid_rapt`, the end of a session by the account's administrator).
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
