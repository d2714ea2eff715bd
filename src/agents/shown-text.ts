import { z } from 'zod';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is dropped
const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: word processors break lines inside a paragraph with a vertical tab
const LINE_BREAK = /\r\n?|\u000b|\u2028|\u2029/g;

/** A provider's text in one line: cut to `max` characters, control characters and half surrogates replaced. */
export function oneLine(max: number) {
  return z.string().transform((text) => text.slice(0, max).toWellFormed().replace(CONTROL, ' '));
}

const MAX_QUOTED = 100;
// They would end the quotation early, or turn the direction of what follows it.
const QUOTES = /["“”„«»]/g;
const TURNING = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A stranger's words within a sentence of ours: one line between quotation marks that it can't end itself. */
export function quoted(text: string): string {
  const line = oneLine(MAX_QUOTED + 1)
    .parse(text)
    .replace(QUOTES, "'")
    .replace(TURNING, ' ');
  return `“${line.length > MAX_QUOTED ? `${line.slice(0, MAX_QUOTED).toWellFormed()}…` : line}”`;
}

/** A provider's text that may have lines and tabs; cut and cleaned like {@link oneLine}. */
export function manyLines(max: number) {
  return z.string().transform((text) => text.slice(0, max).toWellFormed().replace(LINE_BREAK, '\n').replace(CONTROL_BUT_LINES, ''));
}
