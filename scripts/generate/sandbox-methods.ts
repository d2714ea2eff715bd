// Writes sandbox/google/google-methods.json from the installed SDK and workspace-formats.json: the parameters in the query, body
// and response of the methods that the sandbox plays, with the fields of their schemas and their formats, the members that bodies
// must have and those that none may have, and the parameters of all methods. `--check` only compares.
import type { SandboxApi } from '../../sandbox/google/api-method.ts';
import { GOOGLE_APIS } from '../../sandbox/google/google-apis.ts';
import { tableOf, writeGenerated } from './generated-file.ts';
import { readApi, type SdkApi, type SdkMethod } from './sdk-api.ts';
import type { FieldType, FieldTypes } from './sdk-types.ts';
import documented from './workspace-formats.json' with { type: 'json' };

/** Format by the path of a field: `imageMediaMetadata.location.altitude`. */
type Formats = Readonly<Record<string, string | undefined>>;

const PARAMETER_FORMATS = documented.methods as Readonly<Record<string, Formats | undefined>>;
const FIELD_FORMATS = documented.schemas as Readonly<Record<string, Formats | undefined>>;
const REQUIRED = documented.required as Readonly<Record<string, readonly string[] | undefined>>;
const READ_ONLY = documented.readOnly as Readonly<Record<string, readonly string[] | undefined>>;

function readSdk(api: string): SdkApi {
  return readApi(api, { nested: true, mapOf: (item) => ({ '*': item() }) });
}

function played({ name, methods }: SandboxApi<unknown>): Pick<SdkApi, 'schemas'> & { methods: Record<string, object> } {
  const sdk = readSdk(name);
  const entries = methods.map(({ verb, path }) => {
    const found = Object.entries(sdk.methods).find(([, method]) => method.verb === verb && hasPath(method, path));
    if (found === undefined) throw new Error(`the provider has no ${verb} ${path}`);
    const [id, method] = found;
    // What an upload must have may be in its content.
    const members = path.startsWith('/upload') ? undefined : REQUIRED[id];
    return [`${verb} ${path}`, { id, ...inQuery(id, method), body: method.body, members, response: sdk.responseOf(id) }] as const;
  });
  const schemas: SdkApi['schemas'] = {};
  for (const [, { body, response }] of entries) reach([body ?? '', response ?? ''], sdk.schemas, schemas);
  const formatted = Object.entries(schemas).map(([schema, fields]) => [schema, withFormats(fields, FIELD_FORMATS[schema])] as const);
  return { methods: Object.fromEntries(entries), schemas: Object.fromEntries(formatted) };
}

/** Fields with their formats behind their types: `number:int32`. */
function withFormats(fields: FieldTypes, formats: Formats = {}, at = ''): FieldTypes {
  const formatted = Object.entries(fields).map(([name, type]): [string, FieldType] => {
    if (Array.isArray(type)) return [name, [withFormats(type[0], formats, `${at}${name}.`)]];
    if (typeof type !== 'string') return [name, withFormats(type, formats, `${at}${name}.`)];
    const format = formats[`${at}${name}`];
    return [name, format === undefined ? type : `${type}:${format}`];
  });
  return Object.fromEntries(formatted);
}

function inQuery(id: string, { path, params, required }: SdkMethod): Pick<SdkMethod, 'params' | 'required'> {
  const isInPath = (name: string) => new RegExp(`\\{\\+?${name}\\}`).test(path);
  const inQuery = Object.entries(params).filter(([name]) => !isInPath(name));
  return { required: required.filter((name) => !isInPath(name)), params: withFormats(Object.fromEntries(inQuery), PARAMETER_FORMATS[id]) };
}

/** @param path in Express's syntax */
function hasPath({ path: template, upload }: { path: string; upload?: string }, path: string): boolean {
  const shape = path.replaceAll(/(?<!\\):\w+/g, '{}').replaceAll('\\:', ':');
  return [template, upload].some((one) => one?.replaceAll(/\{\+?\w+\}/g, '{}') === shape);
}

/** Adds the schemas that types name to those reached. */
function reach(types: readonly FieldType[], all: Record<string, FieldTypes>, reached: Record<string, FieldTypes>): void {
  for (const type of types) {
    if (typeof type !== 'string') {
      reach(Object.values(Array.isArray(type) ? type[0] : type), all, reached);
      continue;
    }
    const name = type.replace('[]', '');
    const schema = all[name];
    if (schema === undefined || name in reached) continue;
    reached[name] = schema;
    reach(Object.values(schema), all, reached);
  }
}

const parameters = readSdk('gmail').standardParameters();
const apis = GOOGLE_APIS.map(played);
const readOnly = apis.flatMap(({ schemas }) => Object.keys(schemas)).map((schema) => [schema, READ_ONLY[schema]] as const);
writeGenerated(
  'sandbox/google/google-methods.json',
  tableOf(apis, { parameters: { standard: parameters }, readOnly: Object.fromEntries(readOnly.filter(([, fields]) => fields)) }),
  'scripts/generate/sandbox-methods.ts',
);
