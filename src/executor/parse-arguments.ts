import type { Schema } from '../actions/action.ts';
import { AppError } from '../errors.ts';
import { isObject } from '../validation/is-object.ts';

/** More empty texts than any action has properties. */
const MAX_OMITTED = 30;

/**
 * Parses arguments in which models say “nothing” by null or by an empty text: an optional property that doesn't take null
 * counts as absent if it is null, and one that doesn't take an empty text if it is empty.
 *
 * @param jsonSchema the schema's
 * @throws AppError what the schema throws
 */
export function parseArguments<Value>(schema: Schema<Value>, jsonSchema: object, given: unknown): Value {
  let value = holdsNull(given) ? omitNulls(jsonSchema, given) : given;
  for (let omitted = 0; ; omitted += 1) {
    try {
      return schema.parse(value);
    } catch (error) {
      const rest = error instanceof AppError && omitted < MAX_OMITTED ? omitEmpty(value, pathOf(error)) : undefined;
      if (rest === undefined) throw error;
      value = rest;
    }
  }
}

/** Most arguments don't, and then nothing is copied. */
function holdsNull(value: unknown): boolean {
  if (typeof value !== 'object') return false;
  return value === null || Object.values(value).some(holdsNull);
}

function omitNulls(schema: unknown, value: unknown): unknown {
  if (!isObject(schema)) return value;
  const { properties, required, items } = schema;
  if (Array.isArray(value)) return isObject(items) ? value.map((item) => omitNulls(items, item)) : value;
  if (!isObject(value) || !isObject(properties)) return value;
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  const schemaOf = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : undefined);
  const kept = Object.entries(value).filter(([name, one]) => one !== null || isRequired(name) || takesNull(schemaOf(name)));
  return Object.fromEntries(kept.map(([name, one]) => [name, omitNulls(schemaOf(name), one)]));
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
