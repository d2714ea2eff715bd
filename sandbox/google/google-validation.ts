import { ApiFault, invalid } from '../api-fault.ts';
import type { ApiMethod } from './api-method.ts';
import { hasFormat } from './google-formats.ts';
import table from './google-methods.json' with { type: 'json' };
import { type Mask, parseMask } from './partial-response.ts';

/**
 * A type in google-methods.json: see FieldType in scripts/generate/sdk-types.ts; `*` stands for any name. A format may follow:
 * `number:int32(1..100)`; that of a mask names the object that it selects from: `string:mask(docs.TextStyle)`.
 */
type FieldType = string | FieldTypes | [FieldTypes];
interface FieldTypes {
  [field: string]: FieldType;
}
interface MethodEntry {
  required: readonly string[];
  params: FieldTypes;
  body?: string;
  response?: string;
}

const METHODS = table.methods as unknown as Readonly<Record<string, MethodEntry>>;
const SCHEMAS = table.schemas as unknown as Readonly<Record<string, FieldTypes>>;
const READ_ONLY: Readonly<Record<string, readonly string[]>> = table.readOnly;
const STANDARD: FieldTypes = table.parameters.standard;

/**
 * Checks a request by the provider's documents: parameters, fields of the body, their types and values, and the mask of
 * the response. Some of the provider's APIs ignore what they don't know; here a mistake is to be noticed.
 *
 * @param body parsed JSON; undefined: none
 * @returns the mask; null: the whole response
 * @throws ApiFault 400
 */
export function checkRequest({ verb, path }: Pick<ApiMethod<never>, 'verb' | 'path'>, query: URLSearchParams, body: unknown): Mask | null {
  const method = METHODS[`${verb} ${path}`];
  if (method === undefined) throw new Error(`google-methods.json has no ${verb} ${path}`);
  checkQuery(method, query);
  if (body !== undefined) checkValue(body, method.body ?? {}, '');
  const fields = query.get('fields');
  if (fields === null) return null;
  const mask = parseMask(fields);
  checkMask(mask, method.response ?? {}, '');
  return mask;
}

function checkQuery({ params, required }: MethodEntry, query: URLSearchParams): void {
  const known: FieldTypes = { ...STANDARD, ...params };
  for (const name of new Set(query.keys())) {
    const type = Object.hasOwn(known, name) ? known[name] : undefined;
    if (typeof type !== 'string') {
      throw invalid(
        `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter. Field '${name}' could not be found in request message.`,
      );
    }
    const values = query.getAll(name);
    if (values.length > 1 && !isList(type)) throw invalid(`Invalid value at '${name}', Proto field is not repeating, cannot start list.`);
    for (const value of values) if (!isParameter(value, itemOf(type))) throw invalidValue(name, itemOf(type), value);
  }
  const missing = required.find((name) => !query.has(name));
  if (missing !== undefined) throw invalid(`Required parameter: ${missing}`);
}

function isParameter(text: string, type: string): boolean {
  if (type === 'boolean') return text === 'true' || text === 'false';
  return kindOf(type) === 'number' ? /^-?\d{1,19}$/.test(text) && isOfType(Number(text), type) : isOfType(text, type);
}

/** @param at where the value is, `requests[0].insertText`; '': the body */
function checkValue(value: unknown, type: FieldType, at: string): void {
  if (isList(type)) {
    if (!Array.isArray(value)) throw invalidValue(at, 'LIST', value);
    value.forEach((item, index) => {
      checkValue(item, itemOf(type), `${at}[${index}]`);
    });
    return;
  }
  const fields = fieldsOf(type);
  if (fields === undefined) {
    if (!isOfType(value, type as string)) throw invalidValue(at, type as string, value);
    return;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidValue(at, 'MESSAGE', value);
  const readOnly = (typeof type === 'string' && READ_ONLY[type]) || [];
  for (const [name, inner] of Object.entries(value)) {
    const field = fieldOf(fields, name);
    if (field === undefined) {
      throw invalid(`Invalid JSON payload received. Unknown name "${name}"${at === '' ? '' : ` at '${at}'`}: Cannot find field.`);
    }
    if (readOnly.includes(name)) {
      throw new ApiFault(403, 'fieldNotWritable', `The resource body includes fields which are not directly writable: ${name}`);
    }
    // Null is as if the field weren't there (JSON mapping of protocol buffers), or removes it (calendar).
    if (inner !== null) checkValue(inner, field, at === '' ? name : `${at}.${name}`);
  }
}

function checkMask(mask: Mask, type: FieldType, at: string): void {
  const fields = fieldsOf(isList(type) ? itemOf(type) : type);
  for (const [name, inner] of Object.entries(mask)) {
    if (name === '*') continue;
    const field = fields && fieldOf(fields, name);
    if (field === undefined) throw invalid(`Invalid field selection ${at}${name}`);
    if (inner !== null) checkMask(inner, field, `${at}${name}/`);
  }
}

function isList(type: FieldType): boolean {
  return Array.isArray(type) || type === 'array' || (typeof type === 'string' && type.endsWith('[]'));
}

function itemOf(type: string): string;
function itemOf(type: FieldType): FieldType;
function itemOf(type: FieldType): FieldType {
  if (Array.isArray(type)) return type[0];
  if (type === 'array') return 'any';
  return typeof type === 'string' && type.endsWith('[]') ? type.slice(0, -2) : type;
}

/** The fields of an object; undefined: not one with known fields. */
function fieldsOf(type: FieldType): FieldTypes | undefined {
  if (typeof type === 'string') return SCHEMAS[type];
  return Array.isArray(type) ? undefined : type;
}

function fieldOf(fields: FieldTypes, name: string): FieldType | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : fields['*'];
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'any') return true;
  if (type.startsWith('=')) return typeof value === 'string' && type.slice(1).split('|').includes(value);
  const kind = kindOf(type);
  if (typeof value !== kind) return false;
  const format = type.slice(kind.length + 1);
  const [, selected] = /^mask\((.+)\)$/.exec(format) ?? [];
  if (selected !== undefined) return isUpdateMask(value as string, selected);
  return format === '' || hasFormat(value, format);
}

/** `number` of `number:int32`. */
function kindOf(type: string): string {
  return type.split(':', 1)[0] ?? '';
}

/**
 * Whether a mask in a body names fields of the object that is updated, whose name is implied.
 *
 * @param mask `*`, or `bold,link.url`; in the spelling of JSON, or of protocol buffers: `foreground_color`
 */
function isUpdateMask(mask: string, type: string): boolean {
  try {
    checkMask(parseMask(mask.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase())), type, '');
    return true;
  } catch (error) {
    if (error instanceof ApiFault) return false;
    throw error;
  }
}

function invalidValue(at: string, type: string, value: unknown): Error {
  const shown = type.startsWith('=') ? 'ENUM' : type.slice(type.indexOf(':') + 1).toUpperCase();
  return invalid(`Invalid value at '${at}' (${shown}), ${JSON.stringify(value)}`);
}
