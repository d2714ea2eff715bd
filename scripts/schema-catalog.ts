import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Node, parseSync } from 'libpg-query';

/** A table or view, after all migrations. */
export interface CatalogTable {
  columns: ReadonlySet<string>;
  /** The column with the id of the user that a row belongs to; undefined: there is none. */
  userColumn: string | undefined;
}

export type Catalog = ReadonlyMap<string, CatalogTable>;

/** The ids of users are in `user_id`, and of the users themselves in `id`. */
const USERS = 'users';

/** The tables and views of the migrations in a folder. The parser must be loaded. */
export function readCatalog(folder: string): Catalog {
  const tables = new Map<string, Set<string>>();
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  for (const file of files) {
    const [up = ''] = readFileSync(join(folder, file), 'utf8').split('-- Down Migration');
    for (const { stmt } of parseSync(up).stmts ?? []) if (stmt !== undefined) migrate(tables, stmt);
  }
  return new Map([...tables].map(([name, columns]) => [name, { columns, userColumn: userColumn(name, columns) }]));
}

function userColumn(table: string, columns: ReadonlySet<string>): string | undefined {
  if (table === USERS) return 'id';
  return columns.has('user_id') ? 'user_id' : undefined;
}

function migrate(tables: Map<string, Set<string>>, statement: Node): void {
  if ('CreateStmt' in statement) {
    const { relation, tableElts, inhRelations } = statement.CreateStmt;
    // A partition has the columns of its table, and is addressed through it.
    if (inhRelations !== undefined) return;
    const names = (tableElts ?? []).flatMap((one) => {
      if ('TableLikeClause' in one) return [...(tables.get(one.TableLikeClause.relation?.relname ?? '') ?? [])];
      return 'ColumnDef' in one ? [one.ColumnDef.colname ?? ''] : [];
    });
    tables.set(relation?.relname ?? '', new Set(names));
  } else if ('AlterTableStmt' in statement) {
    const { relation, cmds } = statement.AlterTableStmt;
    for (const one of cmds ?? []) {
      const { subtype, name, def } = 'AlterTableCmd' in one ? one.AlterTableCmd : {};
      const columns = tables.get(relation?.relname ?? '');
      if (subtype === 'AT_AddColumn' && def !== undefined && 'ColumnDef' in def) columns?.add(def.ColumnDef.colname ?? '');
      if (subtype === 'AT_DropColumn') columns?.delete(name ?? '');
      if (subtype === 'AT_AttachPartition' && def !== undefined && 'PartitionCmd' in def)
        tables.delete(def.PartitionCmd.name?.relname ?? '');
    }
  } else if ('ViewStmt' in statement) {
    tables.set(statement.ViewStmt.view?.relname ?? '', new Set(viewColumns(statement.ViewStmt.query)));
  } else if ('RenameStmt' in statement) {
    rename(tables, statement.RenameStmt);
  } else if ('DropStmt' in statement) {
    for (const one of statement.DropStmt.objects ?? []) if ('List' in one) tables.delete(lastOf(one.List.items));
  }
}

function rename(tables: Map<string, Set<string>>, { renameType, relation, subname, newname }: RenameOf): void {
  const columns = tables.get(relation?.relname ?? '');
  if (columns === undefined) return;
  if (renameType === 'OBJECT_COLUMN') {
    columns.delete(subname ?? '');
    columns.add(newname ?? '');
  } else if (renameType === 'OBJECT_TABLE') {
    tables.delete(relation?.relname ?? '');
    tables.set(newname ?? '', columns);
  }
}

type RenameOf = Extract<Node, { RenameStmt: unknown }>['RenameStmt'];

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
