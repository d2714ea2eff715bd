import type { Field, Fields, ValueKind } from '../../providers/shared/declared-call.ts';
import { isObject } from '../../validation/is-object.ts';
import { didYouMean } from '../../validation/nearest-name.ts';
import type { Diagnostics } from '../file/diagnostics.ts';
import type { DeclaredInput } from './declared-input.ts';
import { referenceIn } from './declared-references.ts';
import { isKnownType, isSchema, type JsonSchema, typesOf } from './declared-schema.ts';

export const EXPECTED: Record<ValueKind, string> = {
  string: 'a string (in quotes if it looks like a number)',
  number: 'a number',
  boolean: 'true or false',
  'string[]': 'a list of strings',
  array: 'a list',
  object: 'an object',
  any: 'anything',
};
/** Types of JSON Schema by kind of value. */
const TYPES: Record<Exclude<ValueKind, 'any'>, readonly string[]> = {
  string: ['string'],
  number: ['number', 'integer'],
  boolean: ['boolean'],
  'string[]': ['array', 'string'],
  array: ['array'],
  object: ['object'],
};
/** Names of values that mean unspecified. */
const UNSPECIFIED = /unspecified$/i;

export interface Place {
  input: DeclaredInput;
  /** Whether null is sent here. */
  takesNull: boolean;
}

/** Checks a value of `with` against its field, at all levels, and adds diagnostics. */
export function checkValue(field: Field, value: unknown, place: Place, diagnostics: Diagnostics): void {
  const reference = referenceIn(value);
  if (reference !== undefined) checkProperty(field, reference, place.input, diagnostics);
  else if (value === null && place.takesNull) return;
  else if (!fits(field.kind, value)) diagnostics.inValue(`must be ${EXPECTED[field.kind]}`);
  else if (Array.isArray(value)) {
    const item = itemOf(field);
    if (item !== undefined) value.forEach((one, index) => void checkValue(item, one, place, diagnostics.under(index)));
  } else if (typeof value === 'object' && value !== null) checkObject(field.fields?.(), value, place, diagnostics);
  else {
    const rejection = rejectionOf(field, value);
    if (rejection !== undefined) diagnostics.inValue(rejection);
  }
}

/** Whether a value is of a kind, without its items and fields. */
export function fits(kind: ValueKind, value: unknown): boolean {
  if (kind === 'any') return true;
  // The provider accepts a single string in place of a list.
  if (kind === 'string[]') return typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string'));
  if (kind === 'array') return Array.isArray(value);
  if (kind === 'object') return isObject(value);
  return typeof value === kind;
}

function itemOf({ kind, values, items }: Field): Field | undefined {
  return kind === 'string[]' ? { kind: 'string', ...(values !== undefined && { values }) } : items;
}

function checkObject(fields: Fields | undefined, value: object, place: Place, diagnostics: Diagnostics): void {
  if (fields === undefined) return;
  for (const [name, child] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) diagnostics.under(name).inKey(unknownField(name, fields));
    else checkValue(field, child, place, diagnostics.under(name));
  }
}

function unknownField(name: string, fields: Fields): string {
  return `is not a field of this object${didYouMean(name, Object.keys(fields))}`;
}

/** Why a fixed string is not allowed; undefined: it is. */
function rejectionOf({ values }: Field, value: unknown): string | undefined {
  if (values === undefined || typeof value !== 'string' || values.includes(value)) return undefined;
  const shown = values.filter((one) => !UNSPECIFIED.test(one));
  return `must be one of ${shown.join(', ')}${didYouMean(value, shown)}`;
}

/** Checks an input property against the field, as far as its schema determines it. */
function checkProperty(field: Field, name: string, input: DeclaredInput, diagnostics: Diagnostics): void {
  const schema = input.properties.get(name);
  if (schema === undefined) return;
  const rejection = schemaRejection(field, schema, name);
  if (rejection !== undefined) diagnostics.inValue(rejection);
  else checkNames(field, schema, input.place(name));
}

function schemaRejection(field: Field, schema: JsonSchema, name: string): string | undefined {
  const types = typesOf(schema).filter((type) => type !== 'null');
  // Unknown types are reported at their declaration.
  if (types.every(isKnownType) && types.length > 0 && field.kind !== 'any') {
    const possible = TYPES[field.kind];
    if (!types.some((type) => possible.includes(type))) return `must be ${EXPECTED[field.kind]}, but ${name} is ${types.join(' or ')}`;
  }
  const item = itemOf(field);
  if (item !== undefined && isSchema(schema.items)) return schemaRejection(item, schema.items, `what ${name} lists`);
  for (const value of possibleValues(schema)) {
    const rejection = rejectionOf(field, value);
    if (rejection !== undefined) return `${rejection}, but ${name} can be ${JSON.stringify(value)}`;
  }
  return undefined;
}

/** Values listed in a schema. */
function possibleValues({ enum: listed, const: only, default: usual }: JsonSchema): unknown[] {
  return [...(Array.isArray(listed) ? listed : []), only, usual];
}

/** The properties of an input object go into the request under their own names. */
function checkNames(field: Field, schema: JsonSchema, diagnostics: Diagnostics): void {
  if (field.items !== undefined && isSchema(schema.items)) checkNames(field.items, schema.items, diagnostics.under('items'));
  const fields = field.fields?.();
  if (fields === undefined || !isSchema(schema.properties)) return;
  for (const [name, child] of Object.entries(schema.properties)) {
    const place = diagnostics.under('properties', name);
    const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (known === undefined) place.inKey(unknownField(name, fields));
    else if (isSchema(child)) {
      const rejection = schemaRejection(known, child, 'this');
      if (rejection !== undefined) place.inKey(rejection);
      else checkNames(known, child, place);
    }
  }
}
