import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../observability/logger.ts';
import type { Database, Queryable } from './database.ts';
import { isLocked, sqlState } from './database-errors.ts';

/**
 * Tables partitioned by month (docs/decisions/0031-partitions.md). Partitions: `…_early` holds everything before the first
 * month, `…_2027_02` a month of UTC, `…_other` rows outside of all others, of which there should be none. Until the months
 * begin, `…_early` is the only one.
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
/** The first month begins at least so much later: its tables must exist before it. */
const BEGIN_AHEAD = '7 days';
/** A limit that is closer is set again, lest rows reach it before it is in force. */
const LIMIT_SPARE = '1 day';
/** Statements that come after one that waits for a table's lock wait as well: the longest that they do. */
const LOCK_MS = 50;
const LOCK_TRIES = 5;
const LOCK_PAUSE_MS = 200;
/** Reads the table, but blocks neither readers nor writers. */
const VALIDATION_MS = 3_600_000;
/** Rows in `…_other` that are moved while it is locked, some milliseconds. */
const MOVED_MAX = 2_000;
const CHECK_VIOLATION = '23514';

interface Partition {
  name: string;
  /** When its rows begin and end; null: no limit. */
  from: Date | null;
  to: Date | null;
  isDefault: boolean;
}

/**
 * Adds partitions for the next months, and drops those whose rows have all expired. It waits for locks only briefly; what
 * remains is done by the next call. Concurrent calls exclude each other.
 *
 * @param clock of this process, in addition to the database's: a wrong one must not make rows expire
 */
export async function maintainPartitions(db: Database, logger: Logger, clock: () => Date = () => new Date()): Promise<void> {
  for (const table of PARTITIONED) {
    if (!(await haveMonthsBegun(db, table, logger))) continue;
    const times = await readTimes(db, table, clock());
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
      text: `select name, bound = 'DEFAULT' as "isDefault",
               substring(bound from $$FROM \\('(.+?)'\\)$$)::timestamptz as "from", substring(bound from $$TO \\('(.+?)'\\)$$)::timestamptz as "to"
             from (select quote_ident(relname) as name, pg_get_expr(relpartbound, oid) as bound
                   from pg_class join pg_inherits on inhrelid = oid where inhparent = $1::regclass) as part
             order by "to" nulls last, name`,
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
    await sleep(LOCK_PAUSE_MS);
  }
  return false;
}

/**
 * Ends `…_early`, the default partition until then, with a month in the future. For this, a check constraint proves that it
 * has no later rows: it is validated while the table is in use, because attaching would read the table while it is locked.
 *
 * @returns whether the table has months
 */
async function haveMonthsBegun(db: Database, table: PartitionedTable, logger: Logger): Promise<boolean> {
  const early = (await selectPartitions(db, table)).find(({ name }) => name === `${table}_early`);
  if (early?.isDefault !== true) return early !== undefined;
  if (await isOlderCodeRunning(db)) return false;
  let limit = await selectLimit(db, table);
  if (limit === undefined && (await change(db, (tx) => addLimit(tx, table, 'now()')))) limit = await selectLimit(db, table);
  if (limit === undefined) return false;
  if (!limit.isValid && !(await validateLimit(db, table, logger))) return false;
  return change(db, (tx) => attachLimited(tx, table, limit.end));
}

/** Code of before partitions deletes rows by `ctid` alone. */
async function isOlderCodeRunning(db: Queryable): Promise<boolean> {
  const [found] = await db.query('select 1 from replicas where code_version < $1 limit 1', [SAFE_CODE]);
  return found !== undefined;
}

/** The limit of `…_early` while it is prepared; undefined if there is none, or none that is far enough in the future. */
async function selectLimit(db: Queryable, table: PartitionedTable): Promise<{ end: Date; isValid: boolean } | undefined> {
  const rows = await db.query<{ end: Date; isValid: boolean }>(
    `select "end", "isValid" from (
       select substring(pg_get_constraintdef(oid) from $$'(.+?)'$$)::timestamptz as "end", convalidated as "isValid"
       from pg_constraint where conrelid = $1::regclass and conname = $2) as prepared
     where "end" > now() + interval '${LIMIT_SPARE}'`,
    [`${table}_early`, `${table}_early_end`],
  );
  return rows[0];
}

/** @param after SQL of a time that the limit must be well after */
async function addLimit(tx: Queryable, table: PartitionedTable, after: string): Promise<void> {
  // Older code does not start from now on.
  await tx.query('update schema_guard set minimum_code_version = greatest(minimum_code_version, $1)', [SAFE_CODE]);
  const [limit] = await tx.query<{ end: string }>(
    `select to_char(date_trunc('month', ${after} + interval '${BEGIN_AHEAD}', 'UTC') at time zone 'UTC' + interval '1 month',
       'YYYY-MM-DD') || ' 00:00:00+00' as "end"`,
  );
  await tx.query(`alter table ${table}_early drop constraint if exists ${table}_early_end`);
  await tx.query(
    `alter table ${table}_early add constraint ${table}_early_end check (${TABLES[table].key} < timestamptz '${limit?.end}') not valid`,
  );
}

async function validateLimit(db: Database, table: PartitionedTable, logger: Logger): Promise<boolean> {
  const validate = `alter table ${table}_early validate constraint ${table}_early_end`;
  try {
    await db.query({ name: `${table}-validate`, text: validate, query_timeout: VALIDATION_MS });
    return true;
  } catch (error) {
    if (sqlState(error) !== CHECK_VIOLATION) throw error;
  }
  logger.warn({ table }, 'rows have times in the future; months begin after these');
  await change(db, (tx) => addLimit(tx, table, `(select greatest(now(), max(${TABLES[table].key})) from ${table}_early)`));
  return false;
}

async function attachLimited(tx: Queryable, table: PartitionedTable, end: Date): Promise<void> {
  // Older code may come back that has been stopped for longer than `replicas` knows it.
  await tx.query(`create trigger ${table}_delete before delete on ${table} for each statement execute function refuse_delete()`);
  await tx.query(`alter table ${table} detach partition ${table}_early`);
  await tx.query(`alter table ${table} attach partition ${table}_early for values from (minvalue) to ('${end.toISOString()}')`);
  await tx.query(`alter table ${table}_early drop constraint ${table}_early_end`);
  await tx.query(`create table ${table}_other (like ${table} including defaults)`);
  for (const index of [...TABLES[table].indexes, ...TABLES[table].otherIndexes]) await tx.query(index.replace('%I', `${table}_other`));
  await tx.query(`alter table ${table} attach partition ${table}_other default`);
}

/** Also by this process's clock: if the database's is behind, its rows are in the months of that. */
async function addMonths(db: Database, table: PartitionedTable, { now, clock }: Times, logger: Logger): Promise<void> {
  const partitions = await selectPartitions(db, table);
  const begin = partitions.find(({ name }) => name === `${table}_early`)?.to ?? now;
  const names = new Set(partitions.map(({ name }) => name));
  const months = [now, clock].flatMap((time) => Array.from({ length: MONTHS_AHEAD + 1 }, (_, ahead) => monthOf(time, ahead)));
  for (const month of months) {
    if (month < begin || names.has(monthName(table, month))) continue;
    names.add(monthName(table, month));
    await addMonth(db, table, month, logger);
  }
}

/**
 * Adds the partition of a month that is not before the first one. Rows of the month in `…_other` move into it; if
 * there are many, the month stays there.
 *
 * @param month its first moment, UTC
 */
export async function addMonth(db: Database, table: PartitionedTable, month: Date, logger: Logger): Promise<void> {
  const { key, indexes } = TABLES[table];
  const name = monthName(table, month);
  const [from, to] = [month.toISOString(), monthOf(month, 1).toISOString()];
  const within = `${key} >= '${from}' and ${key} < '${to}'`;
  await change(db, async (tx) => {
    const [there] = await tx.query<{ isThere: boolean }>('select to_regclass($1) is not null as "isThere"', [name]);
    if (there?.isThere === true) return;
    const strays = await tx.query(`select 1 from ${table}_other where ${within} limit ${MOVED_MAX + 1}`);
    if (strays.length > MOVED_MAX) {
      logger.warn({ table, month: from }, 'no partition can be added for a month with many rows; they stay in the default partition');
      return;
    }
    await tx.query(`create table ${name} (like ${table} including defaults)`);
    for (const index of indexes) await tx.query(index.replace('%I', name));
    await tx.query(`lock table ${table}_other in access exclusive mode`);
    await tx.query(`with strays as (delete from ${table}_other where ${within} returning *) insert into ${name} select * from strays`);
    // Unlike `create table … partition of`, this lets others read and write the table.
    await tx.query(`alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`);
  });
}

async function dropExpired(db: Database, table: PartitionedTable, { expired }: Times): Promise<void> {
  for (const { name, to } of await selectPartitions(db, table)) {
    if (name === `${table}_early` || to === null || to > expired) continue;
    await change(db, async (tx) => {
      await tx.query(`drop table if exists ${name}`);
    });
  }
}

/** The first moment of a month, UTC. @param months after that of `time` */
function monthOf(time: Date, months: number): Date {
  return new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months));
}

function monthName(table: PartitionedTable, month: Date): string {
  return `${table}_${month.toISOString().slice(0, 7).replace('-', '_')}`;
}
