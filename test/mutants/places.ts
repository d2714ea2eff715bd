import { parseSync } from 'oxc-parser';
import type { SyntaxNode } from '../../scripts/syntax.ts';
import { ERROR_STATUS } from '../../src/errors.ts';

/** What a change is about. */
export type Kind = 'comparison' | 'logic' | 'condition' | 'code' | 'state' | 'number' | 'await' | 'statement' | 'sql';

/** A part of a source that can be changed. */
export interface Place {
  file: string;
  start: number;
  end: number;
  kind: Kind;
  /** What it can be replaced by. */
  options: string[];
  /** Runs when the module is loaded, once for all tests. */
  isStatic: boolean;
}

/** What nodes of some types have. */
interface Operands {
  left: SyntaxNode;
  right: SyntaxNode;
  argument: SyntaxNode;
  test: SyntaxNode;
  operator: string;
}

const COMPARISONS: Record<string, string[]> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
};
const SQL_COMPARISONS: Record<string, string> = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' };
const SQL_PART = /'[a-z_]+'|(?<![-<>=@?&|~#])[<>]=?(?![<>@])/g;
const CODES = Object.keys(ERROR_STATUS);
const FUNCTION = /Function|PropertyDefinition/;
/** Expressions that have a type beside them. */
const TYPED = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);
/** Nothing but a log, a trace or a warning of Node’s differs. */
const UNSEEN = /logger\.|\blog[A-Z]?\w*\(|span\.|metrics|\.unref\(|\.catch\(\(\) => \{\}\)|^super\(/;
/** How much is kept or done at once: results are the same. */
const PERFORMANCE = /KEPT|CACHE|BATCH|CONCURRENT|_MS$|SECONDS$|DAYS$|MINUTES$|PRIME|ENTRIES/;

/** Sets of words of which one is written where a state is meant: unions of strings, and constant lists. */
export function statesIn(sources: ReadonlyMap<string, string>): Map<string, Set<string>> {
  const states = new Map<string, Set<string>>();
  const visit = (node: SyntaxNode): void => {
    const members = node.type === 'TSUnionType' ? (node.types as SyntaxNode[]).map(({ literal }) => literal as SyntaxNode | undefined) : [];
    const words = members.map((member) => member?.value).filter((word) => typeof word === 'string');
    if (words.length === members.length) for (const word of words) states.set(word, new Set([...(states.get(word) ?? []), ...words]));
    for (const child of children(node)) visit(child);
  };
  for (const [file, source] of sources) visit(parseSync(file, source).program as unknown as SyntaxNode);
  for (const [word, others] of states) others.delete(word);
  return states;
}

/** Every place of a source, in its order. */
export function placesIn(file: string, source: string, states: ReadonlyMap<string, ReadonlySet<string>>): Place[] {
  const places: Place[] = [];
  const isRepository = file.endsWith('-repository.ts');
  const text = ({ start, end }: SyntaxNode) => source.slice(start, end);
  const visit = (node: SyntaxNode, parent: SyntaxNode, isStatic: boolean): void => {
    if (TYPED.has(node.type)) visit(node.expression as SyntaxNode, node, isStatic);
    if (/^TS|^Import|^Export.*All/.test(node.type) || isUnseen(node, text)) return;
    const isInside = !isStatic || FUNCTION.test(node.type);
    const add = (kind: Kind, options: string[], { start, end } = node) => {
      if (options.length > 0) places.push({ file, start, end, kind, options, isStatic: !isInside });
    };
    const { left, right, operator, argument, test } = node as SyntaxNode & Operands;
    const withOperator = (other: string) => text(left) + source.slice(left.end, right.start).replace(operator, other) + text(right);
    if (node.type === 'BinaryExpression') add('comparison', (COMPARISONS[operator] ?? []).map(withOperator));
    if (node.type === 'LogicalExpression' && operator !== '??') add('logic', [withOperator(operator === '&&' ? '||' : '&&')]);
    if (node.type === 'UnaryExpression' && operator === '!') add('logic', [text(argument)]);
    if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') add('condition', ['true', 'false'], test);
    if (node.type === 'Literal' && !isKey(node, parent)) addLiteral(node, parent, add);
    if (node.type === 'AwaitExpression' && !/^Return|^Arrow/.test(parent.type)) add('await', [text(argument)]);
    if (node.type === 'ExpressionStatement' && /^(await )?[\w.#?]+\(/.test(text(node))) add('statement', [';']);
    if (isRepository && (node.type === 'TemplateLiteral' || node.type === 'Literal')) add('sql', sqlOptions(text(node), states));
    for (const child of children(node)) visit(child, node, !isInside);
  };
  const addLiteral = ({ value }: SyntaxNode, parent: SyntaxNode, add: (kind: Kind, options: string[]) => void) => {
    if (typeof value === 'number' && decides(parent)) add('number', [String(value + 1), String(value - 1)]);
    if (typeof value !== 'string') return;
    const isCode = CODES.includes(value);
    const others = isCode ? CODES.filter((code) => code !== value) : [...(states.get(value) ?? [])];
    add(
      isCode ? 'code' : 'state',
      others.map((other) => `'${other}'`),
    );
  };
  const program = parseSync(file, source).program as unknown as SyntaxNode;
  visit(program, program, true);
  return places;
}

function children(node: SyntaxNode): SyntaxNode[] {
  const isNode = (value: unknown) => typeof value === 'object' && value !== null && 'type' in value;
  return Object.values(node).flat().filter(isNode) as SyntaxNode[];
}

function isUnseen({ type, expression, consequent, alternate }: SyntaxNode, text: (node: SyntaxNode) => string): boolean {
  if (type === 'IfStatement') return alternate === null && isUnseen(consequent as SyntaxNode, text);
  return type === 'ExpressionStatement' && UNSEEN.test(text(expression as SyntaxNode));
}

function isKey(node: SyntaxNode, { key, computed }: SyntaxNode): boolean {
  return key === node && computed !== true;
}

/** Whether a number is a limit: compared, or a constant that isn't a time. */
function decides({ type, operator, id }: SyntaxNode): boolean {
  if (type === 'BinaryExpression') return (operator as string) in COMPARISONS;
  const { name } = (id ?? {}) as { name?: string };
  return type === 'VariableDeclarator' && name !== undefined && /^[A-Z_]+$/.test(name) && !PERFORMANCE.test(name);
}

/** The statement with another state or another comparison in one of its places. */
function sqlOptions(sql: string, states: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  if (sql.length < 20) return [];
  return [...sql.matchAll(SQL_PART)].flatMap(({ 0: part, index }) => {
    const others = SQL_COMPARISONS[part] ?? [...(states.get(part.slice(1, -1)) ?? [])].map((word) => `'${word}'`);
    return [others].flat().map((other) => sql.slice(0, index) + other + sql.slice(index + part.length));
  });
}
