import { importsOf, type SourceFile, type SourceFiles } from './source-files.ts';
import type { SyntaxNode } from './syntax.ts';

/** What an expression computes from values that are known only when the program runs. */
export const UNKNOWN = Symbol('unknown');

/** Where an expression stands, with the parameters of the function that is being computed. */
interface Place {
  source: SourceFile;
  parameters: ReadonlyMap<string, unknown>;
}

class Closure {
  readonly node: SyntaxNode;
  readonly place: Place;

  constructor(node: SyntaxNode, place: Place) {
    this.node = node;
    this.place = place;
  }
}

/** Passes over a program: each takes other ways where only the running program knows which one is taken. */
class Passes {
  #taken: { key: unknown; count: number; index: number }[] = [];
  #position = 0;

  /** The same key takes the same way throughout a pass. */
  choose(key: unknown, count: number): number {
    const taken = this.#taken.slice(0, this.#position).find((one) => one.key === key);
    if (taken !== undefined) return taken.index;
    const next = this.#taken[this.#position] ?? { key, count, index: 0 };
    this.#taken[this.#position] = next;
    this.#position += 1;
    return next.index;
  }

  /** @returns false when all ways were taken */
  next(): boolean {
    this.#taken.length = this.#position;
    this.#position = 0;
    for (let last = this.#taken.at(-1); last !== undefined; last = this.#taken.at(-1)) {
      last.index += 1;
      if (last.index < last.count) return true;
      this.#taken.pop();
    }
    return false;
  }
}

/** A value that an expression can have, and the call in another function that determines it. */
export interface PossibleValue {
  value: unknown;
  caller: { source: SourceFile; node: SyntaxNode } | undefined;
}

const PASSES_MAX = 2_000;

/**
 * The values that an expression can have. Follows constants, imports, templates, calls of functions that only compute,
 * both sides of conditions, and for parameters their literal types or the arguments of all calls. It runs nothing.
 */
export function possibleValues(files: SourceFiles, source: SourceFile, node: SyntaxNode): PossibleValue[] {
  const passes = new Passes();
  const found: PossibleValue[] = [];
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    const interpreter = new Interpreter(files, passes);
    const value = interpreter.evaluate(node, { source, parameters: new Map() });
    found.push({ value, caller: interpreter.caller });
    if (!passes.next()) return found;
  }
  return [...found, { value: UNKNOWN, caller: undefined }];
}

class Interpreter {
  caller: PossibleValue['caller'];
  readonly #files: SourceFiles;
  readonly #passes: Passes;
  readonly #resolving = new Set<string>();

  constructor(files: SourceFiles, passes: Passes) {
    this.#files = files;
    this.#passes = passes;
  }

  evaluate(node: SyntaxNode, place: Place): unknown {
    const part = (name: string) => this.evaluate(node[name] as SyntaxNode, place);
    switch (node.type) {
      case 'Literal':
        return node.regex === undefined ? node.value : UNKNOWN;
      case 'Identifier':
        return this.#lookUp(node.name as string, node, place);
      case 'TemplateLiteral':
        return this.#template(node, place);
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
      case 'ParenthesizedExpression':
      case 'ChainExpression':
        return part('expression');
      case 'ConditionalExpression':
        return part(this.#decide(node.test as SyntaxNode, place) ? 'consequent' : 'alternate');
      case 'BinaryExpression':
        return binary(node.operator as string, part('left'), part('right'));
      case 'LogicalExpression':
        return logical(node.operator as string, part('left'), () => part('right'));
      case 'ArrayExpression':
        return this.#array(node, place);
      case 'ObjectExpression':
        return this.#object(node, place);
      case 'ArrowFunctionExpression':
      case 'FunctionDeclaration':
        return new Closure(node, place);
      case 'MemberExpression':
        return this.#member(node, place);
      case 'CallExpression':
        return this.#call(node, place);
      default:
        return UNKNOWN;
    }
  }

  #template(node: SyntaxNode, place: Place): unknown {
    const quasis = node.quasis as { value: { cooked: string } }[];
    const values = (node.expressions as SyntaxNode[]).map((one) => this.evaluate(one, place));
    return values.flat().every(isText) ? quasis.map(({ value }, index) => `${value.cooked}${values[index] ?? ''}`).join('') : UNKNOWN;
  }

  /** Conditions of the same text have the same result: they are about the same parameters. */
  #decide(test: SyntaxNode, place: Place): boolean {
    const value = this.evaluate(test, place);
    if (value !== UNKNOWN) return Boolean(value);
    return this.#passes.choose(`${place.source.file} ${place.source.source.slice(test.start, test.end)}`, 2) === 0;
  }

  #array(node: SyntaxNode, place: Place): unknown {
    return (node.elements as SyntaxNode[]).flatMap((element) => {
      if (element.type !== 'SpreadElement') return [this.evaluate(element, place)];
      const spread = this.evaluate(element.argument as SyntaxNode, place);
      return Array.isArray(spread) ? spread : [UNKNOWN];
    });
  }

  #object(node: SyntaxNode, place: Place): unknown {
    const entries = (node.properties as SyntaxNode[]).map((property): [string, unknown] => {
      if (property.type !== 'Property') return ['', UNKNOWN];
      const key = property.key as { name?: string; value?: string };
      return [key.name ?? String(key.value), this.evaluate(property.value as SyntaxNode, place)];
    });
    return Object.fromEntries(entries);
  }

  #member(node: SyntaxNode, place: Place): unknown {
    const object = this.evaluate(node.object as SyntaxNode, place);
    if (object === undefined || object === null) return node.optional === true ? undefined : UNKNOWN;
    if (typeof object !== 'object' || object instanceof Closure) return UNKNOWN;
    const name = node.computed === true ? this.evaluate(node.property as SyntaxNode, place) : (node.property as { name: string }).name;
    if (name !== UNKNOWN) return propertyOf(object, String(name));
    const keys = Object.keys(object);
    const { start, end } = node.property as SyntaxNode;
    return propertyOf(
      object,
      keys[this.#passes.choose(`${place.source.file} ${place.source.source.slice(start, end)}`, keys.length)] ?? '',
    );
  }

  #call(node: SyntaxNode, place: Place): unknown {
    const callee = node.callee as SyntaxNode;
    const values = (node.arguments as SyntaxNode[]).map((one) => this.evaluate(one, place));
    if (callee.type === 'MemberExpression') return this.#method(callee, values, place);
    const target = this.evaluate(callee, place);
    return target instanceof Closure ? this.#run(target, values) : UNKNOWN;
  }

  #method(callee: SyntaxNode, values: unknown[], place: Place): unknown {
    const { object, property } = callee as SyntaxNode & { object: SyntaxNode; property: { name: string } };
    const [first] = values;
    if (object.name === 'Object') {
      if (typeof first !== 'object' || first === null) return UNKNOWN;
      if (property.name === 'keys') return Object.keys(first);
      return property.name === 'entries' ? Object.entries(first) : UNKNOWN;
    }
    // Of a list that is known only when the program runs: one of one element.
    const list = this.evaluate(object, place);
    const items = Array.isArray(list) ? list : [UNKNOWN];
    if (property.name === 'map' && first instanceof Closure) return items.map((item, index) => this.#run(first, [item, index]));
    if (property.name === 'join' && Array.isArray(list)) return list.every(isText) ? list.join(isText(first) ? first : ',') : UNKNOWN;
    return UNKNOWN;
  }

  #run({ node, place }: Closure, values: unknown[]): unknown {
    const bound = new Map(place.parameters);
    (node.params as SyntaxNode[]).forEach((pattern, index) => {
      for (const [name, value] of this.#bind(pattern, index < values.length ? values[index] : undefined, place)) bound.set(name, value);
    });
    const inside = { source: place.source, parameters: bound };
    const body = node.body as SyntaxNode;
    if (body.type !== 'BlockStatement') return this.evaluate(body, inside);
    const last = (body.body as SyntaxNode[]).at(-1);
    return last?.type === 'ReturnStatement' && last.argument !== null ? this.evaluate(last.argument as SyntaxNode, inside) : UNKNOWN;
  }

  #bind(pattern: SyntaxNode, value: unknown, place: Place): [string, unknown][] {
    if (pattern.type === 'Identifier') return [[pattern.name as string, value]];
    if (pattern.type === 'AssignmentPattern') {
      return this.#bind(pattern.left as SyntaxNode, value === undefined ? this.evaluate(pattern.right as SyntaxNode, place) : value, place);
    }
    const isKnown = typeof value === 'object' && value !== null;
    if (pattern.type === 'ArrayPattern') {
      return (pattern.elements as (SyntaxNode | null)[]).flatMap((element, index) =>
        element === null ? [] : this.#bind(element, isKnown ? propertyOf(value, String(index)) : UNKNOWN, place),
      );
    }
    if (pattern.type !== 'ObjectPattern') return [];
    return (pattern.properties as SyntaxNode[]).flatMap((property) => {
      if (property.type !== 'Property') return [];
      const { name } = property.key as { name: string };
      return this.#bind(property.value as SyntaxNode, isKnown ? propertyOf(value, name) : UNKNOWN, place);
    });
  }

  #lookUp(name: string, from: SyntaxNode, place: Place): unknown {
    if (place.parameters.has(name)) return place.parameters.get(name);
    if (name === 'undefined') return undefined;
    const key = `${place.source.file} ${name} ${from.start}`;
    // A constant that is computed from itself, such as a list that a loop extends.
    if (this.#resolving.has(key)) return UNKNOWN;
    this.#resolving.add(key);
    const value = this.#declared(name, from, place);
    this.#resolving.delete(key);
    return value;
  }

  #declared(name: string, from: SyntaxNode, place: Place): unknown {
    const { parents } = place.source;
    for (let node = parents.get(from); node !== undefined; node = parents.get(node)) {
      const found = this.#declaredIn(node, name, place);
      if (found !== undefined) return found.value;
    }
    return UNKNOWN;
  }

  /** @returns undefined: the node declares no such name */
  #declaredIn(node: SyntaxNode, name: string, place: Place): { value: unknown } | undefined {
    if (node.type === 'BlockStatement' || node.type === 'Program') return this.#inStatements(node.body as SyntaxNode[], name, place);
    if (node.type === 'ForOfStatement') {
      const [declarator] = (node.left as { declarations: SyntaxNode[] }).declarations;
      if (declarator === undefined || !names(declarator.id as SyntaxNode).includes(name)) return undefined;
      const list = this.evaluate(node.right as SyntaxNode, place);
      if (!Array.isArray(list)) return { value: UNKNOWN };
      return this.#named(declarator.id as SyntaxNode, list[this.#passes.choose(node, list.length)], name, place);
    }
    const params = (node.params ?? []) as SyntaxNode[];
    const index = 'body' in node && Array.isArray(node.params) ? params.findIndex((one) => names(one).includes(name)) : -1;
    return index < 0 ? undefined : { value: this.#parameter(node, params[index] as SyntaxNode, index, name, place) };
  }

  #inStatements(statements: readonly SyntaxNode[], name: string, place: Place): { value: unknown } | undefined {
    for (const statement of statements) {
      const declaration = statement.type.startsWith('Export') ? (statement.declaration as SyntaxNode | null) : statement;
      if (declaration?.type === 'FunctionDeclaration' && (declaration.id as { name: string }).name === name) {
        return { value: new Closure(declaration, { source: place.source, parameters: new Map() }) };
      }
      if (declaration?.type === 'VariableDeclaration') {
        const found = (declaration.declarations as SyntaxNode[]).find(({ id }) => names(id as SyntaxNode).includes(name));
        if (found === undefined) continue;
        if (declaration.kind !== 'const' || found.init === null) return { value: UNKNOWN };
        return this.#named(found.id as SyntaxNode, this.evaluate(found.init as SyntaxNode, place), name, place);
      }
    }
    const imported = importsOf(statements).find(({ local }) => local === name);
    if (imported === undefined) return undefined;
    const source = this.#files.imported(place.source.file, imported.specifier);
    if (source === undefined) return { value: UNKNOWN };
    const program = source.nodes[0] as SyntaxNode;
    return this.#inStatements(program.body as SyntaxNode[], imported.imported, { source, parameters: new Map() }) ?? { value: UNKNOWN };
  }

  #named(pattern: SyntaxNode, value: unknown, name: string, place: Place): { value: unknown } {
    return { value: this.#bind(pattern, value, place).find(([bound]) => bound === name)?.[1] };
  }

  /** One of the literals of its type, or the argument of one of the calls. */
  #parameter(owner: SyntaxNode, pattern: SyntaxNode, index: number, name: string, place: Place): unknown {
    const annotation = (pattern.typeAnnotation as { typeAnnotation?: SyntaxNode } | null)?.typeAnnotation;
    const literals = annotation && this.#literals(annotation, place);
    if (literals !== undefined) return literals[this.#passes.choose(pattern, literals.length)];
    const called = nameOf(owner, place.source.parents.get(owner));
    const calls = called === undefined ? [] : this.#files.callsOf(called, place.source.file);
    const chosen = calls[this.#passes.choose(owner, calls.length)];
    if (chosen === undefined) return UNKNOWN;
    this.caller = { source: chosen.source, node: chosen.call };
    const argument = (chosen.call.arguments as SyntaxNode[])[index];
    const value = argument && this.evaluate(argument, { source: chosen.source, parameters: new Map() });
    return this.#named(pattern, value, name, place).value;
  }

  /** The values of a type that is a union of literals; undefined: it has others, too. */
  #literals(type: SyntaxNode, place: Place): unknown[] | undefined {
    if (type.type === 'TSLiteralType') return [(type.literal as { value: unknown }).value];
    if (type.type === 'TSUndefinedKeyword') return [undefined];
    if (type.type === 'TSUnionType') {
      const all = (type.types as SyntaxNode[]).map((one) => this.#literals(one, place));
      return all.includes(undefined) ? undefined : all.flatMap((one) => one ?? []);
    }
    if (type.type === 'TSTypeOperator') return keysOf(this.#queried(type.typeAnnotation as SyntaxNode, place));
    if (type.type === 'TSIndexedAccessType') return itemsOf(this.#queried(type.objectType as SyntaxNode, place));
    if (type.type !== 'TSTypeReference') return undefined;
    const alias = this.#alias((type.typeName as { name: string }).name, place.source);
    return alias && this.#literals(alias.type, { source: alias.source, parameters: new Map() });
  }

  /** The value of `typeof X`. */
  #queried(type: SyntaxNode, place: Place): unknown {
    const inner = type.type === 'TSParenthesizedType' ? (type.typeAnnotation as SyntaxNode) : type;
    return inner.type === 'TSTypeQuery' ? this.evaluate(inner.exprName as SyntaxNode, place) : UNKNOWN;
  }

  #alias(name: string, source: SourceFile): { type: SyntaxNode; source: SourceFile } | undefined {
    const own = source.nodes.find(({ type, id }) => type === 'TSTypeAliasDeclaration' && (id as { name: string }).name === name);
    if (own !== undefined) return { type: own.typeAnnotation as SyntaxNode, source };
    const imported = importsOf(source.nodes).find(({ local }) => local === name);
    const from = imported && this.#files.imported(source.file, imported.specifier);
    return from && this.#alias(imported.imported, from);
  }
}

function binary(operator: string, left: unknown, right: unknown): unknown {
  if (left === UNKNOWN || right === UNKNOWN) return UNKNOWN;
  if (operator === '===') return left === right;
  if (operator === '!==') return left !== right;
  if (operator !== '+') return UNKNOWN;
  return typeof left === 'number' && typeof right === 'number' ? left + right : `${left}${right}`;
}

function logical(operator: string, left: unknown, right: () => unknown): unknown {
  if (left === UNKNOWN) return UNKNOWN;
  if (operator === '??') return left ?? right();
  return operator === '||' ? left || right() : left && right();
}

/** The name by which a function is called: its own, or that of a private method. */
function nameOf(owner: SyntaxNode, parent: SyntaxNode | undefined): string | undefined {
  const { type, name } = (parent?.type === 'MethodDefinition' ? parent.key : (owner.id ?? {})) as { type?: string; name?: string };
  return type === 'PrivateIdentifier' ? `#${name}` : name;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' || typeof value === 'number';
}

function propertyOf(object: object, name: string): unknown {
  return (object as Record<string, unknown>)[name];
}

function keysOf(value: unknown): unknown[] | undefined {
  return typeof value === 'object' && value !== null ? Object.keys(value) : undefined;
}

function itemsOf(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The names that a pattern declares. */
function names(pattern: SyntaxNode): string[] {
  if (pattern.type === 'Identifier') return [pattern.name as string];
  if (pattern.type === 'AssignmentPattern') return names(pattern.left as SyntaxNode);
  if (pattern.type === 'RestElement') return names(pattern.argument as SyntaxNode);
  if (pattern.type === 'ArrayPattern')
    return (pattern.elements as (SyntaxNode | null)[]).flatMap((one) => (one === null ? [] : names(one)));
  if (pattern.type !== 'ObjectPattern') return [];
  return (pattern.properties as SyntaxNode[]).flatMap((one) => names((one.type === 'Property' ? one.value : one) as SyntaxNode));
}
