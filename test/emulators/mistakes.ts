import type { Exchange } from '../support/emulators/recorded-sandbox.ts';
import type { DocumentedMethod, Schema } from './documents.ts';

/** A request with one mistake. */
export interface Mistake {
  /** For example `body /user: an unknown member`. */
  what: string;
  url: string;
  body: unknown;
}

/** The schema that one refers to, without null. */
type Resolve = (schema: Schema) => Schema;

const NO_VALUE = 'NO_SUCH_VALUE';
/** Not of the type of any parameter or member. */
const NO_TYPE = { noSuchMember: true };

/** A request again, with one mistake each that its method's description shows. */
export function mistakesOf({ url, body }: Exchange, method: DocumentedMethod, resolve: Resolve): Mistake[] {
  const inBody = method.body === undefined || body === undefined ? [] : wrongValues(body, method.body, '', resolve);
  return [
    ...(method.query === undefined ? [] : wrongQueries(url, method, method.query).map((mistake) => ({ ...mistake, body }))),
    ...inBody.map(({ what, value }) => ({ what: `body ${what}`, url, body: value })),
  ];
}

function wrongQueries(url: string, { response }: DocumentedMethod, { properties, required }: Schema): { what: string; url: string }[] {
  const changed = (what: string, change: (query: URLSearchParams) => void) => {
    const [path = '', query] = url.split('?', 2);
    const parameters = new URLSearchParams(query);
    change(parameters);
    return { what, url: `${path}?${parameters}` };
  };
  const parameters = Object.entries(properties as Record<string, Schema>).map(
    ([name, { items, ...schema }]) => [name, (items ?? schema) as Schema] as const,
  );
  return [
    changed('an unknown parameter', (query) => query.set('noSuchParameter', '1')),
    ...parameters.flatMap(([name, schema]) =>
      outsideOf(schema).map(({ what, value }) => changed(`${name}: ${what}`, (query) => query.set(name, String(value)))),
    ),
    ...(required as string[]).map((name) => changed(`no ${name}`, (query) => query.delete(name))),
    ...(response === undefined ? [] : [changed('a mask of no field', (query) => query.set('fields', 'noSuchField'))]),
  ];
}

/** Values of the type that a schema has, or texts, which it does not permit. */
function outsideOf({ enum: values, maskOf, format, type, minimum, maximum, ...schema }: Schema): { what: string; value: unknown }[] {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema as { minLength?: number; maxLength?: number };
  const isText = type === 'string';
  return [
    ...(values !== undefined ? [{ what: 'no value of it', value: NO_VALUE }] : []),
    ...(maskOf === undefined ? [] : ['noSuchField', ''].map((value) => ({ what: `the mask "${value}"`, value }))),
    ...(isText && format !== undefined ? [{ what: `no ${format}`, value: NO_VALUE }] : []),
    ...(String(format).includes('int') ? [0.5, String(format).endsWith('64') ? 2n ** 64n : 2 ** 32] : []).map((value) => ({
      what: String(value),
      value: isText ? String(value) : value,
    })),
    ...(minimum === undefined ? [] : [{ what: 'less than the least', value: Number(minimum) - 1 }]),
    ...(maximum === undefined ? [] : [{ what: 'more than the most', value: Number(maximum) + 1 }]),
    ...(minLength > 0 ? [{ what: 'too short', value: 'x'.repeat(minLength - 1) }] : []),
    ...(Number.isFinite(maxLength) ? [{ what: 'too long', value: 'x'.repeat(maxLength + 1) }] : []),
  ];
}

/** Copies of a value with one mistake each. */
function wrongValues(value: unknown, described: Schema, at: string, resolve: Resolve): { what: string; value: unknown }[] {
  const schema = resolve(described);
  // Any value.
  if (Object.keys(schema).length === 0) return [];
  if (Array.isArray(value)) {
    const inItems = value.flatMap((item, index) =>
      wrongValues(item, schema.items as Schema, `${at}[]`, resolve).map((wrong) => ({ ...wrong, value: value.with(index, wrong.value) })),
    );
    const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema as { minItems?: number; maxItems?: number };
    return [
      { what: `${at}: a wrong type`, value: NO_TYPE },
      ...(minItems > 0 ? [{ what: `${at}: too few`, value: value.slice(0, minItems - 1) }] : []),
      ...(Number.isFinite(maxItems) ? [{ what: `${at}: too many`, value: Array(maxItems + 1).fill(value[0]) }] : []),
      ...inItems,
    ];
  }
  if (typeof value === 'object' && value !== null) return wrongMembers(value as Record<string, unknown>, schema, at, resolve);
  const wrongType = { what: 'a wrong type', value: NO_TYPE };
  return [wrongType, ...outsideOf(schema)].map(({ what, value: wrong }) => ({ what: `${at}: ${what}`, value: wrong }));
}

function wrongMembers(object: Record<string, unknown>, schema: Schema, at: string, resolve: Resolve): { what: string; value: unknown }[] {
  const {
    properties = {},
    required = [],
    outputOnly = [],
    additionalProperties,
  } = schema as { properties?: Record<string, Schema>; required?: string[]; outputOnly?: string[]; additionalProperties?: unknown };
  const inMembers = Object.entries(object).flatMap(([name, value]) => {
    const member = properties[name];
    if (member === undefined) return [];
    return wrongValues(value, member, `${at}/${name}`, resolve).map((wrong) => ({ ...wrong, value: { ...object, [name]: wrong.value } }));
  });
  const missing = required.map((name) => {
    const { [name]: _, ...rest } = object;
    return { what: `${at}: no ${name}`, value: rest };
  });
  const unknown = additionalProperties === false ? [{ what: `${at}: an unknown member`, value: { ...object, noSuchMember: 1 } }] : [];
  const unwritable = outputOnly
    .slice(0, 1)
    .map((name) => ({ what: `${at}: what nobody may write, ${name}`, value: { ...object, [name]: 'x' } }));
  return [...unknown, ...missing, ...unwritable, ...inMembers];
}
