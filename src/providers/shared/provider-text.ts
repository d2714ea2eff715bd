import { z } from 'zod';
import { shortened } from '../../validation/cut-text.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is dropped
const CONTROL = /[\u0000-\u001f\u007f]/g;

/** Text from a provider. NUL and lone surrogates, which the database rejects, are removed or replaced. */
export function providerText(max: number) {
  return z.string().max(max).transform(cleaned);
}

/**
 * Text from a provider that is only shown, so that an unusual value never makes its response invalid: longer text is cut,
 * and a value that is not text is left out.
 *
 * @returns a schema that gives '' for a value that is left out
 */
export function shownText(max: number) {
  return shown((text) => cleaned(shortened(text, max)));
}

/** As {@link shownText}, for values that must not be cut, such as addresses. */
export function shownWhole(max: number) {
  return shown((text) => (text.length <= max ? cleaned(text) : ''));
}

function shown(read: (text: string) => string) {
  const schema = z.unknown().optional();
  return schema.transform((value) => (typeof value === 'string' ? read(value) : ''));
}

/** A field that may be missing. Null means the same. */
export function optionalField<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** Names of the fields that made a response invalid, never their values. */
export function wrongFields(error: z.ZodError): string {
  return error.issues
    .map(({ path }) => path.join('.') || 'response')
    .slice(0, 10)
    .join(', ');
}

function cleaned(text: string): string {
  return text.toWellFormed().replace(CONTROL, ' ');
}

/** An id from a provider. It is stored unchanged, so unusual ids are rejected. */
export const identifier = z.string().regex(/^[\x20-\x7e]{1,255}$/);
