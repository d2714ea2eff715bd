import { withoutQuotationMarks } from '../../validation/quotation.ts';
import { html, type SafeHtml } from './html.ts';

/** Runs of characters that change the text direction, end a line, or are invisible; without line breaks, tabs, joiners and variation selectors. */
const HIDDEN = /((?:(?!\n|\t|\u200c|\u200d|[\ufe00-\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800])+)/u;

const MAX_NAMED = 1_000;
const MAX_LISTED = 10;

/**
 * Text that the service did not write, inside a sentence: isolated, so that its direction does not affect what is around
 * it, with hidden characters named.
 */
export function inline(text: string): SafeHtml {
  return html`<bdi>${visible(text)}</bdi>`;
}

/** The same in quotation marks, which the text can't close. */
export function quotation(text: string): SafeHtml {
  return html`<q>${inline(withoutQuotationMarks(text))}</q>`;
}

/** A text without its hidden characters. */
export function withoutHidden(text: string): string {
  return text
    .split(HIDDEN)
    .filter((_, index) => index % 2 === 0)
    .join('');
}

/** Replaces hidden characters by the escapes that JSON has for them. */
export function escapeHidden(text: string): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return text
    .split(HIDDEN)
    .map((part, index) => (index % 2 === 0 ? part : part.split('').map(escaped).join('')))
    .join('');
}

/** Names hidden characters by their code points. Of a text that is full of them, it only marks where they are. */
export function visible(text: string): SafeHtml[] {
  const parts = text.split(HIDDEN);
  if (parts.length > 2 * MAX_NAMED) return [html`${parts.map((part, index) => (index % 2 === 0 ? part : '\ufffd')).join('')}`];
  return parts.map((part, index) => (index % 2 === 0 ? html`${part}` : html`<span class="hidden-character">${namesOf(part)}</span>`));
}

/** Names of the hidden characters of a text, the first ten: `U+202E`. */
export function hiddenIn(text: string): string[] {
  const runs = text.split(HIDDEN).filter((_, index) => index % 2 === 1);
  return [...new Set(runs.join(''))].slice(0, MAX_LISTED).map(nameOf);
}

function namesOf(run: string): string {
  const first = nameOf(run);
  const others = [...run].length - 1;
  return others === 0 ? first : `${first} and ${others} more`;
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
