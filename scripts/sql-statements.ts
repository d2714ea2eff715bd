import { possibleValues } from './constant-values.ts';
import type { SourceFile, SourceFiles } from './source-files.ts';
import { lineOf, type SyntaxNode } from './syntax.ts';

/** A statement of the service. */
export interface SqlStatement {
  file: string;
  line: number;
  /** The function that sends it; where that is shared, as that of retention, the repository's function that calls it. */
  name: string;
  /** undefined: it is composed of what only the running program knows. */
  text: string | undefined;
}

/** The statements that a module sends by `query(…)`, in all their variants. */
export function statementsOf(files: SourceFiles, file: string): SqlStatement[] {
  const source = files.get(file);
  const queries = source.nodes.filter(isQuery).flatMap((call) => {
    const [argument] = call.arguments as SyntaxNode[];
    const values = argument === undefined ? [] : possibleValues(files, source, argument);
    return values.map(({ value, caller }) => {
      const isForRepository = caller !== undefined && !isRepository(file) && isRepository(caller.source.file);
      return statementAt(isForRepository ? caller : { source, node: call }, textOf(value));
    });
  });
  return [...new Map(queries.map((one) => [`${one.file} ${one.name} ${one.text}`, one])).values()];
}

function isRepository(file: string): boolean {
  return file.endsWith('-repository.ts');
}

function isQuery({ type, callee }: SyntaxNode): boolean {
  const { type: kind, property } = (callee ?? {}) as { type?: string; property?: { name?: string } };
  return type === 'CallExpression' && kind === 'MemberExpression' && property?.name === 'query';
}

/** Statements are texts, or objects with a text and a name. */
function textOf(value: unknown): string | undefined {
  const text = typeof value === 'object' && value !== null ? (value as { text?: unknown }).text : value;
  return typeof text === 'string' ? text : undefined;
}

function statementAt({ source, node }: { source: SourceFile; node: SyntaxNode }, text: string | undefined): SqlStatement {
  return { file: source.file, line: lineOf(source.source, node.start), name: functionAround(source, node), text };
}

function functionAround({ parents }: SourceFile, node: SyntaxNode): string {
  for (let outer = parents.get(node); outer !== undefined; outer = parents.get(outer)) {
    const named = (outer.type === 'MethodDefinition' ? outer.key : outer.id) as { name?: string } | null | undefined;
    if (/^(Function|Method)/.test(outer.type) && named?.name !== undefined) return named.name;
  }
  return '';
}
