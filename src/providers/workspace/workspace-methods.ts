import { loadOnce } from '../../concurrency/load-once.ts';
import type { Field, Fields, ValueKind } from '../shared/declared-call.ts';

/** A method of the provider's APIs, as its discovery document describes it. */
export interface WorkspaceMethod {
  verb: string;
  /** With `{name}` in place of a path parameter. */
  path: string;
  params: Fields;
  required: readonly string[];
  /** Fields of its body; undefined: it has none. */
  body: Fields | undefined;
  /** Scopes, any one of which authorises it; the provider's URLs without their common beginning. */
  scopes: readonly string[];
}

/** Every method by its discovery id. */
export interface WorkspaceMethods {
  ids: readonly string[];
  get(id: string): WorkspaceMethod | undefined;
}

/** See scripts/generate/sdk-types.ts. */
type FieldType = string | FieldTypes | [FieldTypes];
interface FieldTypes {
  [field: string]: FieldType;
}
type Schemas = Readonly<Record<string, FieldTypes>>;
/** A method in the table. */
export interface MethodEntry extends Pick<WorkspaceMethod, 'verb' | 'path' | 'required' | 'scopes'> {
  params: FieldTypes;
  /** The path in place of `path` for uploads. */
  upload?: string;
  body?: string;
}
interface Table {
  /** Scheme and host of each API. */
  roots: Record<string, string>;
  methods: Record<string, MethodEntry>;
  schemas: Schemas;
}

/** Reads the table; costs some milliseconds and a megabyte, so only when a method is declared or called. */
export const loadTable = loadOnce(async (): Promise<Table> => {
  const { default: table } = await import('./workspace-methods.json', { with: { type: 'json' } });
  return table as unknown as Table;
});

/** The methods of the table, for declarations. */
export async function loadWorkspaceMethods(): Promise<WorkspaceMethods> {
  const table = await loadTable();
  return {
    ids: Object.keys(table.methods),
    get(id) {
      const method = Object.hasOwn(table.methods, id) ? table.methods[id] : undefined;
      if (method === undefined) return undefined;
      const { params, body, ...rest } = method;
      const taken = body === undefined ? undefined : inBody(fieldsOf(table.schemas[body], table.schemas));
      return { ...rest, params: fieldsOf(params, table.schemas), body: taken };
    },
  };
}

function fieldsOf(types: FieldTypes = {}, schemas: Schemas): Fields {
  return Object.fromEntries(Object.entries(types).map(([name, type]) => [name, fieldOf(type, schemas)]));
}

/** Only in an address may a single text replace a list. */
function inBody(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, listOfTexts(field) ?? field]));
}

function listOfTexts({ kind, values }: Field): Field | undefined {
  return kind === 'string[]' ? { kind: 'array', items: { kind: 'string', ...(values !== undefined && { values }) } } : undefined;
}

function fieldOf(type: FieldType, schemas: Schemas): Field {
  if (Array.isArray(type)) return { kind: 'array', items: objectOf(type[0], schemas) };
  if (typeof type !== 'string') return objectOf(type, schemas);
  const isList = type.endsWith('[]');
  const name = isList ? type.slice(0, -2) : type;
  if (name.startsWith('=')) return { kind: isList ? 'string[]' : 'string', values: name.slice(1).split('|') };
  if (!name.includes('.')) return { kind: type as ValueKind };
  const object = objectOf(schemas[name], schemas);
  return isList ? { kind: 'array', items: object } : object;
}

/** Some schemas are recursive, so each is read on request. */
function objectOf(types: FieldTypes | undefined, schemas: Schemas): Field {
  return { kind: 'object', fields: () => inBody(fieldsOf(types, schemas)) };
}
