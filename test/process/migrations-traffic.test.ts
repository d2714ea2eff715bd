import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { eventually } from '../support/eventually.ts';
import { createEmptyPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/postgres.ts';

const DIRECTORY = join(import.meta.dirname, '../../migrations');
const MIGRATIONS = readdirSync(DIRECTORY).sort();
const USERS = 5_000;

let database: PostgresDatabase;

beforeEach(async () => {
  database = await createEmptyPostgresDatabase();
});
afterEach(() => database.drop());

/** Rows in every existing table that grows with the users. */
const FILL: Record<string, string> = {
  users: `insert into users (issuer, subject) select 'i', n::text from generate_series(1, ${USERS}) n`,
  grants: `insert into grants (id, user_id, provider, subject, tokens) select gen_random_uuid(), id, 'bank', subject, '\\x00' from users`,
  bank_items: `insert into bank_items (id, grant_id, user_id, bank_name, accounts) select gen_random_uuid(), id, user_id, 'b', '[]' from grants`,
  workspace_accounts: `insert into workspace_accounts (id, grant_id, user_id, email, name, picture)
                       select gen_random_uuid(), id, user_id, 'e', 'n', 'p' from grants`,
  key_canaries: `insert into key_canaries (master_key_id, sealed) values ('k', '\\x00')`,
  user_keys: `insert into user_keys (id, user_id, master_key_id, wrapped) select gen_random_uuid(), id, 'k', '\\x00' from users`,
  oauth_flows: `insert into oauth_flows (id, user_id, state_hash, redirect_uri, expires_at)
                select gen_random_uuid(), id, sha256(subject::bytea), 'r', now() from users`,
  browser_bindings: `insert into browser_bindings (secret_hash, user_id, expires_at) select sha256(subject::bytea), id, now() from users`,
  events: `insert into events (user_id, seq, event, data) select id, 1, 'e', '{}' from users`,
  audit_log: `insert into audit_log (user_id, surface, action, decision, outcome, milliseconds, call_id)
              select id, 's', 'a', 'allowed', 'ok', n, gen_random_uuid() from users, generate_series(1, 4) n`,
  idempotency_keys: `insert into idempotency_keys (user_id, action, key, arguments_hash, running_until) select id, 'a', 'k', '\\x00', now() from users`,
  approvals: `insert into approvals (id, user_id, account_id, action, arguments_hash, revision, expires_at)
              select gen_random_uuid(), id, gen_random_uuid(), 'a', '\\x00', 'r', now() from users`,
};

async function fillEmpty(): Promise<void> {
  for (const [table, insert] of Object.entries(FILL)) {
    const [found] = await database.sql<{ there: boolean }>('select to_regclass($1) is not null as there', [table]);
    if (found?.there !== true) continue;
    if ((await database.sql(`select 1 from ${table} limit 1`)).length === 0) await database.sql(insert);
  }
}

/** The file of each table, which a rewrite changes. */
async function files(): Promise<Map<string, string>> {
  const rows = await database.sql<{ name: string; file: string }>(
    `select relname::text as name, relfilenode::text as file from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  return new Map(rows.map(({ name, file }) => [name, file]));
}

/** Reads and writes the large tables until it is stopped. */
function traffic(): { stop(): Promise<number> } {
  let isOver = false;
  const client = new pg.Client({ connectionString: database.url });
  const run = (async () => {
    await client.connect();
    let statements = 0;
    for (; !isOver; statements += 1) {
      await client.query('update users set email = $1 where subject = $2', [`${statements}`, `${1 + (statements % USERS)}`]);
      // One table in each statement: with two, Postgres may abort either side of a deadlock, and a migration is retried.
      await client.query('select count(*) from bank_items');
    }
    return statements;
  })();
  return {
    async stop() {
      isOver = true;
      const statements = await run.finally(() => client.end());
      return statements;
    },
  };
}

describe.skipIf(!hasPostgres)('migrations of a large database that is in use', () => {
  it('rewrite no table, and do not block its users', async () => {
    const rewritten: string[] = [];
    for (const file of MIGRATIONS) {
      const before = await files();
      const users = before.has('users') ? traffic() : undefined;
      await runner({
        databaseUrl: database.url,
        dir: DIRECTORY,
        migrationsTable: 'pgmigrations',
        direction: 'up',
        count: 1,
        noLock: true,
        log: () => {},
      });
      // No statement of the users failed.
      if (users !== undefined) expect(await users.stop(), file).toBeGreaterThanOrEqual(0);
      const after = await files();
      rewritten.push(
        ...[...before].filter(([table, place]) => after.has(table) && after.get(table) !== place).map(([table]) => `${table} by ${file}`),
      );
      await fillEmpty();
    }
    expect(rewritten).toEqual([]);
    expect((await database.sql('select name from pgmigrations')).length).toBe(MIGRATIONS.length);
  });

  it('wait briefly for a locked table without blocking others, and retry; or fail with a message and change nothing', async () => {
    const logger = createLogger('silent');
    const lines: string[] = [];
    logger.warn = ((_fields: object, message: string) => lines.push(message)) as unknown as typeof logger.warn;
    const db = new Database({ connectionString: database.url }, 2, logger);
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    try {
      // The one before 0009.
      await runner({
        databaseUrl: database.url,
        dir: DIRECTORY,
        migrationsTable: 'pgmigrations',
        direction: 'up',
        count: 8,
        noLock: true,
        log: () => {},
      });
      await holder.query('begin');
      await holder.query('lock table oauth_flows in row exclusive mode');
      await expect(migrate(db, { connectionString: database.url }, logger, { tries: 2, pauseMs: 10 })).rejects.toThrow(
        /a transaction has kept a table locked/,
      );
      expect(lines).toEqual(['a migration waits for a table that is in use; retrying']);
      expect(await database.sql(`select 1 from pg_indexes where indexname = 'browser_bindings_user'`)).toEqual([]);

      const waiting = migrate(db, { connectionString: database.url }, logger, { tries: 100, pauseMs: 10 });
      await eventually(() => lines.length > 2);
      await holder.query('commit');
      await waiting;
      expect(await database.sql(`select 1 from pg_indexes where indexname = 'oauth_flows_user'`)).toHaveLength(1);
    } finally {
      await holder.end();
      await db.close();
    }
  });
});
