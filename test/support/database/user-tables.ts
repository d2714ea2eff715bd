type Sql = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

/** Names of columns that may hold personal data without a reference to the user. */
const PERSONAL = /user|email|subject|identity|address|person/;

interface Column {
  table: string;
  column: string;
}

/**
 * The columns of every table that can hold rows of one user, as `table.column` by table: those that refer to the user,
 * directly or through other tables, and those with a column of such a name.
 */
export async function userColumns(sql: Sql): Promise<Map<string, string[]>> {
  const columns = await sql<Column>(
    `select table_name as table, column_name as column from information_schema.columns
     where table_schema = 'public' and table_name in (select table_name from information_schema.tables where table_type = 'BASE TABLE')
       and not exists (select 1 from pg_class where relname = table_name and relispartition)
     order by table_name, ordinal_position`,
  );
  const references = await sql<{ from: string; to: string }>(
    `select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint where contype = 'f'`,
  );
  const owned = new Set(['users', ...columns.filter(({ column }) => PERSONAL.test(column)).map(({ table }) => table)]);
  for (let before = -1; before !== owned.size; ) {
    before = owned.size;
    for (const { from, to } of references) if (owned.has(to)) owned.add(from);
  }
  const byTable = Map.groupBy(
    columns.filter(({ table }) => owned.has(table)),
    ({ table }) => table,
  );
  return new Map([...byTable].map(([table, of]) => [table, of.map(({ column }) => column)]));
}

/** Every row of every table, the job queue's included, as JSON. */
export async function allRows(sql: Sql): Promise<{ table: string; row: string }[]> {
  const tables = await sql<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const rows: { table: string; row: string }[] = [];
  for (const { name } of tables) {
    const found = await sql<{ row: string }>(`select row_to_json(t)::text as row from ${name} t`);
    rows.push(...found.map(({ row }) => ({ table: name.replace(/^public\./, ''), row })));
  }
  return rows;
}
