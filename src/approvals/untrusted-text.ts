import { english } from '../../public/language/english.js';
import type { Match } from '../executor/taint/matches.ts';
import { html, type SafeHtml } from '../http/pages/html.ts';
import { escapeHidden, inline, visible } from '../http/pages/visible-text.ts';
import { cutText, shortened } from '../validation/cut-text.ts';

/** Characters of all texts of one page; a page of megabytes could not be read. */
const MAX_CHARACTERS = 300_000;
const MAX_VALUES = 2_000;
const MAX_DEPTH = 12;

/** Text of others as a block of its own; a long one scrolls, so that the keyboard has to reach it. */
export function block(text: string, content: SafeHtml | SafeHtml[] = visible(text.toWellFormed())): SafeHtml {
  const isLong = text.length > 1_000 || text.split('\n', 16).length > 15;
  return html`<blockquote class="quoted" dir="auto"${isLong && html` tabindex="0" role="region" aria-label="Long text"`}>${content}</blockquote>`;
}

/**
 * Arguments as JSON that a user can change: hidden characters are escaped, so that they are seen and not lost.
 *
 * @returns undefined: it is too long for a page
 */
export function editableJson(input: unknown): string | undefined {
  return editableText(JSON.stringify(input, null, 2));
}

/** The same of a JSON text. */
export function editableText(json: string): string | undefined {
  const text = json.length > MAX_CHARACTERS ? json : escapeHidden(json);
  return text.length > MAX_CHARACTERS ? undefined : text;
}

/** Arguments as a page shows them, in full up to a limit that the page then states. */
export class ArgumentsView {
  #charactersLeft = MAX_CHARACTERS;
  #valuesLeft = MAX_VALUES;
  readonly #matches: readonly Match[];

  /** @param matches parts of the arguments to mark */
  constructor(matches: readonly Match[] = []) {
    this.#matches = matches;
  }

  /** A value of JSON. @param path as in the matches */
  render(value: unknown, path = '', depth = 0): SafeHtml {
    this.#valuesLeft -= 1;
    if (this.#valuesLeft < 0 || depth > MAX_DEPTH) return omitted('More values are not shown.');
    if (typeof value === 'string') return this.#text(value, path);
    if (Array.isArray(value)) return this.#list(value, path, depth);
    if (typeof value === 'object' && value !== null) return this.#fields(value, path, depth);
    return html`<code>${String(value)}</code>`;
  }

  #text(text: string, path: string): SafeHtml {
    if (text === '') return html`<span class="muted">empty</span>`;
    const shown = cutText(text, Math.max(this.#charactersLeft, 0)).toWellFormed();
    this.#charactersLeft -= text.length;
    const rest = shown.length < text.length && omitted(`${english.number(text.length - shown.length)} more characters are not shown.`);
    return html`${block(text, this.#marked(shown, path))}${rest}`;
  }

  /** A text with its matches marked, which stand in its order. */
  #marked(text: string, path: string): SafeHtml[] {
    const parts: SafeHtml[] = [];
    let end = 0;
    for (const match of this.#matches) {
      const found = match.field === path && match.text !== '' ? text.indexOf(match.text.toWellFormed(), end) : -1;
      if (found === -1) continue;
      const from = Math.max(end, wholeCharacter(text, found));
      const to = wholeCharacter(text, found + match.text.length, 1);
      parts.push(...visible(text.slice(end, from)), html`<mark>${visible(text.slice(from, to))}</mark>`);
      end = to;
    }
    return [...parts, ...visible(text.slice(end))];
  }

  #list(values: readonly unknown[], path: string, depth: number): SafeHtml {
    if (values.length === 0) return html`<span class="muted">none</span>`;
    const items = this.#each([...values.entries()], ([index, of]) => html`<li>${this.render(of, under(path, index), depth + 1)}</li>`);
    return html`<ol class="values">${items}</ol>`;
  }

  #fields(value: object, path: string, depth: number): SafeHtml {
    const fields = Object.entries(value);
    if (fields.length === 0) return html`<span class="muted">none</span>`;
    return html`<dl class="values">${this.#each(
      fields,
      ([name, of]) => html`<dt>${inline(shortened(name, 200))}</dt><dd>${this.render(of, under(path, name), depth + 1)}</dd>`,
    )}</dl>`;
  }

  /** Stops with the first value that is beyond the limit. */
  #each<Item>(items: readonly Item[], show: (item: Item) => SafeHtml): SafeHtml[] {
    const shown: SafeHtml[] = [];
    for (const item of items) {
      if (this.#valuesLeft < 0) break;
      shown.push(show(item));
    }
    return shown;
  }
}

function under(path: string, name: string | number): string {
  return path === '' ? String(name) : `${path}.${name}`;
}

/** Moves a place inside a surrogate pair out of it. @param by where to: 1 behind it, -1 before it */
function wholeCharacter(text: string, place: number, by: 1 | -1 = -1): number {
  const isInside = place > 0 && (text.codePointAt(place - 1) ?? 0) > 0xffff;
  return isInside ? place + by : place;
}

function omitted(text: string): SafeHtml {
  return html`<p class="warning">${text}</p>`;
}
