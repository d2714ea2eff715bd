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
  const limited = Object.entries(properties as Record<string, Schema>).filter(([, schema]) => isLimited(schema));
  return [
    changed('an unknown parameter', (query) => query.set('noSuchParameter', '1')),
    ...limited.map(([name]) => changed(`a wrong value of ${name}`, (query) => query.set(name, NO_VALUE))),
    ...(required as string[]).map((name) => changed(`no ${name}`, (query) => query.delete(name))),
    ...(response === undefined ? [] : [changed('a mask of no field', (query) => query.set('fields', 'noSuchField'))]),
  ];
}

/** Whether not every text is a value. */
function isLimited({ type, items, ...schema }: Schema): boolean {
  return type === 'array' ? isLimited(items as Schema) : 'enum' in schema || 'pattern' in schema;
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
    return [{ what: `${at}: a wrong type`, value: NO_TYPE }, ...inItems];
  }
  if (typeof value === 'object' && value !== null) return wrongMembers(value as Record<string, unknown>, schema, at, resolve);
  if ('enum' in schema) return [{ what: `${at}: no value of it`, value: NO_VALUE }];
  return [{ what: `${at}: a wrong type`, value: NO_TYPE }];
}

function wrongMembers(object: Record<string, unknown>, schema: Schema, at: string, resolve: Resolve): { what: string; value: unknown }[] {
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = schema as { properties?: Record<string, Schema>; required?: string[]; additionalProperties?: unknown };
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
  return [...unknown, ...missing, ...inMembers];
}
