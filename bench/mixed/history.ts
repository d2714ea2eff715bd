import pg from 'pg';
import { Database } from '../../src/database/database.ts';
import { addMonth, maintainPartitions, monthName, monthOf } from '../../src/database/partitions.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { type ChangeFigure, changeBeside } from './beside.ts';
import { timeStatements } from './timed-statements.ts';

const SILENT = createLogger('silent');

/** As long as rows are kept, and a month more: its partition has expired. */
const MONTHS = 15;
/** Months ago, for two sessions. */
const AGO = [0, 1].map((odd) => Array.from({ length: MONTHS }, (_, ago) => ago).filter((ago) => ago % 2 === odd));
/** Rows that have expired and are in the default partition. */
const EXPIRED = 100_000;
const SETTINGS = `set work_mem = '256MB'; set maintenance_work_mem = '512MB'`;
const NUMBERED = 'create temp table numbered as select row_number() over (order by id <> $1::uuid, id)::int as n, id from users';
/** One row in a hundred is the first user's; few users have most of the others. Ids are in the order of time. */
const rowsInto = (table: string) => `
  insert into ${table} (id, user_id, at, surface, action, account_id, arguments_hash, decision, outcome, milliseconds, call_id)
  overriding system value
  select $5::bigint + s.n, u.id, $1::timestamptz + ($2::timestamptz - $1::timestamptz) * (s.n / ($3::int + 1)::float8),
    (array['socket', 'mcp', 'http'])[1 + s.n % 3], (array['mail.search', 'mail.read', 'calendar.list', 'mail.send'])[1 + s.n % 4],
    u.id, uuid_send(u.id) || uuid_send(u.id), case when s.n % 10 = 0 then 'started' else 'allowed' end, 'ok', 40 + s.n % 100, u.id
  from (select n, case when n % 100 = 7 then 1 else 1 + floor($4::int * power(random(), 3))::int end as k
        from generate_series(1, $3::int) n offset 0) s
  join numbered u on u.n = s.k`;

/** The audit log as after more than 400 days: as many rows in each month. */
export interface History {
  databaseUrl: string;
  /** Rows of each month. */
  each: number;
  /** The user with the most rows. */
  heavy: string;
}

export function historyOf(databaseUrl: string, rows: number, heavy: string): History {
  return { databaseUrl, each: Math.ceil(rows / MONTHS), heavy };
}

/** Fills a partition for each month. Rows that are inserted later have larger ids than all that are generated. */
export async function fill(history: History): Promise<void> {
  await using db = openDatabase(history);
  for (const ago of AGO.flat()) await addMonth(db.opened, 'audit_log', month(ago), SILENT);
  await Promise.all(
    AGO.map(async (months) => {
      await using session = await openSession(history);
      for (const ago of months) {
        const name = monthName('audit_log', month(ago));
        await session.client.query(`alter table audit_log detach partition ${name}`);
        await session.fill(name, ago);
        const limits = `from ('${month(ago).toISOString()}') to ('${month(ago - 1).toISOString()}')`;
        await session.client.query(`alter table audit_log attach partition ${name} for values ${limits}`);
      }
    }),
  );
  await using session = await openSession(history);
  await session.insert('audit_log', month(MONTHS), month(MONTHS - 1), { rows: EXPIRED, after: 0 });
  await session.client.query(`select setval(pg_get_serial_sequence('audit_log', 'id'), $1)`, [EXPIRED + MONTHS * history.each]);
}

/** The partition of a month whose rows have all expired is dropped. */
export async function dropExpiredMonth(history: History, userId: string): Promise<ChangeFigure> {
  await using db = openDatabase(history);
  return await changeBeside(history.databaseUrl, userId, 'expired month dropped', async () => {
    const statements = timeStatements(db.opened);
    await maintainPartitions(db.opened, SILENT);
    return statements;
  });
}

function openDatabase({ databaseUrl }: History) {
  const opened = new Database({ connectionString: databaseUrl }, 1, SILENT);
  return { opened, [Symbol.asyncDispose]: () => opened.close() };
}

/** The first moment of a month, UTC. */
function month(ago: number): Date {
  return monthOf(new Date(), -ago);
}

async function openSession({ databaseUrl, each, heavy }: History) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(SETTINGS);
  await client.query(NUMBERED.replace('$1', `'${heavy}'`));
  await client.query('analyze numbered');
  const [{ count }] = (await client.query<{ count: number }>('select count(*)::int as count from numbered')).rows as [{ count: number }];
  const insert = (table: string, from: Date, to: Date, { rows, after }: { rows: number; after: number }) =>
    client.query(rowsInto(table), [from, to, rows, count, after]);
  /** In one transaction, so that a server with `wal_level = minimal` logs nothing; indexes are created afterwards. */
  const fill = async (table: string, ago: number) => {
    await client.query('begin');
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
       where indrelid = $1::regclass and not indisprimary`,
      [table],
    );
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    await client.query(`truncate ${table}`);
    const to = ago === 0 ? new Date() : month(ago - 1);
    await insert(table, month(ago), to, { rows: each, after: EXPIRED + (MONTHS - 1 - ago) * each });
    for (const { definition } of indexes) await client.query(definition);
    await client.query('commit');
    // As autovacuum would do.
    await client.query(`vacuum analyze ${table}`);
  };
  return { client, insert, fill, [Symbol.asyncDispose]: () => client.end() };
}
