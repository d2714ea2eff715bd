import { itemNote } from '../../../public/language/en/approvals.js';
import { Formatter } from '../../../public/language/formatter.js';
import type { ShownItem, ShownSpan } from '../../actions/shared/shown.ts';
import { cutText } from '../../validation/cut-text.ts';
import type { Match } from '../taint/matches.ts';
import type { DisplayField, DisplayPerson, DisplayText, Reader } from './display-fields.ts';
import { spanText } from './span-text.ts';

/** Characters of all texts of one question; a page of megabytes could not be read. */
const MAX_CHARACTERS = 300_000;
const MAX_ENTRIES = 200;
const MAX_NAME = 300;
const LONG_TEXT = 120;

interface Mailbox {
  name?: string | undefined;
  address: string;
}

/** Writes the fields of one question, within limits that the fields state. A field without a value is none. */
export class FieldWriter {
  readonly #matches: readonly Match[];
  readonly #reader: Reader;
  #charactersLeft = MAX_CHARACTERS;

  constructor(matches: readonly Match[], reader: Reader) {
    this.#matches = matches;
    this.#reader = reader;
  }

  /** Writes times and amounts for the user. */
  get formatter(): Formatter {
    const { language, zone } = this.#reader;
    return new Formatter({ language, timeZone: zone ?? 'UTC' });
  }

  /** A line or a block, by its length. @param path of the argument, as in the matches; undefined: it is no argument */
  text(name: string, label: string, value: unknown, path: string | undefined = name): DisplayField[] {
    if (typeof value !== 'string' || value === '') return [];
    const kind = value.length > LONG_TEXT || value.includes('\n') ? 'block' : 'text';
    return [{ name, label, kind, ...this.passage(value, path) }];
  }

  block(name: string, label: string, value: unknown, path: string | undefined = name): DisplayField[] {
    return typeof value === 'string' && value !== '' ? [{ name, label, kind: 'block', ...this.passage(value, path) }] : [];
  }

  choice(name: string, label: string, text: string | undefined): DisplayField[] {
    return text === undefined ? [] : [{ name, label, kind: 'choice', text }];
  }

  when(name: string, label: string, span: Partial<ShownSpan> | undefined): DisplayField[] {
    const shown = span && spanText(span, this.#reader);
    return shown === undefined ? [] : [{ name, label, kind: 'when', ...shown }];
  }

  /** @param path of the list; undefined: it is no argument */
  people(name: string, label: string, list: readonly (Mailbox | string)[] = [], path: string | undefined = name): DisplayField[] {
    if (list.length === 0) return [];
    const people = list.slice(0, MAX_ENTRIES).map((one, index) => this.#person(one, path && `${path}.${index}`));
    return [{ name, label, kind: 'people', people, ...moreThan(list, people) }];
  }

  /** @param count of all, if not all are given */
  files(name: string, label: string, items: readonly ShownItem[] = [], count = items.length): DisplayField[] {
    if (items.length === 0) return [];
    const files = items.slice(0, MAX_ENTRIES).map((item) => {
      const note = itemNote(item);
      const link = item.link?.startsWith('https://') ? item.link : undefined;
      return { name: cutText(item.name, MAX_NAME), ...(link !== undefined && { link }), ...(note !== '' && { note }) };
    });
    return [{ name, label, kind: 'file', files, ...(count > files.length && { more: count - files.length }) }];
  }

  list(name: string, label: string, texts: readonly DisplayText[], count = texts.length): DisplayField[] {
    if (texts.length === 0) return [];
    const items = texts.slice(0, MAX_ENTRIES);
    const more = count - items.length;
    return [{ name, label, kind: 'list', items, ...(more > 0 && { more }) }];
  }

  /** What goes and what comes; unknown, empty or equal: not at all. */
  change(name: string, label: string, before: string | undefined, after: unknown, path: string | undefined = name): DisplayField[] {
    if (typeof after !== 'string' || before === after) return [];
    const old = before === undefined || before === '' ? undefined : this.passage(before, undefined);
    const next = after === '' ? undefined : this.passage(after, path);
    if (old === undefined && next === undefined) return [];
    return [{ name, label, kind: 'change', ...(old && { before: old }), ...(next && { after: next }) }];
  }

  /** A text within what is left for the question. */
  passage(value: string, path: string | undefined): DisplayText {
    const text = cutText(value, Math.max(this.#charactersLeft, 0));
    this.#charactersLeft -= value.length;
    const marks = this.#matches
      .filter(({ field, from }) => field === path && from < text.length)
      .map(({ from, to }): [number, number] => [from, Math.min(to, text.length)]);
    const omitted = value.length - text.length;
    return { text: text.toWellFormed(), ...(marks.length > 0 && { marks }), ...(omitted > 0 && { omitted }) };
  }

  #person(one: Mailbox | string, path: string | undefined): DisplayPerson {
    const { name = '', address } = typeof one === 'string' ? { address: one } : one;
    const isMarked = this.#matches.some(({ field }) => path !== undefined && (field === path || field === `${path}.address`));
    return {
      address: this.passage(address, undefined).text,
      ...(name !== '' && { name: cutText(name, MAX_NAME).toWellFormed() }),
      ...(isMarked && { marked: true as const }),
    };
  }
}

function moreThan(all: readonly unknown[], shown: readonly unknown[]): { more?: number } {
  return all.length > shown.length ? { more: all.length - shown.length } : {};
}
