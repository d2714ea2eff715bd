import { z } from 'zod';

/** What ends a line in some program: CR, LF, VT, FF, and NEL, LS, PS of Unicode (UAX 14). */
export const LINE_BREAK = /[\n\r\v\f\u0085\u2028\u2029]/;
// Control characters would get into headers and logs, and NUL is an error in the database.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches them in order to reject them
export const CONTROL = /[\u0000-\u001f\u007f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are rejected
const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b-\u001f\u007f]/;

/** The field with its least length; a schema names none of 0. */
export function notEmpty(field: z.ZodString, min: 0 | 1): z.ZodString {
  return min === 0 ? field : field.min(min, 'must not be empty');
}

/**
 * A text field of several lines, `min` to `max` characters. CRLF and CR, as of Windows and of pasted text, become LF, and
 * so do VT and FF, by which word processors break lines and pages; other line ends of Unicode stay. Tabs are the only other control characters.
 */
export function severalLines(max: number, min: 0 | 1 = 1): z.ZodString {
  const lines = z.string().overwrite((value) => value.replace(/\r\n?|[\v\f]/g, '\n'));
  return notEmpty(lines, min)
    .max(max, `must have at most ${max} characters`)
    .refine((value) => !CONTROL_BUT_LINES.test(value), 'must not contain control characters') as z.ZodString;
}
