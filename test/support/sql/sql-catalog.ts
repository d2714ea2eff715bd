import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Node, parseSync } from 'libpg-query';
import { TABLES, type Table } from '../../../src/database/tables.ts';

/** A table or view of the migrations. */
export interface CatalogTable {
  columns: ReadonlySet<string>;
  /** The column with the id of the user that a row belongs to; undefined: there is none. */
  userColumn: string | undefined;
}

export type Catalog = ReadonlyMap<string, CatalogTable>;

const MIGRATIONS = join(import.meta.dirname, '../../../migrations');
/** A month's partition, or the default one. */
const PARTITION = /_(default|\d{4}_\d\d)$/;

/** The tables and views of the migrations. The parser must be loaded. */
export function readCatalog(): Catalog {
  const catalog = new Map<string, CatalogTable>();
  for (const file of readdirSync(MIGRATIONS).sort()) {
    for (const { stmt } of parseSync(readFileSync(join(MIGRATIONS, file), 'utf8')).stmts ?? []) if (stmt !== undefined) add(catalog, stmt);
  }
  return catalog;
}

/** A table by its name, or by that of one of its partitions. */
export function tableOf(catalog: Catalog, name: string): CatalogTable | undefined {
  return catalog.get(name) ?? catalog.get(name.replace(PARTITION, ''));
}

function add(catalog: Map<string, CatalogTable>, statement: Node): void {
  if ('CreateStmt' in statement) {
    const { relation, tableElts = [] } = statement.CreateStmt;
    const name = relation?.relname ?? '';
    const columns = tableElts.flatMap((one) => ('ColumnDef' in one ? [one.ColumnDef.colname ?? ''] : []));
    if (!PARTITION.test(name)) catalog.set(name, { columns: new Set(columns), userColumn: (TABLES as Record<string, Table>)[name]?.user });
  } else if ('ViewStmt' in statement) {
    const columns = viewColumns(statement.ViewStmt.query);
    catalog.set(statement.ViewStmt.view?.relname ?? '', {
      columns: new Set(columns),
      userColumn: columns.find((name) => name === 'user_id'),
    });
  }
}

/** Those of a view's first part name all. */
function viewColumns(query: Node | undefined): string[] {
  let select = query !== undefined && 'SelectStmt' in query ? query.SelectStmt : undefined;
  while (select?.larg !== undefined) select = select.larg;
  return (select?.targetList ?? []).flatMap((one) => {
    if (!('ResTarget' in one)) return [];
    const { name, val } = one.ResTarget;
    return [name ?? (val !== undefined && 'ColumnRef' in val ? lastOf(val.ColumnRef.fields) : '')];
  });
}

/** The last part of a qualified name. */
function lastOf(parts: readonly Node[] | undefined): string {
  const last = parts?.at(-1);
  return last !== undefined && 'String' in last ? (last.String.sval ?? '') : '';
}
