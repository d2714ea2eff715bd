import { z } from 'zod';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is dropped
const CONTROL = /[\u0000-\u001f\u007f]/g;

/** Text of a provider's: NUL and half surrogates, which the database refuses, are dropped or replaced. */
export function providerText(max: number) {
  return z.string().max(max).transform(cleaned);
}

/**
 * Text of a provider's that is only shown, and so never a reason to refuse its answer: longer text is cut, and what is
 * no text (null, a number) is left out.
 *
 * @returns a schema that gives '' for what is left out
 */
export function shownText(max: number) {
  return z
    .unknown()
    .optional()
    .transform((value) => (typeof value === 'string' ? cleaned(value.slice(0, max)) : ''));
}

/** As {@link shownText}, for what would be something else if it were cut: an address. */
export function shownWhole(max: number) {
  return z
    .unknown()
    .optional()
    .transform((value) => (typeof value === 'string' && value.length <= max ? cleaned(value) : ''));
}

/** A field that may be missing. One that is null says no more than one that isn't there. */
export function optionalField<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** Names of the fields that kept an answer from being understood; never what stood in them. */
export function wrongFields(error: z.ZodError): string {
  return error.issues
    .map(({ path }) => path.join('.') || 'answer')
    .slice(0, 10)
    .join(', ');
}

function cleaned(text: string): string {
  return text.toWellFormed().replace(CONTROL, ' ');
}

/** An id of a provider's: kept as it is, so an odd one is refused. */
export const identifier = z.string().regex(/^[\x20-\x7e]{1,255}$/);
