import { html, type SafeHtml } from '../http/html.ts';

/** Runs of characters that change the text direction, end a line, or are invisible; without line breaks, tabs, joiners and variation selectors. */
const HIDDEN = /((?:(?!\n|\t|\u200c|\u200d|[\ufe00-\ufe0f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800])+)/u;

/** Characters of all texts of one page; a page of megabytes could not be read. */
const MAX_CHARACTERS = 300_000;
const MAX_VALUES = 2_000;
const MAX_DEPTH = 12;
const MAX_NAMED = 1_000;

/**
 * Text that the service did not write, inside a sentence: isolated, so that its direction does not affect what is around
 * it, with hidden characters named.
 */
export function inline(text: string): SafeHtml {
  return html`<bdi>${visible(text)}</bdi>`;
}

/** Arguments as a page shows them, in full up to a limit that the page then states. */
export class ArgumentsView {
  #charactersLeft = MAX_CHARACTERS;
  #valuesLeft = MAX_VALUES;

  /** A value of JSON. */
  render(value: unknown, depth = 0): SafeHtml {
    this.#valuesLeft -= 1;
    if (this.#valuesLeft < 0 || depth > MAX_DEPTH) return omitted('More values are not shown.');
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return this.#list(value, depth);
    if (typeof value === 'object' && value !== null) return this.#fields(value, depth);
    return html`<code>${String(value)}</code>`;
  }

  #text(text: string): SafeHtml {
    if (text === '') return html`<span class="muted">empty</span>`;
    const shown = text.slice(0, Math.max(this.#charactersLeft, 0)).toWellFormed();
    this.#charactersLeft -= text.length;
    const rest =
      shown.length < text.length && omitted(`${(text.length - shown.length).toLocaleString('en')} more characters are not shown.`);
    // A long text scrolls, so that the keyboard has to reach it.
    const isLong = text.length > 1_000 || text.split('\n', 16).length > 15;
    return html`<blockquote class="quoted" dir="auto"${isLong && html` tabindex="0" role="region" aria-label="Long text"`}>${visible(shown)}</blockquote>${rest}`;
  }

  #list(values: readonly unknown[], depth: number): SafeHtml {
    if (values.length === 0) return html`<span class="muted">none</span>`;
    return html`<ol class="values">${this.#each(values, (value) => html`<li>${this.render(value, depth + 1)}</li>`)}</ol>`;
  }

  #fields(value: object, depth: number): SafeHtml {
    const fields = Object.entries(value);
    if (fields.length === 0) return html`<span class="muted">none</span>`;
    return html`<dl class="values">${this.#each(
      fields,
      ([name, of]) => html`<dt>${inline(name.slice(0, 200))}</dt><dd>${this.render(of, depth + 1)}</dd>`,
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

function omitted(text: string): SafeHtml {
  return html`<p class="warning">${text}</p>`;
}

/** Names hidden characters by their code points. Of a text that is full of them, it only marks where they are. */
function visible(text: string): SafeHtml[] {
  const parts = text.split(HIDDEN);
  if (parts.length > 2 * MAX_NAMED) return [html`${parts.map((part, index) => (index % 2 === 0 ? part : '\ufffd')).join('')}`];
  return parts.map((part, index) => (index % 2 === 0 ? html`${part}` : html`<span class="hidden-character">${namesOf(part)}</span>`));
}

function namesOf(run: string): string {
  const first = `U+${(run.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  const others = [...run].length - 1;
  return others === 0 ? first : `${first} and ${others} more`;
}
