import type { Clock } from '../clock/clock.ts';
import type { Logger } from '../observability/logger.ts';
import type { Database, Queryable } from './database.ts';
import { isLocked } from './database-errors.ts';

/**
 * Tables partitioned by month (docs/decisions/0031-partitions.md). Partitions: `…_early` holds the rows of before the months
 * began, those with `is_early`; `…_2027_02` a month of UTC; `…_other` rows of months that have no partition, of which there
 * should be none. The months and `…_other` are partitions of `…_months`.
 */
const TABLES = {
  audit_log: { key: 'at', kept: '400 days', indexes: [], otherIndexes: ['create index on %I (at)'] },
  events: {
    key: 'created_at',
    kept: '24 hours',
    indexes: ['create unique index on %I (user_id, seq)', 'create unique index on %I (id)'],
    otherIndexes: [],
  },
} as const;

export type PartitionedTable = keyof typeof TABLES;
const PARTITIONED = Object.keys(TABLES) as PartitionedTable[];

/** The first code version that does not delete rows by `ctid` alone. */
const SAFE_CODE = 2;
/** How many months have a partition after the current one. */
const MONTHS_AHEAD = 3;
/** Statements that come after one that waits for a table's lock wait as well: the longest that they do. */
const LOCK_MS = 50;
const LOCK_TRIES = 5;
const LOCK_PAUSE_MS = 200;
/** Rows in `…_other` that are moved while it is locked, some milliseconds. */
const MOVED_MAX = 2_000;

interface Partition {
  name: string;
  /** When its month ends; null: it is no month's. */
  to: Date | null;
}

/**
 * Adds partitions for the next months, and drops those whose rows have all expired. It waits for locks only briefly; what
 * remains is done by the next call. Concurrent calls exclude each other.
 *
 * @param clock of this process, in addition to the database's: a wrong one must not make rows expire
 */
export async function maintainPartitions(db: Database, logger: Logger, clock: Pick<Clock, 'now'> = db.clock): Promise<void> {
  for (const table of PARTITIONED) {
    const times = await readTimes(db, table, new Date(clock.now()));
    if (!(await haveMonthsBegun(db, table, times))) continue;
    await addMonths(db, table, times, logger);
    await dropExpired(db, table, times);
  }
}

interface Times {
  /** Of the database. */
  now: Date;
  /** Of this process. */
  clock: Date;
  /** Rows of before have expired by both clocks. */
  expired: Date;
}

async function readTimes(db: Queryable, table: PartitionedTable, clock: Date): Promise<Times> {
  const rows = await db.query<Omit<Times, 'clock'>>(
    `select now() as now, least(now(), $1::timestamptz) - interval '${TABLES[table].kept}' as expired`,
    [clock],
  );
  return { ...(rows[0] as Omit<Times, 'clock'>), clock };
}

/** The names of the partitions of a table, quoted where necessary. `ctid` identifies a row only within one. */
export async function partitionNames(db: Queryable, table: PartitionedTable): Promise<string[]> {
  return (await selectPartitions(db, table)).map(({ name }) => name);
}

/** Those whose rows expire one by one, not with their month. */
export async function unboundedPartitions(db: Queryable, table: PartitionedTable): Promise<{ early: string; other: string | undefined }> {
  const partitions = await selectPartitions(db, table);
  return { early: `${table}_early`, other: partitions.find(({ name }) => name === `${table}_other`)?.name };
}

async function selectPartitions(db: Queryable, table: PartitionedTable): Promise<Partition[]> {
  return db.query<Partition>(
    {
      name: 'partitions',
      text: `select quote_ident(relname) as name, substring(pg_get_expr(relpartbound, oid) from $$TO \\('(.+?)'\\)$$)::timestamptz as "to"
             from pg_class join pg_inherits on inhrelid = oid
             where inhparent in (to_regclass($1), to_regclass($1 || '_months')) and relkind = 'r' order by "to" nulls last, name`,
    },
    [table],
  );
}

/**
 * Runs a change of tables in a transaction, unless another process changes them, or a table stays locked.
 *
 * @returns whether it was run
 */
async function change(db: Database, work: (tx: Queryable) => Promise<void>): Promise<boolean> {
  for (let tries = 1; tries <= LOCK_TRIES; tries += 1) {
    try {
      return await db.transaction(async (tx) => {
        // Migrations and imports lock this row, too.
        const guard = await tx.query('select id from schema_guard where id = 1 for no key update skip locked');
        if (guard.length === 0) return false;
        await tx.query(`set local lock_timeout = ${LOCK_MS}`);
        await work(tx);
        return true;
      });
    } catch (error) {
      if (!isLocked(error)) throw error;
    }
    await db.clock.sleep(LOCK_PAUSE_MS);
  }
  return false;
}

/**
 * Begins the months if they have not begun. Rows with `is_early`, of `…_early`, need not be looked at for this.
 *
 * @returns whether the table has months
 */
async function haveMonthsBegun(db: Database, table: PartitionedTable, times: Times): Promise<boolean> {
  if (await isThere(db, `${table}_months`)) return true;
  if (await isOlderCodeRunning(db)) return false;
  return change(db, (tx) => beginMonths(tx, table, monthsAhead(times)));
}

async function isThere(db: Queryable, name: string): Promise<boolean> {
  const [found] = await db.query<{ isThere: boolean }>('select to_regclass($1) is not null as "isThere"', [name]);
  return found?.isThere === true;
}

/** Code of before partitions deletes rows by `ctid` alone. */
async function isOlderCodeRunning(db: Queryable): Promise<boolean> {
  const [found] = await db.query('select 1 from replicas where code_version < $1 limit 1', [SAFE_CODE]);
  return found !== undefined;
}

/** New rows are no longer `is_early` by default, and go to `…_months`, the default partition. */
async function beginMonths(tx: Queryable, table: PartitionedTable, months: readonly Date[]): Promise<void> {
  if (await isThere(tx, `${table}_months`)) return;
  // Older code does not start from now on. If it comes back, stopped for longer than `replicas` knows it, it can't delete.
  await tx.query('update schema_guard set minimum_code_version = greatest(minimum_code_version, $1)', [SAFE_CODE]);
  // At once: a weaker lock before it would be a deadlock with whoever reads the table and then changes it.
  await tx.query(`lock table only ${table} in access exclusive mode`);
  await tx.query(`create trigger ${table}_delete before delete on ${table} for each statement execute function refuse_delete()`);
  await tx.query(`alter table only ${table} alter column is_early drop default`);
  await tx.query(`create table ${table}_months (like ${table} including defaults) partition by range (${TABLES[table].key})`);
  await createPartition(tx, table, `${table}_other`, TABLES[table].otherIndexes);
  await tx.query(`alter table ${table}_months attach partition ${table}_other default`);
  for (const month of months) {
    await createPartition(tx, table, monthName(table, month));
    await attachMonth(tx, table, month);
  }
  await tx.query(`alter table ${table} attach partition ${table}_months default`);
}

async function createPartition(
  tx: Queryable,
  table: PartitionedTable,
  name: string,
  furtherIndexes: readonly string[] = [],
): Promise<void> {
  await tx.query(`create table ${name} (like ${table} including defaults)`);
  for (const index of [...TABLES[table].indexes, ...furtherIndexes]) await tx.query(index.replace('%I', name));
}

/** Unlike `create table … partition of`, this lets others read and write the table. */
async function attachMonth(tx: Queryable, table: PartitionedTable, month: Date): Promise<void> {
  const limits = `from ('${month.toISOString()}') to ('${monthOf(month, 1).toISOString()}')`;
  await tx.query(`alter table ${table}_months attach partition ${monthName(table, month)} for values ${limits}`);
}

/** Those that need a partition, also by this process's clock: if the database's is behind, its rows are in the months of that. */
function monthsAhead({ now, clock }: Times): Date[] {
  const months = [now, clock].flatMap((time) => Array.from({ length: MONTHS_AHEAD + 1 }, (_, ahead) => monthOf(time, ahead).getTime()));
  return [...new Set(months)].map((time) => new Date(time));
}

async function addMonths(db: Database, table: PartitionedTable, times: Times, logger: Logger): Promise<void> {
  const names = new Set(await partitionNames(db, table));
  for (const month of monthsAhead(times)) if (!names.has(monthName(table, month))) await addMonth(db, table, month, logger);
}

/**
 * Adds the partition of a month. Rows of the month in `…_other` move into it; if there are many, the month stays there.
 *
 * @param month its first moment, UTC
 */
export async function addMonth(db: Database, table: PartitionedTable, month: Date, logger: Logger): Promise<void> {
  const { key } = TABLES[table];
  const name = monthName(table, month);
  const within = `${key} >= '${month.toISOString()}' and ${key} < '${monthOf(month, 1).toISOString()}'`;
  await change(db, async (tx) => {
    if (await isThere(tx, name)) return;
    const strays = await tx.query(`select 1 from ${table}_other where ${within} limit ${MOVED_MAX + 1}`);
    if (strays.length > MOVED_MAX) {
      logger.warn({ table, month }, 'no partition can be added for a month with many rows; they stay in the default partition');
      return;
    }
    await createPartition(tx, table, name);
    // A row that is on its way to `…_other` when its month is attached would be rejected. Only the table itself is locked:
    // with its partitions, `…_other` would be locked twice, and whoever reads and then changes it would be in a deadlock.
    await tx.query(`lock table only ${table}_months in share row exclusive mode`);
    await tx.query(`lock table only ${table}_other in access exclusive mode`);
    await tx.query(`with strays as (delete from ${table}_other where ${within} returning *) insert into ${name} select * from strays`);
    await attachMonth(tx, table, month);
  });
}

async function dropExpired(db: Database, table: PartitionedTable, { expired }: Times): Promise<void> {
  for (const { name, to } of await selectPartitions(db, table)) {
    if (to === null || to > expired) continue;
    await change(db, async (tx) => {
      await tx.query(`drop table if exists ${name}`);
    });
  }
}

/** The first moment of a month, UTC. @param months after that of `time` */
export function monthOf(time: Date, months: number): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months));
}

/** The name of a month's partition. @param month its first moment, UTC */
export function monthName(table: PartitionedTable, month: Date): string {
  return `${table}_${month.toISOString().slice(0, 7).replace('-', '_')}`;
}
