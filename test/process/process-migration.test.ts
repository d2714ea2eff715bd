import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmptyPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/database/postgres.ts';
import { runProcess, startProcess, type TestProcess } from '../support/processes/process.ts';
import { connect, outcome } from '../support/scenes/flows.ts';

const PROCESSES = 5;
const MIGRATIONS = readdirSync(join(import.meta.dirname, '../../migrations')).map((file) => file.replace(/\.sql$/, ''));

describe.skipIf(!hasPostgres)('processes that start concurrently on a new Postgres database', () => {
  let database: PostgresDatabase;
  let folder: string;
  let children: TestProcess[] = [];
  const env = (name: string) => ({ DATABASE_URL: database.url, DATA_DIR: join(folder, name), MASTER_KEYS: keys });
  const keys = `k1:${randomBytes(32).toString('base64')}`;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'steward-migration-'));
    database = await createEmptyPostgresDatabase();
    const starts = await Promise.allSettled(Array.from({ length: PROCESSES }, (_, index) => startProcess(env(`data-${index}`))));
    children = starts.filter((start) => start.status === 'fulfilled').map((start) => start.value);
    expect(starts.filter((start) => start.status === 'rejected')).toEqual([]);
  });

  afterAll(async () => {
    await Promise.all(children.map((child) => child.kill('SIGKILL')));
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('all start, and every migration ran once', async () => {
    expect(await database.sql('select name from pgmigrations order by name')).toEqual(MIGRATIONS.sort().map((name) => ({ name })));
    expect(await database.sql('select id from schema_guard')).toEqual([{ id: 1 }]);
    expect(await database.sql('select master_key_id from key_canaries')).toEqual([{ master_key_id: 'k1' }]);
    const ready = await Promise.all(children.map((child) => child.call('/health/ready')));
    expect(ready.map((response) => response.status)).toEqual(children.map(() => 200));
  });

  it('share one set of users', async () => {
    const [first, second] = children as [TestProcess, TestProcess];
    const { callback } = await connect(first, { email: 'demo@example.com' });
    expect(outcome(callback)).toMatchObject({ status: 'connected' });
    const accounts = await second.call('/auth/workspace/accounts', { token: await second.signIn() });
    expect(accounts.body.accounts.map((account: { id: string }) => account.id)).toEqual([outcome(callback).account_id]);
  });

  it('do not start once a newer release has migrated the schema, while running ones continue', async () => {
    await database.sql('update schema_guard set minimum_code_version = 99');
    const exit = await runProcess(env('data-late'));
    await database.sql('update schema_guard set minimum_code_version = 1');
    expect(exit.code).toBe(1);
    expect(exit.stderr).toMatch(/^The database was migrated by a newer Steward: it needs code version 99, this is \d+\./);
    expect(exit.stderr).not.toContain('    at ');
    expect((await children[0]?.call('/health/ready'))?.status).toBe(200);
  });
});
