import type { Ajv, ErrorObject } from 'ajv';
import { didYouMean } from '../../validation/nearest-name.ts';
import type { Diagnostics } from '../file/diagnostics.ts';
import { placeOf, reasonOf } from './declared-messages.ts';
import { isSchema, type JsonSchema, typesOf } from './declared-schema.ts';

/** Keywords whose schemas apply to the same value as their parent. */
const SAME_VALUE = ['not', 'if', 'then', 'else'];
const SAME_VALUE_LISTS = ['allOf', 'anyOf', 'oneOf'];
const OTHER_VALUE = ['additionalItems', 'additionalProperties', 'contains', 'propertyNames', 'items'];
/** Keywords with schemas by name. */
const NAMED = ['properties', 'definitions'];
/** Keywords with values, not schemas. */
const PLAIN = ['enum', 'const', 'examples'];
/** Id of the schema while its parts are validated. */
const FRAGMENTS = 'fragments';

/**
 * Adds diagnostics for errors in a valid JSON Schema: required properties that are not defined, and values in `enum` or
 * `const` that match none of its types.
 *
 * @param above properties that the enclosing schemas define for the same value
 */
export function checkConsistency(schema: unknown, diagnostics: Diagnostics, above: readonly string[] = []): void {
  if (!isSchema(schema)) return;
  const own = isSchema(schema.properties) ? schema.properties : {};
  const known = [...above, ...Object.keys(own)];
  checkRequired(schema, known, diagnostics);
  checkListed(schema, diagnostics);
  for (const key of SAME_VALUE) checkConsistency(schema[key], diagnostics.under(key), known);
  for (const key of SAME_VALUE_LISTS) forEach(schema[key], (child, index) => checkConsistency(child, diagnostics.under(key, index), known));
  for (const key of OTHER_VALUE) {
    checkConsistency(schema[key], diagnostics.under(key));
    forEach(schema[key], (child, index) => checkConsistency(child, diagnostics.under(key, index)));
  }
  for (const [name, child] of Object.entries(own)) checkConsistency(child, diagnostics.under('properties', name));
  for (const [name, child] of Object.entries(isSchema(schema.definitions) ? schema.definitions : {})) {
    // Which other properties exist depends on the schema that refers to it.
    const place = diagnostics.under('definitions', name);
    if (isSchema(child)) checkConsistency(isSchema(child.properties) ? child : { ...child, required: undefined }, place);
  }
}

/** Adds diagnostics for defaults that their own schema rejects, since calls that omit the property would be rejected. */
export function checkDefaults(ajv: Ajv, schema: JsonSchema, diagnostics: Diagnostics): void {
  const defaults = defaultsIn(schema, []);
  if (defaults.length === 0) return;
  // Without defaults, because Ajv rejects those in a schema that is not a property's. The schema is validated already.
  ajv.addSchema(withoutDefaults(schema) as JsonSchema, FRAGMENTS, undefined, false);
  for (const { path, property } of defaults) {
    const check = ajv.getSchema(`${FRAGMENTS}#${path.map((name) => `/${pointerPart(name)}`).join('')}`);
    const value = structuredClone(property.default);
    fill(value, property, schema);
    if (check?.(value) === false) diagnostics.under(...path, 'default').inValue(mismatch(check.errors?.[0]));
  }
  ajv.removeSchema(FRAGMENTS);
}

/** Properties that have a default, at any depth. */
function defaultsIn(schema: JsonSchema, path: readonly string[]): { path: readonly string[]; property: JsonSchema }[] {
  const below = ['properties', 'definitions'].flatMap((key) =>
    Object.entries(isSchema(schema[key]) ? schema[key] : {}).flatMap(([name, child]) => {
      if (!isSchema(child)) return [];
      const at = [...path, key, name];
      const own = key === 'properties' && child.default !== undefined ? [{ path: at, property: child }] : [];
      return [...own, ...defaultsIn(child, at)];
    }),
  );
  return isSchema(schema.items) ? [...below, ...defaultsIn(schema.items, [...path, 'items'])] : below;
}

/** @param isNames whether the keys are property names, one of which may be `default` */
function withoutDefaults(value: unknown, isNames = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutDefaults(item));
  if (!isSchema(value)) return value;
  const kept = Object.entries(value).filter(([key]) => isNames || key !== 'default');
  const entries = kept.map(([key, child]) => {
    const isPlain = !isNames && PLAIN.includes(key);
    return [key, isPlain ? child : withoutDefaults(child, !isNames && NAMED.includes(key))];
  });
  return Object.fromEntries(entries);
}

/** Applies the defaults of an object's properties to it, as a call does. */
function fill(value: unknown, schema: JsonSchema, root: JsonSchema): void {
  const [, definition = ''] = /^#\/definitions\/([^/]+)$/.exec(String(schema.$ref)) ?? [];
  const referred = isSchema(root.definitions) ? root.definitions[definition] : undefined;
  const { properties } = isSchema(referred) ? referred : schema;
  if (!isSchema(value) || !isSchema(properties)) return;
  for (const [name, child] of Object.entries(properties)) {
    if (!isSchema(child)) continue;
    if (!Object.hasOwn(value, name) && child.default !== undefined) value[name] = structuredClone(child.default);
    fill(value[name], child, root);
  }
}

function mismatch(error: ErrorObject | undefined): string {
  const place = error === undefined ? [] : placeOf(error);
  const reason = error === undefined ? 'is not valid' : reasonOf(error);
  return `doesn’t match its own schema: ${place.length === 0 ? '' : `${place.join('.')} `}${reason}`;
}

/** RFC 6901, as a fragment of a URI. */
function pointerPart(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function checkRequired({ required, $ref }: JsonSchema, known: readonly string[], diagnostics: Diagnostics): void {
  if (!Array.isArray(required) || $ref !== undefined) return;
  for (const name of required) {
    if (typeof name !== 'string' || known.includes(name)) continue;
    diagnostics.inValue(`required property "${name}" is not defined in properties${didYouMean(name, known)}`);
  }
}

function checkListed(schema: JsonSchema, diagnostics: Diagnostics): void {
  const types = typesOf(schema);
  if (types.length === 0) return;
  const check = (value: unknown, place: Diagnostics) => {
    if (!types.some((type) => isOf(type, value))) place.inValue(`is not of its type ${types.join(' or ')}${quoteHint(types, value)}`);
  };
  forEach(schema.enum, (value, index) => check(value, diagnostics.under('enum', index)));
  if (schema.const !== undefined) check(schema.const, diagnostics.under('const'));
}

function quoteHint(types: readonly string[], value: unknown): string {
  return types.includes('string') && ['number', 'boolean'].includes(typeof value) ? `: write "${String(value)}", in quotes` : '';
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isSchema(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function forEach(list: unknown, visit: (item: unknown, index: number) => void): void {
  if (Array.isArray(list)) list.forEach(visit);
}
