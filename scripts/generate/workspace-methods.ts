// Writes src/providers/workspace/workspace-methods.json from the installed SDK: verb, path, parameters, body fields and
// scopes of every method, with the values of workspace-enums.json, and the address of each API. `--check` only compares.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SyntaxNode } from '../syntax.ts';
import { tableOf, writeGenerated } from './generated-file.ts';
import { APIS_WITH_BODIES, annotationOf, type FieldTypes, nameOf, SdkFile, WORKSPACE_APIS, withChoice } from './sdk-types.ts';
import enums from './workspace-enums.json' with { type: 'json' };

const FOLDER = join(import.meta.dirname, '../../node_modules/googleapis/build/src/apis');
const SCOPE_PREFIX = 'https://www.googleapis.com/auth/';

type Enums = Readonly<Record<string, Readonly<Record<string, readonly string[] | undefined>> | undefined>>;
const METHOD_ENUMS: Enums = enums.methods;
const SCHEMA_ENUMS: Enums = enums.schemas;

function withEnums(fields: FieldTypes, values: Enums[string] = {}): FieldTypes {
  return Object.fromEntries(Object.entries(fields).map(([field, type]) => [field, withChoice(type, values[field] ?? [])]));
}

function quoted(list: string): string[] {
  return [...list.matchAll(/'([^']+)'/g)].map(([, text = '']) => text);
}

/** Verb, path, the path for uploads and required parameters, from the code of a method. */
function requestOf(code: string): { verb: string; path: string; upload?: string; required: string[] } {
  const [, path] = /\burl: \(rootUrl \+\s*'([^']+)'/.exec(code) ?? [];
  const [, upload] = /\bmediaUrl: \(rootUrl \+\s*'([^']+)'/.exec(code) ?? [];
  const [, verb] = /method: '([A-Z]+)'/.exec(code) ?? [];
  const [, required = ''] = /requiredParams: \[([^\]]*)\]/.exec(code) ?? [];
  if (path === undefined || verb === undefined) throw new Error(`not a request: ${code.slice(0, 200)}`);
  return { verb, path, ...(upload !== undefined && { upload }), required: quoted(required) };
}

/** The address of an API, the same for all of its methods. */
function rootOf(api: string, version: string): string {
  const code = readFileSync(join(FOLDER, api, `${version}.js`), 'utf8');
  const roots = new Set([...code.matchAll(/const rootUrl = options\.rootUrl \|\| '(https:[^']+)\/'/g)].map(([, root = '']) => root));
  const [root, ...others] = roots;
  if (root === undefined || others.length > 0) throw new Error(`not one address: ${api}`);
  return root;
}

/** The name of the parameters' interface, if this is the overload of a method that returns a stream, which has the sample. */
function parametersOf({ value }: SyntaxNode): string | undefined {
  const [params, options] = ((value as { params?: SyntaxNode[] } | null)?.params ?? []).map(
    (param) => param.typeAnnotation && nameOf(annotationOf(param).typeName),
  );
  return options === 'StreamMethodOptions' ? (params as string) : undefined;
}

function readApi(api: string, version: string): { methods: Record<string, object>; schemas: Record<string, FieldTypes> } {
  const declarations = new SdkFile(join(FOLDER, api, `${version}.d.ts`));
  const code = new SdkFile(join(FOLDER, api, `${version}.js`));
  const methods: Record<string, object> = {};
  const schemas: Record<string, FieldTypes> = {};
  const schemaOf = (name: string): string => {
    const id = `${api}.${name}`;
    if (id in schemas) return id;
    // Before its fields are read, because schemas may be recursive.
    schemas[id] = {};
    const fields = declarations.fields(declarations.members(`Schema$${name}`), APIS_WITH_BODIES.includes(api) ? schemaOf : () => undefined);
    schemas[id] = withEnums(fields, SCHEMA_ENUMS[id]);
    return id;
  };
  const visit = (className: string, prefix: string): void => {
    for (const member of declarations.members(className)) {
      const id = `${prefix}.${nameOf(member.key)}`;
      if (member.type === 'PropertyDefinition') {
        const resource = nameOf(annotationOf(member).typeName);
        if (resource.startsWith('Resource$')) visit(resource, id);
        continue;
      }
      const parameters = parametersOf(member);
      if (parameters === undefined) continue;
      const fields = declarations.members(parameters);
      const body = fields.find(({ key }) => nameOf(key) === 'requestBody');
      const own = fields.filter(({ key }) => !['requestBody', 'media'].includes(nameOf(key)));
      const implementation = code.members(className).find(({ key }) => nameOf(key) === nameOf(member.key));
      const scopes = /scopes: \[([\s\S]*?)\]/.exec(declarations.commentOf(member))?.[1] ?? '';
      methods[id] = {
        ...requestOf(code.textOf(implementation as SyntaxNode)),
        params: withEnums(
          declarations.fields(own, () => undefined),
          METHOD_ENUMS[id],
        ),
        ...(body !== undefined && { body: schemaOf(nameOf(annotationOf(body).typeName).slice('Schema$'.length)) }),
        scopes: quoted(scopes).map((url) => url.replace(SCOPE_PREFIX, '')),
      };
    }
  };
  visit(`${api.charAt(0).toUpperCase()}${api.slice(1)}`, api);
  return { methods, schemas };
}

const versions = Object.entries(WORKSPACE_APIS);
const apis = versions.map(([api, version]) => readApi(api, version));
const roots = Object.fromEntries(versions.map(([api, version]) => [api, rootOf(api, version)]));
writeGenerated('src/providers/workspace/workspace-methods.json', tableOf(apis, { roots }), 'scripts/generate/workspace-methods.ts');
