import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '../../src/database/database.ts';
import { migrate } from '../../src/database/migrate.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/database/postgres.ts';
import { eventually } from '../support/time/eventually.ts';

let database: PostgresDatabase;
let directory: string;

beforeEach(async () => {
  database = await createPostgresDatabase();
  directory = mkdtempSync(join(tmpdir(), 'steward-migrations-'));
  cpSync(join(import.meta.dirname, '../../migrations'), directory, { recursive: true });
  // As the next release might have it.
  writeFileSync(
    join(directory, '9001_next.sql'),
    `-- Up Migration
     create index web_sessions_next on web_sessions (expires_at, user_id);
     create index oauth_flows_next on oauth_flows (expires_at);`,
  );
});
afterEach(async () => {
  await database.drop();
  rmSync(directory, { recursive: true });
});

describe.skipIf(!hasPostgres)('migrations of a database that is in use', () => {
  it('wait briefly for a locked table without blocking others, and retry; or fail with a message and change nothing', async () => {
    const logger = createLogger('silent');
    const lines: string[] = [];
    logger.warn = ((_fields: object, message: string) => lines.push(message)) as unknown as typeof logger.warn;
    const db = new Database({ connectionString: database.url }, 2, logger);
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    const indexes = () => database.sql(`select indexname::text as name from pg_indexes where indexname like '%_next' order by 1`);
    const run = (tries: number) => migrate(db, { connectionString: database.url }, logger, { directory, tries, pauseMs: 10 });
    try {
      await holder.query('begin');
      await holder.query('lock table oauth_flows in row exclusive mode');
      await expect(run(2)).rejects.toThrow(/a transaction has kept a table locked/);
      expect(lines).toEqual(['a migration waits for a table that is in use; retrying']);
      expect(await indexes()).toEqual([]);

      const waiting = run(100);
      await eventually(() => lines.length > 2);
      await holder.query('commit');
      await waiting;
      expect(await indexes()).toEqual([{ name: 'oauth_flows_next' }, { name: 'web_sessions_next' }]);
    } finally {
      await holder.end();
      await db.close();
    }
  });
});
