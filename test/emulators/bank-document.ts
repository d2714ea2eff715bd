import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { annotationOf, nameOf } from '../../scripts/generate/sdk-types.ts';
import { nodesOf, type SyntaxNode } from '../../scripts/syntax.ts';
import limits from './bank-limits.json' with { type: 'json' };
import type { ApiDocument, DocumentedMethod, Schema } from './documents.ts';

/** Of a schema, and of its members, by name. */
const LIMITS = limits as Readonly<Record<string, Readonly<Record<string, Schema>> | undefined>>;

const SDK = join(import.meta.dirname, '../../node_modules/plaid/dist');
/** Of one declaration. */
const MOST_LETTERS = 200_000;
const SIMPLE: Record<string, Schema> = {
  TSStringKeyword: { type: 'string' },
  TSNumberKeyword: { type: 'number' },
  TSBooleanKeyword: { type: 'boolean' },
  TSObjectKeyword: { type: 'object' },
  TSNullKeyword: { type: 'null' },
  TSAnyKeyword: {},
};

/** The aggregator's API as its SDK, which is generated from its OpenAPI document, declares it, with the document's limits. */
export function readBankDocument(): ApiDocument {
  const declarations = readFileSync(join(SDK, 'api.d.ts'), 'utf8');
  const paths = pathsIn(readFileSync(join(SDK, 'api.js'), 'utf8'));
  const reader = new DeclarationReader(declarations);
  const methods = new Map<string, DocumentedMethod>();
  return {
    $defs: reader.$defs,
    find(verb, path) {
      const id = paths.get(path);
      if (verb !== 'POST' || id === undefined) return undefined;
      const known = methods.get(id) ?? methodOf(id, declarations, reader);
      methods.set(id, known);
      return known;
    },
  };
}

/** Method by path. */
function pathsIn(code: string): Map<string, string> {
  const found = code.matchAll(/^ {8}(\w+): \(.*\n(?:.*\n){1,3}? {12}const localVarPath = `([^`]+)`;$/gm);
  return new Map([...found].map(([, method = '', path = '']) => [path, method]));
}

function methodOf(id: string, declarations: string, reader: DeclarationReader): DocumentedMethod {
  const [, request, response] =
    new RegExp(`^ {4}${id}\\(\\w+: (\\w+), options\\?: any\\): AxiosPromise<(\\w+)>;$`, 'm').exec(declarations) ?? [];
  if (request === undefined || response === undefined) throw new Error(`the SDK does not declare ${id}`);
  const error = reader.refer('PlaidError');
  return { id, body: reader.refer(request), response: reader.refer(response), errorOf: () => error };
}

/** @param limits of the schema (`''`) and of its members. @throws Error for a member that the SDK does not have */
function withLimits(schema: Schema, { '': own, ...ofMembers }: Readonly<Record<string, Schema>>): Schema {
  const members = schema.properties as Record<string, Schema>;
  for (const [name, limits] of Object.entries(ofMembers)) members[name] = { ...memberOf(members, name), ...limits };
  return { ...schema, ...own };
}

function memberOf(members: Record<string, Schema>, name: string): Schema {
  const member = members[name];
  if (member === undefined) throw new Error(`the SDK does not declare ${name}`);
  return member;
}

/** Reads declarations one by one: the whole file has some hundred thousand lines. */
class DeclarationReader {
  readonly $defs: Record<string, Schema> = {};
  readonly #source: string;
  /** Where each declaration begins. */
  readonly #starts: ReadonlyMap<string, number>;

  constructor(source: string) {
    this.#source = source;
    const found = source.matchAll(/^(?:export )?(?:declare )?(?:interface|enum|type) (\w+)/gm);
    this.#starts = new Map([...found].map(({ index, 1: name = '' }) => [name, index]));
  }

  refer(name: string): Schema {
    // Noted before it is read, because it may be recursive.
    if (this.$defs[name] === undefined) {
      const schema: Schema = {};
      this.$defs[name] = schema;
      Object.assign(schema, withLimits(this.#read(name), LIMITS[name] ?? {}));
    }
    return { $ref: `#/$defs/${name}` };
  }

  #read(name: string): Schema {
    const start = this.#starts.get(name);
    if (start === undefined) throw new Error(`the SDK does not declare ${name}`);
    const [text = ''] = /^.*(?:;|\{(?:[^\n]*\n)*?\})$/m.exec(this.#source.slice(start, start + MOST_LETTERS)) ?? [];
    const node = nodesOf(`${name}.d.ts`, text).find(({ type }) => /^TS(?:Interface|Enum|TypeAlias)Declaration$/.test(type)) as SyntaxNode;
    if (node.type === 'TSTypeAliasDeclaration') return this.#schemaOf(node.typeAnnotation as SyntaxNode);
    const { members, body } = node.body as { members?: SyntaxNode[]; body?: SyntaxNode[] };
    if (members !== undefined) return { enum: members.map(({ initializer }) => (initializer as { value: unknown }).value) };
    return this.#objectOf(body ?? []);
  }

  #objectOf(members: readonly SyntaxNode[]): Schema {
    const index = members.find(({ type }) => type === 'TSIndexSignature');
    const named = members.filter((member) => member !== index);
    return {
      type: 'object',
      properties: Object.fromEntries(named.map((member) => [nameOf(member.key), this.#schemaOf(annotationOf(member))])),
      required: named.filter(({ optional }) => optional !== true).map(({ key }) => nameOf(key)),
      additionalProperties: index === undefined ? false : this.#schemaOf(annotationOf(index)),
    };
  }

  #schemaOf(node: SyntaxNode): Schema {
    const simple = SIMPLE[node.type];
    if (simple !== undefined) return simple;
    if (node.type === 'TSUnionType') return { anyOf: (node.types as SyntaxNode[]).map((type) => this.#schemaOf(type)) };
    if (node.type === 'TSTypeLiteral') return this.#objectOf(node.members as SyntaxNode[]);
    if (node.type !== 'TSTypeReference') throw new Error(`a type that the check does not know: ${node.type}`);
    const name = nameOf(node.typeName);
    const [item] = (node.typeArguments as { params: SyntaxNode[] } | null)?.params ?? [];
    return name === 'Array' && item !== undefined ? { type: 'array', items: this.#schemaOf(item) } : this.refer(name);
  }
}
