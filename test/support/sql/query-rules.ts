import { type A_Expr, type Alias, type JoinExpr, type Node, parseSync, type RangeVar, type SelectStmt, type WithClause } from 'libpg-query';
import { type Catalog, tableOf } from './sql-catalog.ts';

/** A part of a statement that addresses rows of users without the user's id. */
export interface Problem {
  verb: 'reads' | 'updates' | 'deletes' | 'inserts into';
  table: string;
}

/** The rows that a query gives to the one around it. */
interface Output {
  columns: string[];
  /** Those whose values follow from what the caller of the statement has given. */
  given: ReadonlySet<string>;
}

/** What a query takes rows from, under the name that it uses. */
interface Relation {
  name: string;
  columns: ReadonlySet<string>;
  given: Set<string>;
  /** A table with rows of users. */
  owned: (Problem & { userColumn: string }) | undefined;
}

interface Scope {
  relations: Relation[];
  outer: Scope | undefined;
  /** Of `with`, by name. */
  queries: ReadonlyMap<string, Output>;
}

/** A condition that rows meet. */
interface Condition {
  operator: '=' | '<' | '>';
  left: Node;
  right: Node;
  /** The relations whose rows meet it, where an outer join keeps others; undefined: all. */
  only: ReadonlySet<Relation> | undefined;
}

/** The parts of a statement other than an insertion. */
interface Query {
  verb: Problem['verb'];
  target: RangeVar | undefined;
  from: Node[];
  where: Node | undefined;
  output: Node[];
  withClause: WithClause | undefined;
}

type Queries = Scope['queries'];

const NOTHING: Output = { columns: [], given: new Set() };

/**
 * The tables that a statement addresses without the id of the user whose rows they are. A table is addressed by it where
 * the user's column equals a parameter, a column of rows that the caller has given (`unnest`), or the user's column of
 * another table that is addressed by it; or lies between two pairs that begin with one of these. The parser must be loaded.
 *
 * @throws SqlError when the text is not SQL
 */
export function problemsOf(sql: string, catalog: Catalog): Problem[] {
  return judged(sql, catalog).problems;
}

/** Whether a statement addresses rows of users. */
export function isAboutUsers(sql: string, catalog: Catalog): boolean {
  return judged(sql, catalog).isAboutUsers;
}

function judged(sql: string, catalog: Catalog): Judge {
  const judge = new Judge(catalog);
  for (const { stmt } of parseSync(sql).stmts ?? []) if (stmt !== undefined) judge.statement(stmt, undefined, new Map());
  return judge;
}

class Judge {
  readonly problems: Problem[] = [];
  isAboutUsers = false;
  readonly #catalog: Catalog;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  statement(node: Node, outer: Scope | undefined, known: Queries): Output {
    if ('SelectStmt' in node) return this.#select(node.SelectStmt, outer, known);
    if ('InsertStmt' in node) return this.#insert(node.InsertStmt, outer, known);
    if ('DeclareCursorStmt' in node && node.DeclareCursorStmt.query) return this.statement(node.DeclareCursorStmt.query, outer, known);
    if ('UpdateStmt' in node) {
      const { relation: target, fromClause: from = [], whereClause: where, returningClause, withClause } = node.UpdateStmt;
      return this.#query(node, { verb: 'updates', target, from, where, output: returningClause?.exprs ?? [], withClause }, outer, known);
    }
    if ('DeleteStmt' in node) {
      const { relation: target, usingClause: from = [], whereClause: where, returningClause, withClause } = node.DeleteStmt;
      return this.#query(node, { verb: 'deletes', target, from, where, output: returningClause?.exprs ?? [], withClause }, outer, known);
    }
    return NOTHING;
  }

  #select(select: SelectStmt, outer: Scope | undefined, known: Queries): Output {
    const { larg, rarg, valuesLists, withClause } = select;
    const queries = this.#with(withClause, outer, known);
    if (larg !== undefined && rarg !== undefined) {
      const [first, second] = [this.#select(larg, outer, queries), this.#select(rarg, outer, queries)];
      const given = first.columns.filter((name, index) => first.given.has(name) && second.given.has(second.columns[index] ?? ''));
      return { columns: first.columns, given: new Set(given) };
    }
    if (valuesLists !== undefined) return this.#values(valuesLists, { relations: [], outer, queries });
    const { fromClause: from = [], whereClause: where, targetList: output = [] } = select;
    return this.#query(
      { SelectStmt: select },
      { verb: 'reads', target: undefined, from, where, output, withClause: undefined },
      outer,
      queries,
    );
  }

  #values(lists: readonly Node[], scope: Scope): Output {
    const rows = lists.map((list) => ('List' in list ? (list.List.items ?? []) : []));
    for (const row of rows) this.#subqueries(row, scope);
    const columns = (rows[0] ?? []).map((_, index) => `column${index + 1}`);
    const given = columns.filter((_, index) => rows.every((row) => row[index] !== undefined && isGiven(row[index], scope)));
    return { columns, given: new Set(given) };
  }

  #query(node: Node, { verb, target, from, where, output, withClause }: Query, outer: Scope | undefined, known: Queries): Output {
    const scope: Scope = { relations: [], outer, queries: this.#with(withClause, outer, known) };
    const conditions = conjuncts(where, undefined);
    if (target !== undefined) scope.relations.push(this.#table(target, verb, new Map()));
    for (const item of from) this.#take(item, verb === 'reads' ? verb : 'reads', scope, conditions);
    apply(conditions, scope);
    for (const { owned, given } of scope.relations) {
      if (owned !== undefined && !given.has(owned.userColumn)) this.problems.push({ verb: owned.verb, table: owned.table });
    }
    this.#subqueries(Object.values(node), scope);
    return outputOf(output, scope);
  }

  #insert(
    { relation, cols, selectStmt, returningClause, withClause, onConflictClause }: Extract<Node, { InsertStmt: unknown }>['InsertStmt'],
    outer: Scope | undefined,
    known: Queries,
  ): Output {
    const queries = this.#with(withClause, outer, known);
    const inserted = this.#table(relation ?? {}, 'inserts into', new Map());
    const rows = selectStmt === undefined ? NOTHING : this.statement(selectStmt, outer, queries);
    (cols ?? []).forEach((column, index) => {
      if ('ResTarget' in column && rows.given.has(rows.columns[index] ?? '')) inserted.given.add(column.ResTarget.name ?? '');
    });
    const { owned, given } = inserted;
    if (owned !== undefined && !given.has(owned.userColumn)) this.problems.push({ verb: owned.verb, table: owned.table });
    const scope = { relations: [inserted], outer, queries };
    this.#subqueries([onConflictClause, returningClause], scope);
    return outputOf(returningClause?.exprs ?? [], scope);
  }

  #with(clause: WithClause | undefined, outer: Scope | undefined, known: Queries): Queries {
    const queries = new Map(known);
    for (const one of clause?.ctes ?? []) {
      if (!('CommonTableExpr' in one)) continue;
      const { ctename = '', ctequery, aliascolnames } = one.CommonTableExpr;
      // A recursive one reads itself, of which nothing is known yet.
      if (clause?.recursive) queries.set(ctename, { columns: (aliascolnames ?? []).map(textOf), given: new Set() });
      queries.set(ctename, renamed(ctequery === undefined ? NOTHING : this.statement(ctequery, outer, queries), aliascolnames));
    }
    return queries;
  }

  /** Adds what a part of `from` takes rows from. Parts before it may determine what it reads. */
  #take(item: Node, verb: Problem['verb'], scope: Scope, conditions: Condition[]): void {
    if ('RangeVar' in item) scope.relations.push(this.#table(item.RangeVar, verb, scope.queries));
    else if ('JoinExpr' in item) this.#join(item.JoinExpr, verb, scope, conditions);
    else if ('RangeSubselect' in item && item.RangeSubselect.subquery) {
      apply(conditions, scope);
      const { lateral, subquery, alias } = item.RangeSubselect;
      const output = this.statement(subquery, lateral ? scope : scope.outer, scope.queries);
      scope.relations.push(derived(alias?.aliasname ?? '', renamed(output, alias?.colnames)));
    } else if ('RangeFunction' in item) {
      apply(conditions, scope);
      scope.relations.push(functionRows(item.RangeFunction.functions ?? [], item.RangeFunction.alias, scope));
    }
  }

  #join({ jointype = 'JOIN_INNER', larg, rarg, quals }: JoinExpr, verb: Problem['verb'], scope: Scope, conditions: Condition[]): void {
    const sides = [larg, rarg].map((side) => {
      const before = scope.relations.length;
      if (side !== undefined) this.#take(side, verb, scope, conditions);
      return new Set(scope.relations.slice(before));
    });
    const optional = { JOIN_INNER: undefined, JOIN_LEFT: sides[1], JOIN_RIGHT: sides[0] } as Partial<Record<string, Set<Relation>>>;
    conditions.push(...conjuncts(quals, jointype === 'JOIN_INNER' ? undefined : (optional[jointype] ?? new Set())));
  }

  #table({ relname = '', schemaname, alias }: RangeVar, verb: Problem['verb'], queries: Queries): Relation {
    const name = alias?.aliasname ?? relname;
    const query = queries.get(relname);
    if (query !== undefined) return derived(name, query);
    const table = schemaname === undefined ? tableOf(this.#catalog, relname) : undefined;
    const owned = table?.userColumn === undefined ? undefined : { verb, table: relname, userColumn: table.userColumn };
    if (owned !== undefined) this.isAboutUsers = true;
    return { name, columns: table?.columns ?? new Set(), given: new Set(), owned };
  }

  /** Judges the subqueries of expressions. Those of `with` and `from` are judged elsewhere. */
  #subqueries(value: unknown, scope: Scope): void {
    if (typeof value !== 'object' || value === null) return;
    if ('SubLink' in value) {
      const { subselect, testexpr } = value.SubLink as { subselect: Node; testexpr?: Node };
      this.statement(subselect, scope, scope.queries);
      this.#subqueries(testexpr, scope);
      return;
    }
    if ('RangeSubselect' in value) return;
    for (const [name, part] of Object.entries(value)) if (name !== 'withClause') this.#subqueries(part, scope);
  }
}

/** Repeats until no condition determines a further column. */
function apply(conditions: readonly Condition[], scope: Scope): void {
  const known = () => scope.relations.reduce((sum, { given }) => sum + given.size, 0);
  for (let before = -1; before < known(); ) {
    before = known();
    for (const one of conditions) {
      if (one.operator === '=') {
        determine(one.left, one.right, one, scope);
        determine(one.right, one.left, one, scope);
      } else if (
        one.operator === '>' &&
        conditions.some((other) => other.operator === '<' && isSame(other.left, one.left) && isGiven(other.right, scope))
      ) {
        determine(one.left, one.right, one, scope);
      }
    }
  }
}

function determine(column: Node, by: Node, { only }: Condition, scope: Scope): void {
  const found = 'ColumnRef' in column ? columnOf(column, scope) : undefined;
  if (found === undefined || !scope.relations.includes(found.relation) || only?.has(found.relation) === false) return;
  if (isGiven(by, scope)) found.relation.given.add(found.name);
}

/** Whether an expression follows from what the caller has given: parameters, constants, and columns that do. */
function isGiven(value: unknown, scope: Scope): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if ('SubLink' in value) return isGivenAlone((value.SubLink as { subselect?: Node }).subselect, scope);
  if ('ColumnRef' in value) {
    const found = columnOf(value as Node, scope);
    return found?.relation.given.has(found.name) === true;
  }
  return Object.values(value).every((part) => isGiven(part, scope));
}

/** A subquery that reads no table: `array(select unnest($1::uuid[]))`. */
function isGivenAlone(query: Node | undefined, scope: Scope): boolean {
  const { fromClause, targetList } = query !== undefined && 'SelectStmt' in query ? query.SelectStmt : {};
  return fromClause === undefined && targetList !== undefined && isGiven(targetList, scope);
}

function columnOf(node: Node, scope: Scope): { relation: Relation; name: string } | undefined {
  const fields = 'ColumnRef' in node ? (node.ColumnRef.fields ?? []).map(textOf) : [];
  const name = fields.at(-1) ?? '';
  const table = fields.length > 1 ? fields.at(-2) : undefined;
  for (let around: Scope | undefined = scope; around !== undefined; around = around.outer) {
    const relation = around.relations.find((one) => (table === undefined ? one.columns.has(name) : one.name === table));
    if (relation !== undefined) return { relation, name };
  }
  return undefined;
}

/** The equalities and comparisons that rows must meet: those that `and` connects. */
function conjuncts(node: Node | undefined, only: Condition['only']): Condition[] {
  if (node === undefined) return [];
  if ('BoolExpr' in node)
    return node.BoolExpr.boolop === 'AND_EXPR' ? (node.BoolExpr.args ?? []).flatMap((one) => conjuncts(one, only)) : [];
  return 'A_Expr' in node ? comparison(node.A_Expr, only) : [];
}

function comparison({ kind, name, lexpr, rexpr }: A_Expr, only: Condition['only']): Condition[] {
  if (lexpr === undefined || rexpr === undefined || kind === undefined || !['AEXPR_OP', 'AEXPR_OP_ANY', 'AEXPR_IN'].includes(kind))
    return [];
  const operator = (name ?? []).map(textOf).join('').charAt(0);
  const pairs = 'RowExpr' in lexpr && 'RowExpr' in rexpr ? [lexpr.RowExpr.args ?? [], rexpr.RowExpr.args ?? []] : [[lexpr], [rexpr]];
  const [lefts = [], rights = []] = pairs;
  // Of pairs in an order, only the first parts are in the same one.
  const count = operator === '=' ? lefts.length : 'RowExpr' in lexpr ? 1 : 0;
  if (operator !== '=' && operator !== '<' && operator !== '>') return [];
  return lefts
    .slice(0, count)
    .flatMap((left, index) => (rights[index] === undefined ? [] : [{ operator, left, right: rights[index], only }]));
}

function isSame(one: Node, other: Node): boolean {
  const fields = (node: Node) => ('ColumnRef' in node ? (node.ColumnRef.fields ?? []).map(textOf).join('.') : undefined);
  return fields(one) !== undefined && fields(one) === fields(other);
}

function derived(name: string, { columns, given }: Output): Relation {
  return { name, columns: new Set(columns), given: new Set(given), owned: undefined };
}

/** A function in `from` gives rows as its arguments have them. */
function functionRows(functions: readonly Node[], alias: Alias | undefined, scope: Scope): Relation {
  const name = alias?.aliasname ?? '';
  const columns = alias?.colnames?.map(textOf) ?? [name];
  return derived(name, { columns, given: new Set(isGiven(functions, scope) ? columns : []) });
}

function renamed({ columns, given }: Output, names: readonly Node[] | undefined): Output {
  if (names === undefined) return { columns, given };
  const renamedColumns = columns.map((name, index) => (names[index] === undefined ? name : textOf(names[index])));
  return { columns: renamedColumns, given: new Set(renamedColumns.filter((_, index) => given.has(columns[index] ?? ''))) };
}

function outputOf(targets: readonly Node[], scope: Scope): Output {
  const columns: string[] = [];
  const given = new Set<string>();
  const add = (name: string, follows: boolean) => {
    columns.push(name);
    if (follows) given.add(name);
  };
  for (const target of targets) {
    const { name, val } = 'ResTarget' in target ? target.ResTarget : {};
    if (val === undefined) continue;
    const fields = 'ColumnRef' in val ? (val.ColumnRef.fields ?? []) : [];
    const last = fields.at(-1);
    if (last !== undefined && 'A_Star' in last) {
      const of = fields.length > 1 ? textOf(fields[0] as Node) : undefined;
      for (const relation of scope.relations.filter((one) => of === undefined || one.name === of)) {
        for (const column of relation.columns) add(column, relation.given.has(column));
      }
    } else add(name ?? (last === undefined ? '' : textOf(last)), isGiven(val, scope));
  }
  return { columns, given };
}

function textOf(node: Node): string {
  return 'String' in node ? (node.String.sval ?? '') : '';
}
