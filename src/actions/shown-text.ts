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

/** Ends a line, turns the direction of what follows, or is not seen at all. */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** They would end the quotation early, or look as if they did. */
const QUOTES = /["“”„‟«»″‶〝〞〟＂❝❞❠ʺˮ˝״〃⹂🙶🙷🙸]|['’‘ʼ′`]{2,}/gu;
const MAX_QUOTED = 200;

/**
 * A caller's or a stranger's words within a sentence of ours: one line between quotation marks that it can't end
 * itself. What was cut off is told behind them, where the words can't pretend it.
 */
export function quoted(text: string): string {
  const line = text.slice(0, MAX_QUOTED).toWellFormed().replace(UNSEEN, ' ').replace(QUOTES, "'").replace(/\s+/g, ' ');
  return text.length > MAX_QUOTED ? `“${line}”… (${text.length.toLocaleString('en')} characters)` : `“${line}”`;
}

const PLAIN_ADDRESS = /^[\w.+'-]{1,64}@[\w.-]{1,190}$/;

/** An address as it stands; anything else that is said to be one is quoted. */
export function shownAddress(address: string): string {
  return PLAIN_ADDRESS.test(address) ? address : quoted(address);
}

/** A provider's text that may have lines and tabs; cut and cleaned like {@link oneLine}. */
export function manyLines(max: number) {
  return z.string().transform((text) => text.slice(0, max).toWellFormed().replace(LINE_BREAK, '\n').replace(CONTROL_BUT_LINES, ''));
}
