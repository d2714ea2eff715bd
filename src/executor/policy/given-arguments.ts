import { isObject } from '../../validation/is-object.ts';

/** An argument that a call gives, as an allowance is bound to it. */
export interface GivenArgument {
  /** Its path without places in lists: `notify`, `attachments.name`. */
  name: string;
  /** Its values, where they are part of what is allowed: yes or no, a number or one of a fixed list, all of a read. Left out: any text. */
  values?: (boolean | number | string)[];
}

/**
 * The arguments that a call gives, with the values of those that are a choice. Null and empty lists are not given.
 *
 * @param schema JSON Schema (draft 7) of the input, for the fixed lists of texts
 * @param input with defaults
 * @param isExact with the values of all of them
 */
export function givenArguments(schema: object, input: unknown, isExact = false): GivenArgument[] {
  const found = new Map<string, Set<boolean | number | string>>();
  const visit = (value: unknown, schemas: readonly Schema[], name: string): void => {
    if (value === null || value === undefined) return;
    const options = schemas.flatMap((one) => alternatives(schema, one));
    if (Array.isArray(value)) {
      for (const one of value) visit(one, options.flatMap(itemsOf), name);
      return;
    }
    if (isObject(value)) {
      const path = (key: string) => (name === '' ? key : `${name}.${key}`);
      for (const [key, one] of Object.entries(value))
        visit(
          one,
          options.flatMap((option) => propertyOf(option, key)),
          path(key),
        );
      return;
    }
    const values = found.get(name) ?? new Set();
    found.set(name, values);
    if (typeof value === 'boolean' || typeof value === 'number') values.add(value);
    else if (typeof value === 'string' && (isExact || options.some(isChoice))) values.add(value);
  };
  visit(input, [schema as Schema], '');
  const inOrder = [...found].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return inOrder.map(([name, values]) => ({ name, ...(values.size > 0 && { values: [...values].toSorted(byText) }) }));
}

type Schema = Record<string, unknown>;

/** A schema with those that it is combined of. */
function alternatives(root: object, schema: unknown, above: readonly unknown[] = []): Schema[] {
  if (!isObject(schema) || above.includes(schema)) return [];
  const { anyOf = [], oneOf = [], allOf = [], then, else: otherwise, $ref: reference } = schema as Schema;
  const parts = [anyOf, oneOf, allOf, then, otherwise].flat();
  const referred = typeof reference === 'string' ? [resolved(root, reference)] : [];
  return [schema as Schema, ...[...parts, ...referred].flatMap((part) => alternatives(root, part, [...above, schema]))];
}

/** What a reference within a schema points to (RFC 6901). */
function resolved(root: object, reference: string): unknown {
  const keys = decodeURIComponent(reference.replace(/^#\/?/, '')).split('/');
  const into = (value: unknown, key: string) => Object(value)[key.replaceAll('~1', '/').replaceAll('~0', '~')];
  return keys.filter((key) => key !== '').reduce(into, root as unknown);
}

function itemsOf({ items, additionalItems, contains }: Schema): Schema[] {
  return [items, additionalItems, contains].flat().filter(isObject) as Schema[];
}

function propertyOf({ properties, additionalProperties }: Schema, key: string): Schema[] {
  const own = isObject(properties) && Object.hasOwn(properties, key) ? (properties as Schema)[key] : additionalProperties;
  return isObject(own) ? [own as Schema] : [];
}

function isChoice(schema: Schema): boolean {
  return schema.enum !== undefined || schema.const !== undefined;
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}
