import { didYouMean } from '../http/nearest-name.ts';
import type { Mistakes } from './declaration-mistakes.ts';
import { PATTERN_MAX_LENGTH, patternRefusal } from './declared-pattern.ts';

export type JsonSchema = Record<string, unknown>;

/** Longest text that is held against a format, whose patterns are the library's. */
const FORMAT_MAX_LENGTH = 1_000;
/** Most items of which each is compared with each. */
const COMPARED_MAX_ITEMS = 500;
/** Items of one of these types are looked up, not compared. */
const SCALARS = ['string', 'number', 'integer', 'boolean', 'null'];

const SCHEMA_KEYS = ['additionalItems', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'];
const LIST_KEYS = ['allOf', 'anyOf', 'oneOf'];
const MAP_KEYS = ['properties', 'definitions'];
const PLAIN_KEYS = [
  ...['$schema', '$ref', '$comment', 'title', 'description', 'default', 'examples', 'type', 'enum', 'const', 'format', 'pattern'],
  ...['multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum', 'maxLength', 'minLength', 'maxItems', 'minItems'],
  ...['uniqueItems', 'maxProperties', 'minProperties', 'required', 'items'],
];
const KNOWN_KEYS = [...SCHEMA_KEYS, ...LIST_KEYS, ...MAP_KEYS, ...PLAIN_KEYS];

/**
 * A JSON Schema of draft 7 with bounds put in wherever a pattern or a format
 * is applied. What can't be used is noted: unknown keywords, references out of
 * the schema, patterns that could run for seconds.
 */
export function boundSchema(schema: unknown, mistakes: Mistakes): unknown {
  if (typeof schema === 'boolean') return schema;
  if (!isSchema(schema)) {
    mistakes.inValue('must be a JSON Schema');
    return schema;
  }
  for (const key of Object.keys(schema)) {
    if (KNOWN_KEYS.includes(key)) continue;
    mistakes.under(key).inKey(`is not a keyword of JSON Schema that can be used here${didYouMean(key, KNOWN_KEYS)}`);
  }
  checkReference(schema, mistakes);
  checkPattern(schema, mistakes);
  checkUnique(schema, mistakes);
  const children = Object.entries(schema).map(([key, value]) => [key, boundChild(key, value, mistakes.under(key))]);
  const bounded: JsonSchema = Object.fromEntries(children);
  const most = schema.pattern !== undefined ? PATTERN_MAX_LENGTH : schema.format !== undefined ? FORMAT_MAX_LENGTH : undefined;
  return most === undefined ? bounded : { ...bounded, maxLength: Math.min(most, Number(schema.maxLength ?? most)) };
}

function boundChild(key: string, value: unknown, mistakes: Mistakes): unknown {
  if (SCHEMA_KEYS.includes(key) || (key === 'items' && !Array.isArray(value))) return boundSchema(value, mistakes);
  if ((LIST_KEYS.includes(key) || key === 'items') && Array.isArray(value)) {
    return value.map((item, index) => boundSchema(item, mistakes.under(index)));
  }
  if (MAP_KEYS.includes(key) && isSchema(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, boundSchema(child, mistakes.under(name))]));
  }
  return value;
}

function checkReference(schema: JsonSchema, mistakes: Mistakes): void {
  const { $ref: reference } = schema;
  if (reference !== undefined && !(typeof reference === 'string' && reference.startsWith('#'))) {
    mistakes.under('$ref').inValue('must stay within the schema: #/definitions/…');
  }
}

function checkPattern(schema: JsonSchema, mistakes: Mistakes): void {
  if (typeof schema.pattern !== 'string') return;
  const refusal = patternRefusal(schema.pattern);
  if (refusal !== undefined) mistakes.under('pattern').inValue(refusal);
  if (Number(schema.maxLength ?? 0) > PATTERN_MAX_LENGTH) {
    mistakes.under('maxLength').inValue(`must be at most ${PATTERN_MAX_LENGTH} beside a pattern`);
  }
}

function checkUnique({ uniqueItems, items, maxItems }: JsonSchema, mistakes: Mistakes): void {
  if (uniqueItems !== true || (isSchema(items) && SCALARS.includes(String(items.type)))) return;
  if (typeof maxItems === 'number' && maxItems <= COMPARED_MAX_ITEMS) return;
  mistakes.under('uniqueItems').inValue(`needs maxItems of at most ${COMPARED_MAX_ITEMS} beside it, or items of one scalar type`);
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
