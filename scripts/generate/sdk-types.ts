import { readFileSync } from 'node:fs';
import { nodesOf, type SyntaxNode } from '../syntax.ts';

/** The provider's APIs whose methods can be declared, with their versions. */
export const WORKSPACE_APIS: Readonly<Record<string, string>> = {
  gmail: 'v1',
  calendar: 'v3',
  drive: 'v3',
  docs: 'v1',
  sheets: 'v4',
  slides: 'v1',
};
/** Of the others only reading can be declared, which needs no bodies. */
export const APIS_WITH_BODIES: readonly string[] = ['gmail', 'calendar', 'drive', 'docs'];

/**
 * The type of a field in src/providers/workspace/workspace-methods.json: a kind (`string`, `string[]`, `array`, `object`,
 * …), a choice of texts (`=one|other`, `=one|other[]`), a schema (`calendar.Event`, `calendar.Event[]`), or the fields of
 * an object without a name, in a list for a list of them.
 */
export type FieldType = string | FieldTypes | [FieldTypes];
export interface FieldTypes {
  [field: string]: FieldType;
}

/** What introduces a list of all values in a comment, and its items: `- "popup" - …` or `` * `popup` ``. */
const CHOICE =
  /\b(?:(?<!Some of the )possible|supported|allowed) (?:values|items) (?:are|include):((?:\s*(?:\*\s*)?(?:[-*] ["`]\w+["`])(?:(?! \* `)[^\n])*)+)/i;
const KINDS: Readonly<Record<string, string>> = {
  TSStringKeyword: 'string',
  TSNumberKeyword: 'number',
  TSBooleanKeyword: 'boolean',
  TSAnyKeyword: 'any',
};

/** The classes and interfaces of one file of the SDK, by name. */
export class SdkFile {
  readonly #source: string;
  readonly #declared: ReadonlyMap<string, SyntaxNode>;
  readonly #mapOf: (item: () => FieldType) => FieldType;

  /** @param mapOf the type of an object with any names, by that of its values */
  constructor(file: string, mapOf: (item: () => FieldType) => FieldType) {
    this.#mapOf = mapOf;
    this.#source = readFileSync(file, 'utf8');
    const declarations = nodesOf(file, this.#source).filter(({ type }) => type === 'ClassDeclaration' || type === 'TSInterfaceDeclaration');
    this.#declared = new Map(declarations.map((node) => [nameOf(node.id), node]));
  }

  /** The members of a class or interface. @throws Error when there is none of this name */
  members(name: string): SyntaxNode[] {
    const node = this.#declared.get(name);
    if (node === undefined) throw new Error(`not found: ${name}`);
    return (node.body as { body: SyntaxNode[] }).body;
  }

  textOf({ start, end }: SyntaxNode): string {
    return this.#source.slice(start, end);
  }

  /** The comments right before a node. */
  commentOf({ start }: SyntaxNode): string {
    for (let from = start; ; ) {
      const before = this.#source.slice(0, from).trimEnd();
      if (!before.endsWith('*/')) return this.#source.slice(from, start);
      from = before.lastIndexOf('/**');
    }
  }

  /**
   * The fields of an interface.
   *
   * @param schemaName the type of a schema of the SDK; undefined: any object
   */
  fields(members: readonly SyntaxNode[], schemaName: (name: string) => string | undefined): FieldTypes {
    const fields = members.map((member) => {
      const type = this.#typeOf(annotationOf(member), schemaName);
      return [nameOf(member.key), withChoice(type, choiceIn(this.commentOf(member)))] as const;
    });
    return Object.fromEntries(fields);
  }

  #typeOf(node: SyntaxNode, schemaName: (name: string) => string | undefined): FieldType {
    const element = elementOf(node);
    if (element !== undefined) {
      // Lists of lists are not described further.
      const item = elementOf(element) === undefined ? this.#typeOf(element, schemaName) : 'any';
      if (typeof item !== 'string') return Array.isArray(item) ? 'array' : [item];
      return item === 'string' || item.includes('.') ? `${item}[]` : 'array';
    }
    if (node.type === 'TSUnionType') return this.#typeOf((node.types as [SyntaxNode])[0], schemaName);
    if (node.type === 'TSTypeLiteral') {
      const members = node.members as SyntaxNode[];
      const index = members.find(({ type }) => type === 'TSIndexSignature');
      return index === undefined ? this.fields(members, schemaName) : this.#mapOf(() => this.#typeOf(annotationOf(index), schemaName));
    }
    const name = node.type === 'TSTypeReference' ? nameOf(node.typeName) : '';
    return name.startsWith('Schema$') ? (schemaName(name.slice('Schema$'.length)) ?? 'object') : (KINDS[node.type] ?? 'object');
  }
}

/** The type in a member's annotation. */
export function annotationOf({ typeAnnotation }: SyntaxNode): SyntaxNode {
  return (typeAnnotation as { typeAnnotation: SyntaxNode }).typeAnnotation;
}

/** The text of an identifier or a quoted key; '' for other nodes. */
export function nameOf(node: unknown): string {
  const { name, value } = (node ?? {}) as { name?: string; value?: string };
  return name ?? value ?? '';
}

/** A text type limited to these values; other types unchanged. */
export function withChoice(type: FieldType, values: readonly string[]): FieldType {
  if (values.length === 0) return type;
  if (type === 'string') return `=${values.join('|')}`;
  return type === 'string[]' ? `=${values.join('|')}[]` : type;
}

/** The element type of `T[]` and `Array<T>`. */
function elementOf(node: SyntaxNode): SyntaxNode | undefined {
  if (node.type === 'TSArrayType') return node.elementType as SyntaxNode;
  return node.type === 'TSTypeReference' && nameOf(node.typeName) === 'Array'
    ? (node.typeArguments as { params: SyntaxNode[] }).params[0]
    : undefined;
}

/** Empty: the comment lists no values. */
function choiceIn(comment: string): string[] {
  const [, list = ''] = CHOICE.exec(comment) ?? [];
  return [...list.matchAll(/[-*] ["`](\w+)["`]/g)].map(([, value = '']) => value);
}
