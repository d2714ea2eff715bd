import { andMore, omitted, PAGE } from '../../public/language/en/approvals.js';
import type { DisplayField, DisplayText } from '../executor/display/display-fields.ts';
import { html, type SafeHtml } from '../http/pages/html.ts';
import { inline, visible, withoutHidden } from '../http/pages/visible-text.ts';

/** Any beyond are folded. */
const FEW_ENTRIES = 8;

/** The fields of a question, as a list of names and values. */
export function fieldsHtml(fields: readonly DisplayField[]): SafeHtml | false {
  if (fields.length === 0) return false;
  return html`<dl class="fields">${fields.map((field) => html`<div><dt>${inline(field.label)}</dt><dd>${shownValue(field)}</dd></div>\n`)}</dl>`;
}

/** Text of others as a block of its own; a long one scrolls, so that the keyboard has to reach it. @param name of the field */
export function block({ text, marks = [], omitted: left }: DisplayText, name: string): SafeHtml {
  const isLong = text.length > 200 || text.split('\n', 7).length > 6;
  const region = isLong && html` tabindex="0" role="region" aria-label="${withoutHidden(name)}"`;
  return html`<blockquote class="quoted" dir="auto"${region}>${marked(text, marks)}</blockquote>${left !== undefined && warning(omitted(left))}`;
}

function shownValue(field: DisplayField): SafeHtml | SafeHtml[] {
  switch (field.kind) {
    case 'block':
      return block(field, field.label);
    case 'when':
      return html`${inline(field.text)}${field.local !== undefined && html`<br><span class="muted">${inline(field.local)}</span>`}`;
    case 'people':
      return list(
        field.people.map(({ name, address, marked: isMarked }) => {
          const shown = isMarked ? html`<mark>${inline(address)}</mark>` : inline(address);
          return name === undefined ? shown : html`${shown} <span class="muted">${inline(name)}</span>`;
        }),
        field.more,
      );
    case 'file':
      return list(
        field.files.map(({ name, link, note }) => {
          const shown = link === undefined ? inline(name) : html`<a href="${link}" rel="noreferrer">${inline(name)}</a>`;
          return note === undefined ? shown : html`${shown} <span class="muted">${inline(note)}</span>`;
        }),
        field.more,
      );
    case 'list':
      return list(field.items.map(line), field.more);
    case 'change':
      return [...change('del', field.label, field.before), ...change('ins', field.label, field.after)];
    default:
      return line(field);
  }
}

/** An entry needs no list. */
function list(entries: readonly SafeHtml[], more = 0): SafeHtml {
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && more === 0) return only;
  const items = (some: readonly SafeHtml[], left = 0) =>
    html`<ul>${some.map((entry) => html`<li>${entry}</li>`)}${left > 0 && html`<li>${andMore(left)}</li>`}</ul>`;
  const rest = entries.slice(FEW_ENTRIES);
  if (rest.length === 0) return items(entries, more);
  const folded = html`<details><summary>${andMore(rest.length + more)}</summary>${items(rest, more)}</details>`;
  return html`${items(entries.slice(0, FEW_ENTRIES))}${folded}`;
}

function change(tag: 'del' | 'ins', label: string, text: DisplayText | undefined): SafeHtml[] {
  if (text === undefined) return [];
  const name = tag === 'del' ? PAGE.before : PAGE.after;
  const body = text.text.length > 120 || text.text.includes('\n') ? block(text, `${name} ${label}`) : line(text);
  const content = html`<span class="unseen">${name} </span>${body}`;
  return [tag === 'del' ? html`<div class="change goes">${content}</div>` : html`<div class="change comes">${content}</div>`];
}

function line({ text, marks = [], omitted: left }: DisplayText): SafeHtml {
  return html`<bdi>${marked(text, marks)}</bdi>${left !== undefined && warning(omitted(left))}`;
}

/** A text with the parts marked that repeat what others wrote; marks inside a surrogate pair are moved out of it. */
function marked(text: string, marks: readonly (readonly [number, number])[]): SafeHtml[] {
  const parts: SafeHtml[] = [];
  let end = 0;
  for (const [from, to] of marks) {
    const [start, stop] = [Math.max(end, outside(text, from, -1)), outside(text, to, 1)];
    if (stop <= start) continue;
    parts.push(...visible(text.slice(end, start)), html`<mark>${visible(text.slice(start, stop))}</mark>`);
    end = stop;
  }
  return [...parts, ...visible(text.slice(end))];
}

function outside(text: string, place: number, by: 1 | -1): number {
  const isInside = place > 0 && (text.codePointAt(place - 1) ?? 0) > 0xffff;
  return isInside ? place + by : place;
}

function warning(text: string): SafeHtml {
  return html`<p class="warning">${text}</p>`;
}
