// Makes src/providers/workspace-methods.json from the provider's SDK as installed: of every method its verb, path,
// parameters, body fields and scopes. `--check` only compares.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeGenerated } from './generated-file.ts';

const FOLDER = join(import.meta.dirname, '../node_modules/googleapis/build/src/apis');
const APIS: Record<string, string> = { gmail: 'v1', calendar: 'v3', drive: 'v3', docs: 'v1', sheets: 'v4', slides: 'v1' };
const SCOPE_PREFIX = 'https://www.googleapis.com/auth/';

type Types = Record<string, string>;
interface Method {
  verb: string;
  path: string;
  params: Types;
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

/** Fields of an interface, at its own level, with the kind of their values. */
function fieldsOf(declarations: string, name: string): Types {
  const body = block(declarations, new RegExp(`^    (?:export )?interface ${literal(name)}(?: extends StandardParameters)? \\{`, 'm'));
  const fields = [...body.matchAll(/^ {8}'?([\w$.-]+)'?\??: (.*)$/gm)];
  return Object.fromEntries(fields.map(([, field = '', type = '']) => [field, kindOf(type)]));
}

function kindOf(type: string): string {
  const bare = type.replace(/ \| null;?$|;$/g, '');
  if (['string', 'number', 'boolean', 'string[]'].includes(bare)) return bare;
  return bare.endsWith('[]') || bare.startsWith('Array<') ? 'array' : bare === 'any' ? 'any' : 'object';
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

function readApi(api: string, version: string): { methods: Record<string, Method>; schemas: Record<string, Types> } {
  const declarations = readFileSync(join(FOLDER, api, `${version}.d.ts`), 'utf8');
  const code = readFileSync(join(FOLDER, api, `${version}.js`), 'utf8');
  const methods: Record<string, Method> = {};
  const schemas: Record<string, Types> = {};
  const visit = (className: string, prefix: string): void => {
    for (const { name, params, scopes } of methodsOf(declarations, className)) {
      const fields = fieldsOf(declarations, params);
      const interfaceBody = block(declarations, new RegExp(`^    export interface ${literal(params)} extends StandardParameters \\{`, 'm'));
      const [, schema] = /^ {8}requestBody\?: Schema\$(\w+);$/m.exec(interfaceBody) ?? [];
      const { requestBody: _, media: __, ...own } = fields;
      if (schema !== undefined) schemas[`${api}.${schema}`] = fieldsOf(declarations, `Schema$${schema}`);
      methods[`${prefix}.${name}`] = {
        ...requestOf(code, className, name),
        params: own,
        ...(schema !== undefined && { body: `${api}.${schema}` }),
        scopes,
      };
    }
    for (const [property, child] of resourcesOf(declarations, className)) visit(child, `${prefix}.${property}`);
  };
  const root = `${api.charAt(0).toUpperCase()}${api.slice(1)}`;
  for (const [property, className] of resourcesOf(declarations, root)) visit(className, `${api}.${property}`);
  return { methods, schemas };
}

/** One method a line, so that a change of the SDK's reads well. */
function lines(entries: Record<string, unknown>): string {
  const sorted = Object.entries(entries).sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(',\n');
}

const apis = Object.entries(APIS).map(([api, version]) => readApi(api, version));
const methods = Object.assign({}, ...apis.map((api) => api.methods));
const schemas = Object.assign({}, ...apis.map((api) => api.schemas));
const table = `{\n  "methods": {\n${lines(methods)}\n  },\n  "schemas": {\n${lines(schemas)}\n  }\n}\n`;
writeGenerated('src/providers/workspace-methods.json', table, 'scripts/workspace-methods.ts');
