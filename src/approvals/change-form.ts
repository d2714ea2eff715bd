import { detailName } from '../../public/language/en/approvals.js';
import { isIdName } from '../actions/shared/named-ids.ts';
import type { Executor, LinkedPreview } from '../executor/executor.ts';
import { isObject } from '../validation/is-object.ts';
import { FIELD } from './decision-form.ts';

/** How a value is entered. `lines`: a list, an entry on each line. */
export type Control = 'text' | 'textarea' | 'email' | 'number' | 'date' | 'datetime' | 'checkbox' | 'select' | 'lines';

/** A field of the form in which the user changes the arguments of a call. */
export interface FormField {
  /** The argument. */
  path: string;
  label: string;
  control: Control;
  /** Of `select`. */
  options?: string[];
  /** Of `checkbox`: whether it is ticked; of the others as it is entered, '' for nothing. */
  value: string | boolean;
  required: boolean;
  hint?: string;
}

/** Properties with longer texts have several lines. */
const LONG_TEXT = 300;
const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/;
/** Browsers leave out seconds that are none. */
const WITH_SECONDS = '2026-05-01T09:00:00';

/** The form in which the arguments of a question are changed. */
export async function formOfQuestion(
  executor: Pick<Executor, 'inputSchema'>,
  userId: string,
  question: LinkedPreview,
): Promise<FormField[]> {
  return formOf((await executor.inputSchema(userId, question)) ?? {}, question.input);
}

/**
 * The form of an action's arguments: those that have a simple control. The others keep their values, among them the ids of
 * what it is about; they can be changed as JSON.
 *
 * @param schema JSON Schema of the arguments
 */
export function formOf(schema: object, input: unknown): FormField[] {
  const { properties, required } = schema as { properties?: unknown; required?: unknown };
  if (!isObject(properties)) return [];
  const values = isObject(input) ? input : {};
  return Object.entries(properties).flatMap(([path, property]) => {
    const value = Object.hasOwn(values, path) ? values[path] : undefined;
    const shape = isObject(property) && !isIdName(path) ? shapeOf(property, value) : undefined;
    if (shape === undefined) return [];
    const hint = hintOf(path, shape.control, property);
    const isRequired = Array.isArray(required) && required.includes(path);
    return [{ path, label: detailName(path), ...shape, required: isRequired, ...(hint !== undefined && { hint }) }];
  });
}

/**
 * The arguments with what a form has sent: fields of others than the form's are ignored. What was not changed stays as it is, also
 * where a form can't hold it: line breaks of other systems, an empty text, nothing in place of “no”.
 */
export function changedInput(fields: readonly FormField[], input: object, sent: Readonly<Record<string, unknown>>): object {
  const changed = new Map<string, unknown>(Object.entries(input));
  for (const field of fields) {
    const given = sent[FIELD + field.path];
    if (asEntered(field, given) === asEntered(field, field.value || undefined)) continue;
    const value = sentValue(field, given);
    if (value === undefined) changed.delete(field.path);
    else changed.set(field.path, value);
  }
  return Object.fromEntries(changed);
}

/** The form as it was sent. */
export function asSent(fields: readonly FormField[], sent: Readonly<Record<string, unknown>>): FormField[] {
  return fields.map((field) => {
    const value = sent[FIELD + field.path];
    return { ...field, value: field.control === 'checkbox' ? value !== undefined : String(value ?? '') };
  });
}

/** As browsers send it (HTML, “Value sanitization algorithm”): equal for a field that was not touched. */
function asEntered({ control }: FormField, value: unknown): string {
  if (control === 'checkbox') return String(value !== undefined);
  const text = String(value ?? '');
  if (control === 'textarea') return text.replaceAll(/\r\n?/g, '\n');
  if (control === 'lines') return linesIn(text).join('\n');
  if (control === 'datetime') return text.length === WITH_SECONDS.length ? text.replace(/:00$/, '') : text;
  return text.replaceAll(/[\r\n]/g, '').trim();
}

function linesIn(text: string): string[] {
  return text.split(/[\r\n]/).flatMap((line) => line.trim() || []);
}

function sentValue({ control, required }: FormField, sent: unknown): unknown {
  if (control === 'checkbox') return sent !== undefined;
  const text = String(sent ?? '').replaceAll('\r\n', '\n');
  if (control === 'lines') {
    const entries = linesIn(text);
    return entries.length === 0 && !required ? undefined : entries;
  }
  if (text === '' && !required) return undefined;
  // What is no number is left to the schema, which says so.
  if (control === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  return text;
}

function shapeOf(property: Record<string, unknown>, value: unknown): Pick<FormField, 'control' | 'options' | 'value'> | undefined {
  const { enum: choices, format, maxLength } = property;
  const type = typeOf(property);
  if (Array.isArray(choices) && choices.every((one) => typeof one === 'string')) {
    return { control: 'select', options: choices, value: String(value ?? '') };
  }
  if (type === 'boolean') return { control: 'checkbox', value: value === true };
  if (type === 'number' || type === 'integer') return { control: 'number', value: String(value ?? '') };
  if (type === 'array') return isObject(property.items) && typeOf(property.items) === 'string' ? linesOf(value) : undefined;
  if (type !== 'string') return undefined;
  const text = String(value ?? '');
  const isLong = text.includes('\n') || text.length > LONG_TEXT || (typeof maxLength === 'number' && maxLength > 1_024);
  if (isLong) return { control: 'textarea', value: text };
  if (format === 'email') return { control: 'email', value: text };
  return { control: DATE.test(text) ? 'date' : DATE_TIME.test(text) ? 'datetime' : 'text', value: text };
}

/** A list of texts, or of recipients with names; undefined: an entry is more or less than a line. */
function linesOf(value: unknown): Pick<FormField, 'control' | 'value'> | undefined {
  const lines = (Array.isArray(value) ? value : []).map(lineOf);
  const isPlain = lines.every((line) => line !== '' && line === line.trim() && !/[\r\n]/.test(line));
  return isPlain ? { control: 'lines', value: lines.join('\n') } : undefined;
}

function lineOf(entry: unknown): string {
  if (!isObject(entry)) return String(entry);
  const { name, address } = entry as { name?: unknown; address?: unknown };
  if (typeof name !== 'string' || name === '') return String(address);
  return /^[\p{L}\p{M}\p{N} '_+-]*$/u.test(name) ? `${name} <${address}>` : `"${name.replaceAll(/["\\]/g, '\\$&')}" <${address}>`;
}

/** “Title.” below “Title” says nothing, and how a time is written is not asked of who chooses it. */
function hintOf(path: string, control: Control, property: unknown): string | undefined {
  const hint = isObject(property) && typeof property.description === 'string' ? property.description : '';
  const isNews =
    hint !== '' && hint.toLowerCase() !== `${path}.`.toLowerCase() && hint.toLowerCase() !== `${detailName(path)}.`.toLowerCase();
  return isNews && control !== 'date' && control !== 'datetime' ? hint : undefined;
}

/** Null is equal to absent. */
function typeOf({ type }: Record<string, unknown>): unknown {
  const types = [type].flat().filter((one) => one !== 'null');
  return types.length === 1 ? types[0] : undefined;
}
