import { z } from 'zod';

/** What ends a line in some program: CR, LF, VT, FF, and NEL, LS, PS of Unicode (UAX 14). */
export const LINE_BREAK = /[\n\r\v\f\u0085\u2028\u2029]/;
// Control characters would get into headers and logs, and NUL is an error in the database.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it matches them in order to reject them
export const CONTROL = /[\u0000-\u001f\u007f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are rejected
const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b-\u001f\u007f]/;

/** Invisible, or changes the direction of what follows; but what joins letters (Persian) and emoji, which names have. */
const HIDDEN = /(?!\u200c|\u200d|\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** The field with its least length; a schema names none of 0. */
export function notEmpty(field: z.ZodString, min: 0 | 1): z.ZodString {
  return min === 0 ? field : field.min(min, 'must not be empty');
}

/** A name: one line, trimmed, 1 to `max` characters, of which one is seen and none is hidden. */
export function nameOf(max: number): z.ZodString {
  return notEmpty(z.string().trim(), 1)
    .max(max, `must have at most ${max} characters`)
    .refine((value) => !HIDDEN.test(value), { error: 'must not contain hidden or control characters', abort: true })
    .refine((value) => SEEN.test(value), 'must have a character that can be seen') as z.ZodString;
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
