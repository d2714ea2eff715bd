// Makes src/providers/workspace/workspace-methods.json from the provider's SDK as installed: of every method its verb, path,
// parameters, body fields and scopes; and from workspace-enums.json which texts some of them are limited to. `--check`
// only compares.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lines, writeGenerated } from './generated-file.ts';
import { APIS_WITH_BODIES, type FieldType, type FieldTypes, readFields, WORKSPACE_APIS, withChoice } from './sdk-types.ts';
import enums from './workspace-enums.json' with { type: 'json' };

const FOLDER = join(import.meta.dirname, '../node_modules/googleapis/build/src/apis');
const SCOPE_PREFIX = 'https://www.googleapis.com/auth/';

type Enums = Readonly<Record<string, Readonly<Record<string, readonly string[] | undefined>> | undefined>>;
const METHOD_ENUMS: Enums = enums.methods;
const SCHEMA_ENUMS: Enums = enums.schemas;

interface Method {
  verb: string;
  path: string;
  params: FieldTypes;
  required: string[];
  body?: string;
  scopes: string[];
}

/** Names here have no other character that means something in a pattern. */
function literal(name: string): string {
  return name.replaceAll('$', '\\$');
}

/** The text of a block that begins with `head` in a line of its own, up to the closing brace of the same indentation. */
function block(source: string, head: RegExp): string {
  const start = head.exec(source);
  if (start === null) throw new Error(`not found: ${head}`);
  const indentation = /^ */.exec(start[0])?.[0] ?? '';
  const from = start.index + start[0].length;
  return source.slice(from, source.indexOf(`\n${indentation}}`, from));
}

/** Fields of an interface with their types; those of the schemas that they name are asked for by `name`. */
function fieldsOf(
  declarations: string,
  interfaceName: string,
  values: Enums[string] = {},
  name: (schema: string) => string | undefined = () => undefined,
): FieldTypes {
  const head = new RegExp(`^    (?:export )?interface ${literal(interfaceName)}(?: extends StandardParameters)? \\{`, 'm');
  const fields = readFields(block(declarations, head), name);
  return Object.fromEntries(
    Object.entries(fields).map(([field, type]) => [field, withChoice(type, values[field] ?? [])] satisfies [string, FieldType]),
  );
}

/** Resource classes below a class: property → class. */
function resourcesOf(declarations: string, className: string): [string, string][] {
  const body = block(declarations, new RegExp(`^    export class ${literal(className)} \\{`, 'm'));
  return [...body.matchAll(/^ {8}(\w+): (Resource\$[\w$]+);$/gm)].map(([, property = '', name = '']) => [property, name]);
}

/** Methods of a resource class: name, their parameters' interface, and the scopes of the sample above them. */
function methodsOf(declarations: string, className: string): { name: string; params: string; scopes: string[] }[] {
  const body = block(declarations, new RegExp(`^    export class ${literal(className)} \\{`, 'm'));
  return [...body.matchAll(/(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\s+(\w+)\(params: (Params\$[\w$]+), options: StreamMethodOptions\)/g)].map(
    ([, comment = '', name = '', params = '']) => {
      const scopes = /scopes: \[([\s\S]*?)\]/.exec(comment)?.[1] ?? '';
      return { name, params, scopes: [...scopes.matchAll(/'([^']+)'/g)].map(([, url = '']) => url.replace(SCOPE_PREFIX, '')) };
    },
  );
}

function requestOf(code: string, className: string, name: string): { verb: string; path: string; required: string[] } {
  const classBody = block(code, new RegExp(`^    class ${literal(className)} \\{`, 'm'));
  const body = block(classBody, new RegExp(`^        ${name}\\(paramsOrCallback`, 'm'));
  const [, path = ''] = /\burl: \(rootUrl \+\s*'([^']+)'/.exec(body) ?? [];
  const [, verb = ''] = /method: '([A-Z]+)'/.exec(body) ?? [];
  const [, required = ''] = /requiredParams: \[([^\]]*)\]/.exec(body) ?? [];
  if (path === '' || verb === '') throw new Error(`${className}.${name} could not be read`);
  return { verb, path, required: [...required.matchAll(/'([^']+)'/g)].map(([, param = '']) => param) };
}

function readApi(api: string, version: string): { methods: Record<string, Method>; schemas: Record<string, FieldTypes> } {
  const declarations = readFileSync(join(FOLDER, api, `${version}.d.ts`), 'utf8');
  const code = readFileSync(join(FOLDER, api, `${version}.js`), 'utf8');
  const methods: Record<string, Method> = {};
  const schemas: Record<string, FieldTypes> = {};
  /** Notes a schema with those that it names, and says how it is called. */
  const schemaOf = (name: string): string => {
    const id = `${api}.${name}`;
    if (id in schemas) return id;
    // Before its fields are read: some name themselves.
    schemas[id] = {};
    schemas[id] = fieldsOf(declarations, `Schema$${name}`, SCHEMA_ENUMS[id], APIS_WITH_BODIES.includes(api) ? schemaOf : undefined);
    return id;
  };
  const visit = (className: string, prefix: string): void => {
    for (const { name, params, scopes } of methodsOf(declarations, className)) {
      const id = `${prefix}.${name}`;
      const interfaceBody = block(declarations, new RegExp(`^    export interface ${literal(params)} extends StandardParameters \\{`, 'm'));
      const [, schema] = /^ {8}requestBody\?: Schema\$(\w+);$/m.exec(interfaceBody) ?? [];
      const { requestBody: _, media: __, ...own } = fieldsOf(declarations, params, METHOD_ENUMS[id]);
      methods[id] = {
        ...requestOf(code, className, name),
        params: own,
        ...(schema !== undefined && { body: schemaOf(schema) }),
        scopes,
      };
    }
    for (const [property, child] of resourcesOf(declarations, className)) visit(child, `${prefix}.${property}`);
  };
  const root = `${api.charAt(0).toUpperCase()}${api.slice(1)}`;
  for (const [property, className] of resourcesOf(declarations, root)) visit(className, `${api}.${property}`);
  return { methods, schemas };
}

const apis = Object.entries(WORKSPACE_APIS).map(([api, version]) => readApi(api, version));
const methods = Object.assign({}, ...apis.map((api) => api.methods));
const schemas = Object.assign({}, ...apis.map((api) => api.schemas));
const table = `{\n  "methods": {\n${lines(methods)}\n  },\n  "schemas": {\n${lines(schemas)}\n  }\n}\n`;
writeGenerated('src/providers/workspace/workspace-methods.json', table, 'scripts/workspace-methods.ts');
