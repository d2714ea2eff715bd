import { isObject } from '../../validation/is-object.ts';
import { didYouMean, nearestName } from '../../validation/nearest-name.ts';
import type { Diagnostics } from '../file/diagnostics.ts';
import { compilePattern, PATTERN_MAX_LENGTH } from './declared-pattern.ts';

export type JsonSchema = Record<string, unknown>;

/** Longest text that is matched against a format, whose patterns are the library's. */
const FORMAT_MAX_LENGTH = 1_000;
/** Most items of which each is compared with each. */
const COMPARED_MAX_ITEMS = 500;
/** Items of one of these types are looked up, not compared. */
const SCALARS = ['string', 'number', 'integer', 'boolean', 'null'];

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
/** What other languages and formats call them. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  ...{ text: 'string', str: 'string', char: 'string', enum: 'string', id: 'string', date: 'string', datetime: 'string', email: 'string' },
  ...{ int: 'integer', long: 'integer', float: 'number', double: 'number', decimal: 'number', numeric: 'number' },
  ...{ bool: 'boolean', list: 'array', map: 'object', dict: 'object', record: 'object', none: 'null', nil: 'null' },
};

const SCHEMA_KEYS = ['additionalItems', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'];
const LIST_KEYS = ['allOf', 'anyOf', 'oneOf'];
const MAP_KEYS = ['properties', 'definitions'];
const PLAIN_KEYS = [
  ...['$schema', '$ref', '$comment', 'title', 'description', 'default', 'examples', 'type', 'enum', 'const', 'format', 'pattern'],
  ...['multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum', 'maxLength', 'minLength', 'maxItems', 'minItems'],
  ...['uniqueItems', 'maxProperties', 'minProperties', 'required', 'items'],
];
/** Keywords of other formats, and what draft 7 has in their place. */
const INSTEAD: Readonly<Record<string, string>> = {
  nullable: '; use type: [string, "null"]',
  optional: '; properties that are not in required are optional',
  values: '; did you mean enum?',
  min: '; did you mean minimum?',
  max: '; did you mean maximum?',
  regex: '; did you mean pattern?',
  $defs: '; did you mean definitions?',
};
const KNOWN_KEYS = [...SCHEMA_KEYS, ...LIST_KEYS, ...MAP_KEYS, ...PLAIN_KEYS];

/**
 * A JSON Schema of draft 7 with length limits added wherever a pattern or a format
 * is applied. Adds a diagnostic for what is not supported: unknown keywords, references
 * out of the schema, patterns that don't match in linear time.
 */
export function boundSchema(schema: unknown, diagnostics: Diagnostics): unknown {
  if (typeof schema === 'boolean') return schema;
  if (!isSchema(schema)) {
    diagnostics.inValue(`must be a JSON Schema, such as { type: ${typeof schema === 'string' ? meantType(schema) : 'string'} }`);
    return schema;
  }
  for (const key of Object.keys(schema)) {
    if (KNOWN_KEYS.includes(key)) continue;
    diagnostics.under(key).inKey(`is not a supported JSON Schema keyword${INSTEAD[key] ?? didYouMean(key, KNOWN_KEYS)}`);
  }
  checkType(schema, diagnostics);
  checkReference(schema, diagnostics);
  checkPattern(schema, diagnostics);
  checkUnique(schema, diagnostics);
  const children = Object.entries(schema).map(([key, value]) => [key, boundChild(key, value, diagnostics.under(key))]);
  const bounded: JsonSchema = Object.fromEntries(children);
  const most = schema.pattern !== undefined ? PATTERN_MAX_LENGTH : schema.format !== undefined ? FORMAT_MAX_LENGTH : undefined;
  return most === undefined ? bounded : { ...bounded, maxLength: Math.min(most, Number(schema.maxLength ?? most)) };
}

function boundChild(key: string, value: unknown, diagnostics: Diagnostics): unknown {
  if (SCHEMA_KEYS.includes(key) || (key === 'items' && !Array.isArray(value))) return boundSchema(value, diagnostics);
  if ((LIST_KEYS.includes(key) || key === 'items') && Array.isArray(value)) {
    return value.map((item, index) => boundSchema(item, diagnostics.under(index)));
  }
  if (MAP_KEYS.includes(key) && isSchema(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, boundSchema(child, diagnostics.under(name))]));
  }
  return value;
}

function checkType({ type }: JsonSchema, diagnostics: Diagnostics): void {
  const place = diagnostics.under('type');
  const check = (one: unknown, at: Diagnostics) => {
    if (one === null) at.inValue('null must be in quotes: "null"');
    else if (typeof one !== 'string') at.inValue(`is not valid JSON Schema: must be one of ${TYPES.join(', ')}, or a list of them`);
    else if (!isKnownType(one)) {
      const meant = meantType(one);
      at.inValue(
        `is not valid JSON Schema: must be one of ${TYPES.join(', ')}${meant === 'string' || one in OTHER_NAMES ? `; did you mean ${meant}?` : didYouMean(one, TYPES)}`,
      );
    }
  };
  if (Array.isArray(type)) type.forEach((one, index) => void check(one, place.under(index)));
  else if (type !== undefined) check(type, place);
}

function meantType(name: string): string {
  return OTHER_NAMES[name.toLowerCase()] ?? nearestName(name, TYPES) ?? 'string';
}

function checkReference(schema: JsonSchema, diagnostics: Diagnostics): void {
  const { $ref: reference } = schema;
  if (reference !== undefined && !(typeof reference === 'string' && reference.startsWith('#'))) {
    diagnostics.under('$ref').inValue('must refer to the same schema: #/definitions/…');
  }
}

function checkPattern(schema: JsonSchema, diagnostics: Diagnostics): void {
  if (typeof schema.pattern !== 'string') return;
  const compiled = compilePattern(schema.pattern);
  if ('problem' in compiled) diagnostics.under('pattern').inValue(compiled.problem);
  if (Number(schema.maxLength ?? 0) > PATTERN_MAX_LENGTH) {
    diagnostics.under('maxLength').inValue(`must be at most ${PATTERN_MAX_LENGTH} beside a pattern`);
  }
}

function checkUnique({ uniqueItems, items, maxItems }: JsonSchema, diagnostics: Diagnostics): void {
  if (uniqueItems !== true || (isSchema(items) && SCALARS.includes(String(items.type)))) return;
  if (typeof maxItems === 'number' && maxItems <= COMPARED_MAX_ITEMS) return;
  diagnostics.under('uniqueItems').inValue(`needs maxItems of at most ${COMPARED_MAX_ITEMS} beside it, or items of one scalar type`);
}

/** The types that a schema names; empty: it names none, so any. */
export function typesOf({ type }: JsonSchema): string[] {
  return [type].flat().filter((one) => typeof one === 'string');
}

export function isKnownType(type: string): boolean {
  return TYPES.includes(type);
}

export function isSchema(value: unknown): value is JsonSchema {
  return isObject(value);
}
