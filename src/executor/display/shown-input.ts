import { EMPTY, LABELS, NO, NOTHING, REST, YES } from '../../../public/language/en/approvals.js';
import { plainWords } from '../../../public/language/names.js';
import { isObject } from '../../validation/is-object.ts';
import type { DisplayField } from './display-fields.ts';
import type { FieldWriter } from './field-writer.ts';

/** Any beyond are in the exact arguments only. */
const MAX_FIELDS = 200;
const MAX_DEPTH = 8;

/** The arguments of an action that Steward has no words for, by their names: empty ones, too, which may empty something. @param summary if the title is a part of it */
export function inputFields(input: unknown, summary: string | undefined, writer: FieldWriter): DisplayField[] {
  const fields = summary === undefined ? [] : writer.block('summary', LABELS.summary, summary, undefined);
  for (const field of valueFields(input, '', '', writer, 0)) {
    if (fields.length >= MAX_FIELDS) return [...fields, ...writer.choice('', LABELS.rest, REST)];
    fields.push(field);
  }
  return fields;
}

function* valueFields(value: unknown, path: string, label: string, writer: FieldWriter, depth: number): Generator<DisplayField> {
  if (path !== '' && isEmpty(value)) yield* writer.choice(path, label, value === null ? NOTHING : EMPTY);
  else if (typeof value === 'string') yield* writer.text(path, label, value);
  else if (typeof value === 'boolean') yield* writer.choice(path, label, value ? YES : NO);
  else if (typeof value === 'number') yield* writer.text(path, label, String(value));
  else if (depth > MAX_DEPTH && typeof value === 'object' && value !== null) yield* writer.choice(path, label, REST);
  else if (Array.isArray(value)) yield* listFields(value, path, label, writer, depth);
  else if (isObject(value)) {
    for (const [name, one] of Object.entries(value)) {
      yield* valueFields(one, under(path, name), under(label, words(name), ': '), writer, depth + 1);
    }
  }
}

function* listFields(values: unknown[], path: string, label: string, writer: FieldWriter, depth: number): Generator<DisplayField> {
  const plain = values.every((one) => typeof one === 'string' || typeof one === 'number');
  if (plain) {
    const items = values.slice(0, MAX_FIELDS).map((one, index) => writer.passage(String(one), under(path, String(index))));
    yield* writer.list(path, label, items, values.length);
    return;
  }
  for (const [index, one] of values.entries())
    yield* valueFields(one, under(path, String(index)), `${label} ${index + 1}`, writer, depth + 1);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === '') return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function under(path: string, name: string, separator = '.'): string {
  return path === '' ? name : `${path}${separator}${name}`;
}

/** `reply_to` → “Reply to”: what a declared argument means is not known, however it is named. */
function words(name: string): string {
  return plainWords(name);
}
