import type { Schema } from '../../actions/shared/action.ts';
import { AppError } from '../../errors.ts';
import { isObject } from '../../validation/is-object.ts';

/** More empty texts than any action has properties. */
const MAX_OMITTED = 30;
/** Values that are checked again in all, because the schema checks all of the arguments each time: some 5 milliseconds. */
const MAX_CHECKED = 10_000;
/** Checking this many characters takes as long as checking a value. */
const CHARACTERS_OF_VALUE = 64;

/**
 * Parses arguments in which models say “nothing” by null or by an empty text: an optional property that doesn't take null
 * counts as absent if it is null, and one that doesn't take an empty text if it is empty.
 *
 * @param jsonSchema the schema's
 * @throws AppError what the schema throws
 */
export function parseArguments<Value>(schema: Schema<Value>, jsonSchema: object, given: unknown): Value {
  let value = omitNulls(jsonSchema, given);
  let left: number | undefined;
  for (;;) {
    try {
      return schema.parse(value);
    } catch (error) {
      const rest = error instanceof AppError ? omitEmpty(value, pathOf(error)) : undefined;
      left ??= Math.min(MAX_OMITTED, Math.ceil(MAX_CHECKED / valuesIn(value)));
      if (rest === undefined || left === 0) throw error;
      left -= 1;
      value = rest;
    }
  }
}

function valuesIn(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / CHARACTERS_OF_VALUE;
  if (typeof value !== 'object' || value === null) return 1;
  let sum = 1;
  for (const name in value) sum += valuesIn((value as Record<string, unknown>)[name]);
  return sum;
}

/** Without nulls that say nothing. The value itself if nothing is omitted: arguments may have many thousands of properties. */
export function omitNulls(schema: unknown, value: unknown): unknown {
  if (!isObject(schema)) return value;
  const { properties, required, items } = schema;
  if (Array.isArray(value)) return isObject(items) ? ofEach(value, (item) => omitNulls(items, item)) : value;
  if (!isObject(value) || !isObject(properties)) return value;
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  let kept: Record<string, unknown> | undefined;
  for (const name of Object.keys(value)) {
    const one = value[name];
    const schemaOf = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const isOmitted = one === null && !isRequired(name) && !takesNull(schemaOf);
    const rest = isOmitted || schemaOf === undefined ? one : omitNulls(schemaOf, one);
    if (!isOmitted && rest === one) continue;
    kept ??= { ...value };
    if (isOmitted) delete kept[name];
    else kept[name] = rest;
  }
  return kept ?? value;
}

function ofEach(list: readonly unknown[], change: (item: unknown) => unknown): readonly unknown[] {
  const changed = list.map(change);
  return changed.some((item, index) => item !== list[index]) ? changed : list;
}

/** An unknown property takes what its schema says about it. */
function takesNull(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  const { type, anyOf, oneOf, enum: values, const: only, $ref: reference } = schema;
  if (reference !== undefined || only === null || (Array.isArray(values) && values.includes(null))) return true;
  const alternatives = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  if (alternatives.length > 0) return alternatives.some(takesNull);
  return type === undefined ? values === undefined && only === undefined : [type].flat().includes('null');
}

/** The property that the message of an invalid argument begins with. */
function pathOf({ code, message }: AppError): string[] {
  const [, path = ''] = /^([\w.-]{1,200}): /.exec(message) ?? [];
  return code !== 'invalid_request' || path === '' ? [] : path.split('.');
}

/** The value without the empty text at a path; undefined: there is none. */
function omitEmpty(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  const child = (value as Record<string, unknown>)[name];
  if (rest.length === 0 && (child !== '' || Array.isArray(value))) return undefined;
  const changed = rest.length === 0 ? undefined : omitEmpty(child, rest);
  if (rest.length > 0 && changed === undefined) return undefined;
  if (Array.isArray(value)) return value.with(Number(name), changed);
  const { [name]: _, ...others } = value as Record<string, unknown>;
  return changed === undefined ? others : { ...others, [name]: changed };
}
