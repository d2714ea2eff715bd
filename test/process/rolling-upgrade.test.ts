import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createEmptyPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/database/postgres.ts';
import { runProcess, startProcess, type TestProcess } from '../support/processes/process.ts';
import { connect, outcome } from '../support/scenes/flows.ts';
import { eventually } from '../support/time/eventually.ts';

const ROOT = join(import.meta.dirname, '../..');
const EXPAND = `-- Up Migration
alter table users add column nickname text;
alter table bank_items add column nickname text not null default '';
alter table events add column urgency integer not null default 0;
create table reminders (id uuid primary key, user_id uuid not null references users on delete cascade);
`;
const CONTRACT = `-- Up Migration
alter table users drop column nickname;
update schema_guard set minimum_code_version = 3;
`;

describe.skipIf(!hasPostgres)('a release with a newer schema, beside the one before', () => {
  let folder: string;
  let database: PostgresDatabase;
  let old: TestProcess;
  const running: TestProcess[] = [];
  const keys = `k1:${randomBytes(32).toString('base64')}`;
  const env = (name: string) => ({ DATABASE_URL: database.url, DATA_DIR: join(folder, name), MASTER_KEYS: keys });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'steward-upgrade-'));
    database = await createEmptyPostgresDatabase();
    old = await start('old');
  });

  afterEach(async () => {
    await Promise.all(running.filter((child) => child !== old).map((child) => child.kill('SIGKILL')));
  });

  afterAll(async () => {
    await old?.kill('SIGKILL');
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(name: string, root = ROOT): Promise<TestProcess> {
    const child = await startProcess(env(name), root);
    running.push(child);
    return child;
  }

  /** This release with more migrations, as the next one would be. */
  function release(name: string, migrations: Record<string, string>, codeVersion: number): string {
    const root = join(folder, name);
    for (const part of ['src', 'sandbox', 'migrations', 'public', 'client', 'package.json', 'integrations.yaml'])
      cpSync(join(ROOT, part), join(root, part), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
    for (const [file, sql] of Object.entries(migrations)) writeFileSync(join(root, 'migrations', file), sql);
    const guard = join(root, 'src/database/migrate.ts');
    const code = readFileSync(guard, 'utf8').replace(/CODE_VERSION = \d+;/, `CODE_VERSION = ${codeVersion};`);
    writeFileSync(guard, code);
    return root;
  }

  /** Connects an account, and lists and disconnects it. */
  async function expectWorks(child: TestProcess, user: string): Promise<void> {
    const { callback, token } = await connect(child, { token: await child.signIn(user), email: `${user}@example.com` });
    expect(outcome(callback)).toMatchObject({ status: 'connected' });
    const { body } = await child.call('/auth/workspace/accounts', { token });
    expect(body.accounts).toHaveLength(1);
    const gone = await child.call(`/auth/workspace/accounts/${body.accounts[0].id}`, { method: 'DELETE', token });
    expect(gone.body).toEqual({ success: true });
    expect((await child.call('/auth/bank/accounts', { token })).body).toEqual({ accounts: [] });
  }

  it('has a schema that the code of before does not start on: it would grant apps the accounts that users left out', async () => {
    const starting = startProcess(env('before'), release('before', {}, 1));
    await expect(starting).rejects.toThrow(/^it ended with 1 .*\nThe database .* needs code version 2, this is 1\./);
  });

  const readiness = async (child: TestProcess) => (await child.call('/health/ready')).status;

  it('with additions only leaves the old one ready, and it may start again', async () => {
    // Its statements are prepared before the tables change.
    await expectWorks(old, 'before');
    const next = await start('expanded', release('expand', { '9001_expand.sql': EXPAND }, 2));
    expect(await database.sql('select name from pgmigrations where name like $1', ['9001%'])).toHaveLength(1);
    await expectWorks(old, 'beside');
    await expectWorks(next, 'new');
    expect([await readiness(old), await readiness(next)]).toEqual([200, 200]);
    expect(await old.kill('SIGTERM')).toMatchObject({ code: 0 });
    old = await start('old');
    await expectWorks(old, 'again');
  });

  it('with a removal makes the old one unready, and it does not start again', async () => {
    expect(await readiness(old)).toBe(200);
    const next = await start('contracted', release('contract', { '9001_expand.sql': EXPAND, '9002_contract.sql': CONTRACT }, 3));
    await eventually(async () => (await readiness(old)) === 503);
    expect((await old.call('/health/ready')).body.message).toContain('newer release');
    expect((await old.call('/health/live')).status).toBe(200);
    expect(await readiness(next)).toBe(200);
    const exit = await runProcess(env('old-again'));
    expect(exit.code).toBe(1);
    expect(exit.stderr).toMatch(
      /^The database was migrated by a newer Steward: it needs code version 3, this is \d+\. Start the newer release\./,
    );
    // A failed start does not change the database.
    expect(await database.sql('select minimum_code_version as minimum from schema_guard')).toEqual([{ minimum: 3 }]);
  });
});
