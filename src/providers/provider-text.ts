import { z } from 'zod';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is dropped
const CONTROL = /[\u0000-\u001f\u007f]/g;

/** Text of a provider's that is only shown: NUL and half surrogates, which the database refuses, are dropped or replaced. */
export function providerText(max: number) {
  return z
    .string()
    .max(max)
    .transform((text) => text.toWellFormed().replace(CONTROL, ' '));
}

/** An id of a provider's: kept as it is, so an odd one is refused. */
export const identifier = z.string().regex(/^[\x20-\x7e]{1,255}$/);
