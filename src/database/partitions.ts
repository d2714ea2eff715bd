import type { Clock } from '../clock/clock.ts';
import type { Logger } from '../observability/logger.ts';
import type { Database, Queryable } from './database.ts';
import { isLocked } from './database-errors.ts';
import { TABLES } from './tables.ts';

/** Tables with a partition for each month of UTC, such as `audit_log_2027_02`; rows of other months are in `audit_log_default`. */
const PARTITIONED = ['audit_log', 'events'] as const;
export type PartitionedTable = (typeof PARTITIONED)[number];

/** How many months have a partition after the current one. */
const MONTHS_AHEAD = 3;
/** Statements that come after one that waits for a table's lock wait as well: the longest that they do. */
const LOCK_MS = 50;
const LOCK_TRIES = 5;
const LOCK_PAUSE_MS = 200;
/** Rows in `…_default` that are moved while it is locked, some milliseconds. */
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
    const partitions = await selectPartitions(db, table);
    const names = new Set(partitions.map(({ name }) => name));
    for (const month of monthsAhead(times)) if (!names.has(monthName(table, month))) await addMonth(db, table, month, logger);
    for (const { name, to } of partitions) {
      if (to !== null && to <= times.expired) await change(db, (tx) => tx.query(`drop table if exists ${name}`));
    }
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

async function selectPartitions(db: Queryable, table: PartitionedTable): Promise<Partition[]> {
  return db.query<Partition>(
    {
      name: 'partitions',
      text: `select quote_ident(relname) as name, substring(pg_get_expr(relpartbound, oid) from $$TO \\('(.+?)'\\)$$)::timestamptz as "to"
             from pg_class join pg_inherits on inhrelid = oid where inhparent = to_regclass($1) order by "to" nulls last, name`,
    },
    [table],
  );
}

/** Runs a change of tables in a transaction, unless another process changes them, or a table stays locked. */
async function change(db: Database, work: (tx: Queryable) => Promise<unknown>): Promise<void> {
  for (let tries = 1; tries <= LOCK_TRIES; tries += 1) {
    try {
      return await db.transaction(async (tx) => {
        await tx.query(`set local lock_timeout = ${LOCK_MS}`);
        // Migrations and imports lock this row, too.
        await tx.query('select id from schema_guard where id = 1 for no key update');
        await work(tx);
      });
    } catch (error) {
      if (!isLocked(error)) throw error;
    }
    await db.clock.sleep(LOCK_PAUSE_MS);
  }
}

/** Those that need a partition, also by this process's clock: if the database's is behind, its rows are in the months of that. */
function monthsAhead({ now, clock }: Times): Date[] {
  const months = [now, clock].flatMap((time) => Array.from({ length: MONTHS_AHEAD + 1 }, (_, ahead) => monthOf(time, ahead).getTime()));
  return [...new Set(months)].map((time) => new Date(time));
}

/**
 * Adds the partition of a month. Rows of the month in `…_default` move into it; if there are many, the month stays there.
 *
 * @param month its first moment, UTC
 */
export async function addMonth(db: Database, table: PartitionedTable, month: Date, logger: Logger): Promise<void> {
  const name = monthName(table, month);
  const [from, to] = [month.toISOString(), monthOf(month, 1).toISOString()];
  await change(db, async (tx) => {
    const [found] = await tx.query<{ isThere: boolean }>('select to_regclass($1) is not null as "isThere"', [name]);
    if (found?.isThere === true) return;
    const { by } = TABLES[table].months;
    const within = `${by} >= '${from}' and ${by} < '${to}'`;
    const strays = await tx.query(`/* all users: changes tables */ select 1 from ${table}_default where ${within} limit ${MOVED_MAX + 1}`);
    if (strays.length > MOVED_MAX) {
      logger.warn({ table, month }, 'no partition can be added for a month with many rows; they stay in the default partition');
      return;
    }
    // A row that is on its way to the default partition when its month is attached would be rejected. Only the table itself is
    // locked: with its partitions, the default one would be locked twice, and a transaction that reads and then changes it would
    // deadlock.
    await tx.query(`lock table only ${table} in share row exclusive mode`);
    await tx.query(`lock table only ${table}_default in access exclusive mode`);
    // Unlike `create table … partition of`, attaching a table lets others read it.
    await tx.query(`create table ${name} (like ${table} including defaults)`);
    await tx.query(
      `/* all users: changes tables */ with strays as (delete from ${table}_default where ${within} returning *) insert into ${name} select * from strays`,
    );
    await tx.query(`alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`);
  });
}

/** The first moment of a month, UTC. @param months after that of `time` */
export function monthOf(time: Date, months: number): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months));
}

/** The name of a month's partition. @param month its first moment, UTC */
export function monthName(table: PartitionedTable, month: Date): string {
  return `${table}_${month.toISOString().slice(0, 7).replace('-', '_')}`;
}
