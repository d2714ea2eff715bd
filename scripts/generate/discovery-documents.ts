// Writes what the SDK's types leave out, from the discovery documents in Google's client for Python:
//   node scripts/generate/discovery-documents.ts <googleapiclient/discovery_cache/documents>
// - scripts/generate/workspace-enums.json: the permitted values of parameters and fields
// - scripts/generate/workspace-formats.json: their formats and bounds, the objects that masks in bodies select from, and the
//   members that the body of a method must or must not have
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableOf, writeGenerated } from './generated-file.ts';
import { WORKSPACE_APIS } from './sdk-types.ts';

interface Value {
  $ref?: string;
  description?: string;
  enum?: string[];
  format?: string;
  minimum?: string;
  maximum?: string;
  readOnly?: boolean;
  annotations?: { required?: string[] };
  items?: Value;
  properties?: Record<string, Value>;
}
type Values = Record<string, Value>;
interface Method {
  id: string;
  parameters?: Values;
}
interface Resource {
  methods?: Record<string, Method>;
  resources?: Record<string, Resource>;
}
interface Document extends Resource {
  schemas: Values;
}

/** Of `events.insert`, but not of `dateTime`, a time without an offset is taken. */
const MAY_BE_LOCAL = /offset is required unless/;

/** Described as output only, though a new permission needs them (Drive API, Share files and folders). */
const WRITTEN: Readonly<Record<string, readonly string[]>> = { Permission: ['emailAddress', 'domain'] };

function methodsOf({ methods = {}, resources = {} }: Resource): Method[] {
  return [...Object.values(methods), ...Object.values(resources).flatMap(methodsOf)];
}

/** Of an object, without the entries that are empty. */
function filled<Entry extends object>(entries: Iterable<readonly [string, Entry]>): Record<string, Entry> {
  return Object.fromEntries([...entries].filter(([, entry]) => Object.keys(entry).length > 0));
}

function enumsOf(fields: Values = {}): Record<string, string[]> {
  const listed = Object.entries(fields).flatMap(([name, field]) => {
    const values = field.enum ?? field.items?.enum;
    return values === undefined ? [] : [[name, values] as const];
  });
  return Object.fromEntries(listed);
}

/** `int32(1..1000)`, by the field's path below the schema: `imageMediaMetadata.location.altitude`. */
function formatsOf(fields: Values, root: (field: Value) => string | undefined, at = ''): Record<string, string> {
  const own = Object.entries(fields).flatMap(([name, field]) => {
    const inner = field.properties ?? field.items?.properties ?? {};
    const format = formatOf(field, root);
    return [...(format === undefined ? [] : [[`${at}${name}`, format]]), ...Object.entries(formatsOf(inner, root, `${at}${name}.`))];
  });
  return Object.fromEntries(own);
}

function formatOf(field: Value, root: (field: Value) => string | undefined): string | undefined {
  const { format, minimum = '', maximum = '', description = '' } = field;
  if (format === 'google-fieldmask') return `mask(${root(field) ?? ''})`;
  if (format === 'date-time' && MAY_BE_LOCAL.test(description)) return 'date-time-or-local';
  if (minimum === '' && maximum === '') return format;
  return `${format}(${minimum}..${maximum})`;
}

/** The schema of the object that a mask in `fields` selects from, which only the mask's description names. */
function maskRootOf({ description = '' }: Value, fields: Values, schemas: Values): string | undefined {
  const [, path, schema = ''] = /root [`'](\w[\w.]*)[`'] is implied|root is the (\w+)/.exec(description) ?? [];
  const names = path?.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase()).split('.');
  const found = names?.reduce<string | undefined>((_name, name, index) => {
    const inner = index === 0 ? fields : schemas[_name ?? '']?.properties;
    return inner?.[name]?.$ref;
  }, undefined);
  return [found, schema, path].find((name) => name !== undefined && Object.hasOwn(schemas, name));
}

/** The members of bodies that each method must have. */
function requiredOf(schemas: Values): Record<string, string[]> {
  const required: Record<string, string[]> = {};
  for (const { properties = {} } of Object.values(schemas)) {
    for (const [name, { annotations }] of Object.entries(properties)) {
      for (const id of annotations?.required ?? []) required[id] = [...(required[id] ?? []), name];
    }
  }
  return required;
}

function readOnlyOf(schema: string, fields: Values = {}): string[] {
  return Object.entries(fields).flatMap(([name, { description = '' }]) =>
    /^Output only\./.test(description) && !WRITTEN[schema]?.includes(name) ? [name] : [],
  );
}

const [folder = '.'] = process.argv.slice(2);
const documents = Object.entries(WORKSPACE_APIS).map(([api, version]) => {
  return { api, ...(JSON.parse(readFileSync(join(folder, `${api}.${version}.json`), 'utf8')) as Document) };
});
const script = 'scripts/generate/discovery-documents.ts';

const enums = documents.map(({ api, schemas, ...root }) => ({
  methods: filled(methodsOf(root).map(({ id, parameters }) => [id, enumsOf(parameters)] as const)),
  schemas: filled(Object.entries(schemas).map(([name, { properties }]) => [`${api}.${name}`, enumsOf(properties)] as const)),
}));
writeGenerated('scripts/generate/workspace-enums.json', tableOf(enums), script);

const formats = documents.map(({ api, schemas, ...root }) => ({
  methods: filled(methodsOf(root).map(({ id, parameters = {} }) => [id, formatsOf(parameters, () => undefined)] as const)),
  schemas: filled(
    Object.entries(schemas).map(([name, { properties = {} }]) => {
      const rootIn = (field: Value) => {
        const found = maskRootOf(field, properties, schemas);
        return found && `${api}.${found}`;
      };
      return [`${api}.${name}`, formatsOf(properties, rootIn)] as const;
    }),
  ),
  required: requiredOf(schemas),
  readOnly: filled(Object.entries(schemas).map(([name, { properties }]) => [`${api}.${name}`, readOnlyOf(name, properties)] as const)),
}));
const merged = (part: 'required' | 'readOnly') => Object.assign({}, ...formats.map((one) => one[part]));
writeGenerated(
  'scripts/generate/workspace-formats.json',
  tableOf(formats, { required: merged('required'), readOnly: merged('readOnly') }),
  script,
);
