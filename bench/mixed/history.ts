import pg from 'pg';
import { Database } from '../../src/database/database.ts';
import { addMonth, maintainPartitions } from '../../src/database/partitions.ts';
import { createLogger } from '../../src/observability/logger.ts';

/** As long as rows are kept, and a month more: its partition has expired. */
const MONTHS = 15;
/** Rows of one statement. */
const CHUNK = 1_000_000;
const NUMBERED = 'create temp table numbered as select row_number() over (order by id <> $1::uuid, id)::int as n, id from users';
/** One row in a hundred is the first user's; few users have most of the others. */
const ROWS = `
  insert into audit_log (user_id, at, surface, action, account_id, arguments_hash, decision, outcome, milliseconds, call_id)
  select u.id, $1::timestamptz + s.n * (($2::timestamptz - $1::timestamptz) / $3::float8),
    (array['socket', 'mcp', 'http'])[1 + s.n % 3], (array['mail.search', 'mail.read', 'calendar.list', 'mail.send'])[1 + s.n % 4],
    u.id, uuid_send(u.id) || uuid_send(u.id), case when s.n % 10 = 0 then 'started' else 'allowed' end, 'ok', 40 + s.n % 100, gen_random_uuid()
  from (select n, case when n % 100 = 7 then 1 else 1 + floor($4::int * power(random(), 3))::int end as k
        from generate_series($5::int, $6::int) n offset 0) s
  join numbered u on u.n = s.k`;

/** The first moment of a month, UTC. */
function month(ago: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago));
}

/**
 * Fills the audit log as after more than 400 days: as many rows in each month.
 *
 * @param heavy the user with the most rows
 */
export async function fillHistory(databaseUrl: string, rows: number, heavy: string): Promise<void> {
  await beginMonths(databaseUrl);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(NUMBERED.replace('$1', `'${heavy}'`));
  const [{ count }] = (await client.query<{ count: number }>('select count(*)::int as count from numbered')).rows as [{ count: number }];
  const each = Math.ceil(rows / MONTHS);
  for (let ago = MONTHS - 1; ago >= 0; ago -= 1) {
    const [from, to] = [month(ago), ago === 0 ? new Date() : month(ago - 1)];
    for (let done = 0; done < each; done += CHUNK) {
      await client.query(ROWS, [from, to, each, count, done, Math.min(done + CHUNK, each) - 1]);
    }
  }
  // As autovacuum would do.
  await client.query('vacuum analyze audit_log');
  await client.end();
}

/** As if the months had begun before the first of them. */
async function beginMonths(databaseUrl: string): Promise<void> {
  const logger = createLogger('silent');
  const db = new Database({ connectionString: databaseUrl }, 2, logger);
  await maintainPartitions(db, logger);
  await db.query('truncate audit_log');
  await db.query('alter table audit_log detach partition audit_log_early');
  await db.query(`alter table audit_log attach partition audit_log_early for values from (minvalue) to ('${month(MONTHS).toISOString()}')`);
  for (let ago = MONTHS - 1; ago > 0; ago -= 1) await addMonth(db, 'audit_log', month(ago), logger);
  await maintainPartitions(db, logger, () => month(1));
  await db.close();
}
