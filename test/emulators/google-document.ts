import table from '../../sandbox/google/google-methods.json' with { type: 'json' };
import type { FieldType, FieldTypes } from '../../scripts/generate/sdk-types.ts';
import type { ApiDocument, DocumentedMethod, Schema } from './documents.ts';
import { googleErrorOf } from './google-errors.ts';

interface Entry {
  id: string;
  required: readonly string[];
  params: FieldTypes;
  body?: string;
  /** Members that the body must have. */
  members?: readonly string[];
  response?: string;
}

const READ_ONLY: Readonly<Record<string, readonly string[] | undefined>> = table.readOnly;

/** The workspace's APIs as the provider's SDK, which is generated from its discovery documents, declares them. */
export function readGoogleDocument(): ApiDocument {
  const schemas = Object.entries(table.schemas as unknown as Record<string, FieldTypes>);
  const methods = Object.entries(table.methods as unknown as Record<string, Entry>).map(([key, entry]) => {
    const [verb = '', path = ''] = key.split(' ');
    return { verb, path: patternOf(path), method: methodOf(entry) };
  });
  return {
    $defs: Object.fromEntries(schemas.map(([name, fields]) => [name, { ...objectOf(fields), outputOnly: READ_ONLY[name] ?? [] }])),
    find: (verb, path) => methods.find((one) => one.verb === verb && one.path.test(path))?.method,
  };
}

function methodOf({ id, required, params, body, members = [], response }: Entry): DocumentedMethod {
  const known = Object.entries({ ...table.parameters.standard, ...params });
  const query = {
    ...objectOf({}),
    properties: Object.fromEntries(known.map(([name, type]) => [name, parameterOf(String(type))])),
    required,
  };
  return {
    id,
    query,
    errorOf: (status) => googleErrorOf(id.split('.', 1)[0] ?? '', status),
    ...(body !== undefined && { body: { ...schemaOf(body), required: members } }),
    ...(response !== undefined && { response: schemaOf(response) }),
  };
}

/** @param path in Express's syntax, where a parameter ends at a slash; a method's name after a colon is not part of one */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('\\:', '\0').replaceAll(/:\w+/g, '[^/:]+').replaceAll('\0', ':')}$`);
}

/** In a query, everything is text, in which {@link Judge} reads numbers. */
function parameterOf(type: string): Schema {
  if (type.endsWith('[]')) return { type: 'array', items: parameterOf(type.slice(0, -2)) };
  return type === 'boolean' ? { enum: ['true', 'false'] } : schemaOf(type);
}

function objectOf(fields: FieldTypes): Schema {
  const { '*': any, ...named } = fields;
  const properties = Object.fromEntries(Object.entries(named).map(([name, type]) => [name, schemaOf(type)]));
  return { type: 'object', properties, additionalProperties: any === undefined ? false : schemaOf(any) };
}

function schemaOf(type: FieldType): Schema {
  if (Array.isArray(type)) return { type: 'array', items: objectOf(type[0]) };
  if (typeof type !== 'string') return objectOf(type);
  if (type.endsWith('[]')) return { type: 'array', items: schemaOf(type.slice(0, -2)) };
  if (type === 'array') return { type, items: {} };
  if (type.startsWith('=')) return { enum: type.slice(1).split('|') };
  const [kind = '', format] = type.split(':', 2);
  if (format !== undefined) return { type: kind, ...formatOf(format) };
  if (type.includes('.')) return { $ref: `#/$defs/${type}` };
  return type === 'any' ? {} : { type };
}

/** `int32(1..100)`, `date-time`, or the mask of an object: `mask(docs.TextStyle)`. */
function formatOf(text: string): Schema {
  const [, format = '', inner] = /^([\w-]+)(?:\((.*)\))?$/.exec(text) ?? [];
  if (format === 'mask') return { maskOf: `#/$defs/${inner}` };
  const [minimum = '', maximum = ''] = inner?.split('..') ?? [];
  return { format, ...(minimum !== '' && { minimum: Number(minimum) }), ...(maximum !== '' && { maximum: Number(maximum) }) };
}
