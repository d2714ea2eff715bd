// Writes sandbox/google/google-methods.json from the installed SDK: the parameters in the query, body and response of
// the methods that the sandbox plays, with the fields of their schemas, and the parameters of all methods. `--check` only compares.
import type { SandboxApi } from '../../sandbox/google/api-method.ts';
import { GOOGLE_APIS } from '../../sandbox/google/google-apis.ts';
import { tableOf, writeGenerated } from './generated-file.ts';
import { readApi, type SdkApi, type SdkMethod } from './sdk-api.ts';
import type { FieldType, FieldTypes } from './sdk-types.ts';

function readSdk(api: string): SdkApi {
  return readApi(api, { nested: true, mapOf: (item) => ({ '*': item() }) });
}

function played({ name, methods }: SandboxApi<unknown>): Pick<SdkApi, 'schemas'> & { methods: Record<string, object> } {
  const sdk = readSdk(name);
  const entries = methods.map(({ verb, path }) => {
    const found = Object.entries(sdk.methods).find(([, method]) => method.verb === verb && hasPath(method, path));
    if (found === undefined) throw new Error(`the provider has no ${verb} ${path}`);
    const [id, method] = found;
    return [`${verb} ${path}`, { id, ...inQuery(method), body: method.body, response: sdk.responseOf(id) }] as const;
  });
  const schemas: SdkApi['schemas'] = {};
  for (const [, { body, response }] of entries) reach([body ?? '', response ?? ''], sdk.schemas, schemas);
  return { methods: Object.fromEntries(entries), schemas };
}

function inQuery({ path, params, required }: SdkMethod): Pick<SdkMethod, 'params' | 'required'> {
  const isInPath = (name: string) => new RegExp(`\\{\\+?${name}\\}`).test(path);
  const inQuery = Object.entries(params).filter(([name]) => !isInPath(name));
  return { required: required.filter((name) => !isInPath(name)), params: Object.fromEntries(inQuery) };
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
writeGenerated(
  'sandbox/google/google-methods.json',
  tableOf(GOOGLE_APIS.map(played), { parameters: { standard: parameters } }),
  'scripts/generate/sandbox-methods.ts',
);
