import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allTables, TABLES, type Table, type TableName } from '../../../src/database/tables.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());

/** Of migrations, which are older than all other tables. */
const BEFORE_ALL = ['pgmigrations', 'schema_guard'];
/** Tables with the ids of users whose rows are not theirs: the user is gone, or a row is found without its user. */
const OTHERWISE_FOUND = ['deleted_users', 'oauth_entries'];
/** Bytes that are compared, or that a master key encrypts. */
const NOT_SEALED = /_hash$|^(digest|items?|secret_hash|wrapped|hash_key)$/;

interface Column {
  table: TableName;
  column: string;
  type: string;
}

const columns = () =>
  steward.sql<Column>(
    `select relname::text as table, attname::text as column, format_type(atttypid, null) as type from pg_attribute join pg_class c on c.oid = attrelid
     where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped
       and relname <> all ($1) order by 1, 2`,
    [BEFORE_ALL],
  );
/** Keys and unique indexes (`u`), and foreign keys (`f`). */
const keys = () =>
  steward.sql<{ table: TableName; kind: 'u' | 'f'; columns: string[]; refers: TableName | null; cascades: boolean }>(
    `select indrelid::regclass::text as table, 'u' as kind, null as refers, false as cascades,
       array(select attname::text from pg_attribute where attrelid = indrelid and attnum = any(indkey)) as columns
     from pg_index join pg_class c on c.oid = indrelid where indisunique and not relispartition and relnamespace = 'public'::regnamespace
     union all
     select conrelid::regclass::text, 'f', confrelid::regclass::text, confdeltype = 'c',
       array(select attname::text from pg_attribute where attrelid = conrelid and attnum = any(conkey))
     from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`,
  );
const of = (name: TableName): Table => TABLES[name];

describe('src/database/tables.ts', () => {
  it('has every table, and says whose rows it has', async () => {
    const all = Map.groupBy(await columns(), ({ table }) => table);
    expect([...all.keys()].sort()).toEqual(
      allTables()
        .map(([name]) => name)
        .sort(),
    );
    const withUsers = [...all].filter(([, of]) => of.some(({ column }) => column === 'user_id')).map(([table]) => table);
    const stated = allTables().flatMap(([name, { user }]) => (user === 'user_id' ? [name] : []));
    expect(withUsers.sort()).toEqual([...stated, ...OTHERWISE_FOUND].sort());
  });

  it('names columns that there are: each of an exported table is exported or withheld, and each encrypted one is sealed', async () => {
    const found = await columns();
    const unstated = found.filter(({ table, column, type }) => {
      const { user, exported, withheld = [], sealed = [] } = of(table);
      const isStated = exported === undefined || column in exported.columns || withheld.includes(column);
      const isSealed = user === undefined || type !== 'bytea' || NOT_SEALED.test(column) || sealed.some((one) => one.column === column);
      return !isStated || !isSealed;
    });
    expect(unstated).toEqual([]);
    const names = new Set(found.map(({ table, column }) => `${table}.${column}`));
    const stated = allTables().flatMap(([name, { exported, withheld = [], sealed = [], months }]) =>
      [...Object.keys(exported?.columns ?? {}), ...withheld, ...sealed.map(({ column }) => column), ...(months ? [months.by] : [])].map(
        (column) => `${name}.${column}`,
      ),
    );
    expect(stated.filter((name) => !names.has(name))).toEqual([]);
  });

  it('has the user in every key of tables with rows of users, so that they can be distributed by it', async () => {
    const without = (await keys()).filter(
      ({ table, columns, refers }) =>
        of(table)?.user === 'user_id' && (refers === null || of(refers).user === 'user_id') && !columns.includes('user_id'),
    );
    expect(without).toEqual([]);
  });

  it('has tables in the order of their foreign keys, and says how rows of a deleted user are deleted', async () => {
    const order = allTables().map(([name]) => name);
    const foreign = (await keys()).filter(({ kind }) => kind === 'f');
    expect(foreign.filter(({ table, refers }) => order.indexOf(refers as TableName) >= order.indexOf(table))).toEqual([]);
    // Directly, or with another row of the user.
    const gone = new Set<TableName>(['users']);
    for (const name of order)
      if (foreign.some(({ table, refers, cascades }) => table === name && cascades && gone.has(refers as TableName))) gone.add(name);
    gone.delete('users');
    expect([...gone]).toEqual(order.filter((name) => of(name).erased === 'with the user'));
    const afterwards = order.filter((name) => of(name).user === 'user_id' && !gone.has(name) && name !== 'erasures');
    expect(order.filter((name) => typeof of(name).erased === 'object')).toEqual(afterwards);
  });
});
