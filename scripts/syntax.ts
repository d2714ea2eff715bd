import { parseSync } from 'oxc-parser';

/** A node of the syntax tree (ESTree): its type, its members, and its range in the source. */
export interface SyntaxNode extends Record<string, unknown> {
  type: string;
  start: number;
  end: number;
}

/** @returns all nodes of a source, parents first. @throws Error when it can't be parsed */
export function nodesOf(file: string, source: string): SyntaxNode[] {
  const { program, errors } = parseSync(file, source);
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
  const found: SyntaxNode[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      if ('type' in value) found.push(value as SyntaxNode);
      Object.values(value).forEach(visit);
    }
  };
  visit(program);
  return found;
}

/** @returns the line of a position, from 1 */
export function lineOf(source: string, position: number): number {
  return source.slice(0, position).split('\n').length;
}
