import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { nodesOf, type SyntaxNode } from './syntax.ts';

/** A parsed module. */
export interface SourceFile {
  file: string;
  source: string;
  /** All nodes, parents first. */
  nodes: SyntaxNode[];
  parents: ReadonlyMap<SyntaxNode, SyntaxNode>;
}

interface Call {
  source: SourceFile;
  call: SyntaxNode;
}

/** The modules of a project, parsed when they are asked for. */
export class SourceFiles {
  readonly #read: (file: string) => string;
  readonly #texts = new Map<string, string>();
  readonly #parsed = new Map<string, SourceFile>();
  readonly #calls = new Map<string, readonly Call[]>();
  readonly #files: readonly string[];

  /** @param files relative to `root` */
  constructor(root: string, files: readonly string[], read = (file: string) => readFileSync(join(root, file), 'utf8')) {
    this.#files = files;
    this.#read = read;
  }

  get(file: string): SourceFile {
    const known = this.#parsed.get(file);
    if (known !== undefined) return known;
    const source = this.#text(file);
    const nodes = nodesOf(file, source);
    const parsed = { file, source, nodes, parents: parentsOf(nodes) };
    this.#parsed.set(file, parsed);
    return parsed;
  }

  /** @returns the module that an import of `from` names; undefined: it is not among the files */
  imported(from: string, specifier: string): SourceFile | undefined {
    const file = normalize(join(dirname(from), specifier));
    return this.#files.includes(file) ? this.get(file) : undefined;
  }

  /** Calls of a function that is declared in `file`, in this file and in those that import it. @param name `#name`: a private method */
  callsOf(name: string, file: string): readonly Call[] {
    const key = `${file} ${name}`;
    const calls = this.#calls.get(key) ?? this.#findCalls(name, file);
    this.#calls.set(key, calls);
    return calls;
  }

  #findCalls(name: string, file: string): Call[] {
    return this.#files
      .filter((one) => one === file || this.#text(one).includes(name.replace('#', '')))
      .map((one) => this.get(one))
      .filter((source) => source.file === file || this.#imports(source, name, file))
      .flatMap((source) =>
        source.nodes
          .filter(({ type, callee }) => type === 'CallExpression' && calledName(callee as SyntaxNode) === name)
          .map((call) => ({ source, call })),
      );
  }

  #text(file: string): string {
    const text = this.#texts.get(file) ?? this.#read(file);
    this.#texts.set(file, text);
    return text;
  }

  #imports({ file, nodes }: SourceFile, name: string, from: string): boolean {
    return importsOf(nodes).some((one) => one.local === name && this.imported(file, one.specifier)?.file === from);
  }
}

function calledName({ name, object, property }: SyntaxNode): string | undefined {
  if ((object as SyntaxNode | undefined)?.type !== 'ThisExpression') return name as string | undefined;
  const { type, name: member } = property as { type: string; name: string };
  return type === 'PrivateIdentifier' ? `#${member}` : undefined;
}

/** The named imports of a module. */
export function importsOf(nodes: readonly SyntaxNode[]): { local: string; imported: string; specifier: string }[] {
  return nodes
    .filter(({ type }) => type === 'ImportDeclaration')
    .flatMap(({ specifiers, source }) =>
      (specifiers as SyntaxNode[])
        .filter(({ type }) => type === 'ImportSpecifier')
        .map(({ local, imported }) => ({
          local: (local as { name: string }).name,
          imported: (imported as { name: string }).name,
          specifier: (source as { value: string }).value,
        })),
    );
}

function parentsOf(nodes: readonly SyntaxNode[]): Map<SyntaxNode, SyntaxNode> {
  const parents = new Map<SyntaxNode, SyntaxNode>();
  for (const parent of nodes) {
    for (const child of Object.values(parent).flat(2)) {
      if (typeof child === 'object' && child !== null && 'type' in child) parents.set(child as SyntaxNode, parent);
    }
  }
  return parents;
}
