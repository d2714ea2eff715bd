import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SyntaxNode } from '../syntax.ts';
import { annotationOf, type FieldType, type FieldTypes, nameOf, SdkFile, WORKSPACE_APIS, withChoice } from './sdk-types.ts';
import enums from './workspace-enums.json' with { type: 'json' };

const FOLDER = join(import.meta.dirname, '../../node_modules/googleapis/build/src/apis');
const SCOPE_PREFIX = 'https://www.googleapis.com/auth/';

type Enums = Readonly<Record<string, Readonly<Record<string, readonly string[] | undefined>> | undefined>>;
const METHOD_ENUMS: Enums = enums.methods;
const SCHEMA_ENUMS: Enums = enums.schemas;

/** A method of an API, as the installed SDK declares it. */
export interface SdkMethod {
  verb: string;
  path: string;
  /** The path for uploads. */
  upload?: string;
  /** Parameters that every request needs. */
  required: string[];
  params: FieldTypes;
  /** The schema of its requests' body. */
  body?: string;
  /** Without their common beginning. */
  scopes: string[];
}

export interface SdkApi {
  /** By discovery id. */
  methods: Record<string, SdkMethod>;
  /** Those of bodies, and of responses that were asked for. */
  schemas: Record<string, FieldTypes>;
  /** The schema of a method's response; undefined: it has none, or it isn't JSON. */
  responseOf(id: string): string | undefined;
  /** The parameters that all methods have. */
  standardParameters(): FieldTypes;
}

export interface ReadOptions {
  /** Whether the schemas of an API's schemas are read, too; else they are any object. */
  nested: boolean;
  /** The type of an object with names of its owner's choice. */
  mapOf(item: () => FieldType): FieldType;
}

/** Reads one of {@link WORKSPACE_APIS} from the SDK's declarations and code, with the values of workspace-enums.json. */
export function readApi(api: string, { nested, mapOf }: ReadOptions): SdkApi {
  const { declarations, code } = filesOf(api, mapOf);
  const methods: SdkApi['methods'] = {};
  const schemas: SdkApi['schemas'] = {};
  const responses: Record<string, string | undefined> = {};
  const schemaOf = (name: string): string => {
    const id = `${api}.${name}`;
    if (id in schemas) return id;
    // Before its fields are read, because schemas may be recursive.
    schemas[id] = {};
    const fields = declarations.fields(declarations.members(`Schema$${name}`), nested ? schemaOf : () => undefined);
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
      responses[id] ??= responseIn(declarations.textOf(member));
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
  return {
    methods,
    schemas,
    responseOf(id) {
      const name = responses[id];
      return name === undefined ? undefined : schemaOf(name);
    },
    standardParameters() {
      const ofRequests = declarations.members('StandardParameters').filter(({ key }) => nameOf(key) !== 'auth');
      return declarations.fields(ofRequests, () => undefined);
    },
  };
}

/** The address of an API, the same for all of its methods. */
export function rootOf(api: string): string {
  const text = readFileSync(`${pathOf(api)}.js`, 'utf8');
  const roots = new Set([...text.matchAll(/const rootUrl = options\.rootUrl \|\| '(https:[^']+)\/'/g)].map(([, root = '']) => root));
  const [root, ...others] = roots;
  if (root === undefined || others.length > 0) throw new Error(`not one address: ${api}`);
  return root;
}

function pathOf(api: string): string {
  return join(FOLDER, api, WORKSPACE_APIS[api] ?? '');
}

function filesOf(api: string, mapOf: ReadOptions['mapOf']): { declarations: SdkFile; code: SdkFile } {
  return { declarations: new SdkFile(`${pathOf(api)}.d.ts`, mapOf), code: new SdkFile(`${pathOf(api)}.js`, mapOf) };
}

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

/** The schema that an overload of a method promises. */
function responseIn(overload: string): string | undefined {
  return /Promise<\w+<Schema\$(\w+)>>/.exec(overload)?.[1];
}

/** The name of the parameters' interface, if this is the overload of a method that returns a stream, which has the sample. */
function parametersOf({ value }: SyntaxNode): string | undefined {
  const [params, options] = ((value as { params?: SyntaxNode[] } | null)?.params ?? []).map(
    (param) => param.typeAnnotation && nameOf(annotationOf(param).typeName),
  );
  return options === 'StreamMethodOptions' ? (params as string) : undefined;
}
