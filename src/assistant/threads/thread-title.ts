import { withoutHidden } from '../../http/pages/visible-text.ts';
import { cutText } from '../../validation/cut-text.ts';

const DEFAULT_CHARACTERS = 60;
/** Enough to fill a title, so that a long message costs no more than a short one. */
const READ_CHARACTERS = 2_000;

/** A text on one line, without control characters and such that change the direction of what is around them. */
export function asTitle(text: string): string {
  return withoutHidden(text.toWellFormed().replace(/\s+/gu, ' ')).trim();
}

/** The first words of a message, of at most 60 characters. */
export function defaultTitle(message: string): string {
  const characters = [...asTitle(cutText(message.trimStart(), READ_CHARACTERS))];
  if (characters.length <= DEFAULT_CHARACTERS) return characters.join('');
  const cut = characters.slice(0, DEFAULT_CHARACTERS - 1);
  const words = cut.slice(0, Math.max(0, cut.lastIndexOf(' ')));
  // A text without spaces is cut anywhere.
  const kept = words.length > DEFAULT_CHARACTERS / 2 ? words : cut;
  return `${kept.join('').trimEnd()}…`;
}
