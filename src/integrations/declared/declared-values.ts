import type { Field, Fields, ValueKind } from '../../providers/workspace/workspace-methods.ts';
import { isObject } from '../../validation/is-object.ts';
import { didYouMean } from '../../validation/nearest-name.ts';
import type { Diagnostics } from '../declaration-diagnostics.ts';
import type { DeclaredInput } from './declared-input.ts';
import { referenceIn } from './declared-references.ts';
import { isKnownType, isSchema, type JsonSchema, typesOf } from './declared-schema.ts';

export const EXPECTED: Record<ValueKind, string> = {
  string: 'a text (in quotes where it looks like a number)',
  number: 'a number',
  boolean: 'true or false',
  'string[]': 'a list of texts',
  array: 'a list',
  object: 'an object',
  any: 'anything',
};
/** Types of JSON Schema whose values can be of a kind. */
const TYPES: Record<Exclude<ValueKind, 'any'>, readonly string[]> = {
  string: ['string'],
  number: ['number', 'integer'],
  boolean: ['boolean'],
  'string[]': ['array', 'string'],
  array: ['array'],
  object: ['object'],
};
/** Names of values that mean that nothing was said. */
const UNSPECIFIED = /unspecified$/i;

export interface Place {
  input: DeclaredInput;
  /** Whether null is sent here. */
  takesNull: boolean;
}

/** Holds a value of `with` against what can stand in its place, all the way down; what is wrong is noted. */
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
    const refusal = refusalOf(field, value);
    if (refusal !== undefined) diagnostics.inValue(refusal);
  }
}

/** Whether a value is of a kind, without a look inside. */
export function fits(kind: ValueKind, value: unknown): boolean {
  if (kind === 'any') return true;
  // The provider takes one of a list's texts alone as well.
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
  return `is no field of this object${didYouMean(name, Object.keys(fields))}`;
}

/** Why a fixed text can't stand here; undefined: it can. */
function refusalOf({ values }: Field, value: unknown): string | undefined {
  if (values === undefined || typeof value !== 'string' || values.includes(value)) return undefined;
  const shown = values.filter((one) => !UNSPECIFIED.test(one));
  return `must be one of ${shown.join(', ')}${didYouMean(value, shown)}`;
}

/** The same of what a property of the input may be, as far as its schema says. */
function checkProperty(field: Field, name: string, input: DeclaredInput, diagnostics: Diagnostics): void {
  const schema = input.properties.get(name);
  if (schema === undefined) return;
  const refusal = schemaRefusal(field, schema, name);
  if (refusal !== undefined) diagnostics.inValue(refusal);
  else checkNames(field, schema, input.place(name));
}

function schemaRefusal(field: Field, schema: JsonSchema, name: string): string | undefined {
  const types = typesOf(schema).filter((type) => type !== 'null');
  // A type that there isn't is noted where it stands.
  if (types.every(isKnownType) && types.length > 0 && field.kind !== 'any') {
    const possible = TYPES[field.kind];
    if (!types.some((type) => possible.includes(type))) return `must be ${EXPECTED[field.kind]}, but ${name} is ${types.join(' or ')}`;
  }
  const item = itemOf(field);
  if (item !== undefined && isSchema(schema.items)) return schemaRefusal(item, schema.items, `what ${name} lists`);
  for (const value of possibleValues(schema)) {
    const refusal = refusalOf(field, value);
    if (refusal !== undefined) return `${refusal}, but ${name} can be ${JSON.stringify(value)}`;
  }
  return undefined;
}

/** Values that a schema names. */
function possibleValues({ enum: listed, const: only, default: usual }: JsonSchema): unknown[] {
  return [...(Array.isArray(listed) ? listed : []), only, usual];
}

/** What an input's object holds goes into the request under its own names. */
function checkNames(field: Field, schema: JsonSchema, diagnostics: Diagnostics): void {
  if (field.items !== undefined && isSchema(schema.items)) checkNames(field.items, schema.items, diagnostics.under('items'));
  const fields = field.fields?.();
  if (fields === undefined || !isSchema(schema.properties)) return;
  for (const [name, child] of Object.entries(schema.properties)) {
    const place = diagnostics.under('properties', name);
    const known = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (known === undefined) place.inKey(unknownField(name, fields));
    else if (isSchema(child)) {
      const refusal = schemaRefusal(known, child, 'this');
      if (refusal !== undefined) place.inKey(refusal);
      else checkNames(known, child, place);
    }
  }
}
