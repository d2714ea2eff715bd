import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TRANSFERRED } from '../../src/database/table-transfer.ts';
import { createEmptyPostgresDatabase, hasPostgres } from '../support/database/postgres.ts';
import { type CliEnd, runCli } from '../support/processes/cli.ts';
import { createPlace, type Place } from '../support/processes/process.ts';
import { ExecutorScene } from '../support/scenes/executor-scene.ts';
import { sweepNow } from '../support/scenes/flows.ts';
import { fullUser } from '../support/scenes/full-user.ts';
import { eventually } from '../support/time/eventually.ts';

/** Tables that are not transferred, and why. */
const LEFT: Record<string, string> = {
  pgmigrations: 'the target has its own',
  schema_guard: 'the target has its own',
  replicas: 'the processes that run',
  integrations_reloads: 'which file the processes have read',
  providers: 'rows of migrations',
};

let folder: string;
let scene: ExecutorScene;
let file: string;
let place: Place;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-data-'));
  file = join(folder, 'export.gz');
  place = await createPlace();
  // The revocation below must stay pending meanwhile.
  scene = await ExecutorScene.start({ ...place.env, LIMIT_REVOCATION_RETRY_SECONDS: '3600' });
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await place.remove();
});

type Sql = Place['sql'];

/** Every transferred row, except columns that an import sets. */
async function contents(sql: Sql): Promise<Record<string, string[]>> {
  const parts = TRANSFERRED.map((table) => `select '${table}' as table, (to_jsonb(t) - 'queued_at')::text as row from ${table} t`);
  // One statement: each one opens the embedded database again.
  const rows = await sql<{ table: string; row: string }>(parts.join(' union all '));
  return Object.fromEntries(
    TRANSFERRED.map((table) => [
      table,
      rows
        .filter((one) => one.table === table)
        .map(({ row }) => row)
        .sort(),
    ]),
  );
}

/** The rows in a file, except columns that an import sets. */
function rowsIn(path: string): string[] {
  const lines = gunzipSync(readFileSync(path)).toString().split('\n').slice(1, -2);
  return lines.map((line) => line.replace(/"queued_at": (null|"[^"]*")/, '')).sort();
}

async function emptyPlace(): Promise<Place> {
  const fresh = await createPlace();
  cpSync(join(place.dataDir, 'master.key'), join(fresh.dataDir, 'master.key'));
  return fresh;
}

describe('npm run data', () => {
  let before: Record<string, string[]>;
  let exported: CliEnd;
  let user: Awaited<ReturnType<typeof fullUser>>;

  beforeAll(async () => {
    user = await fullUser(scene);
    const leaving = await fullUser(scene);
    await scene.steward.context.serviceSecrets.current();
    scene.provider.on('/revoke', (response) => response.writeHead(503).end());
    await scene.steward.call('/user', { method: 'DELETE', token: leaving.token });
    await eventually(async () => (await scene.steward.sql('select 1 from revocations where attempts > 0')).length > 0);
    await scene.steward.sql('update bank_webhooks set queued_at = now()');
    // Microseconds, numbers that JavaScript rounds, and what JSON escapes.
    await scene.steward.sql(
      `insert into events (user_id, seq, event, data, created_at)
       values ($1, 9000, 'odd', '{"n": 12345678901234567890.123456789, "s": "ü\\u0007\\"\\\\\\n", "null": null}', '2026-01-02 03:04:05.123456+00')`,
      [user.userId],
    );
    await scene.steward.stop();
    before = await contents(place.sql);
    exported = await runCli('data', ['export', file], place.env);
  });

  it('every table is exported, or listed with the reason why not', async () => {
    const tables = await place.sql<{ name: string }>(
      `select relname::text as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
    );
    expect(tables.map(({ name }) => name).sort()).toEqual([...TRANSFERRED, ...Object.keys(LEFT)].sort());
    expect(
      Object.entries(before)
        .filter(([table, rows]) => rows.length === 0 && table !== 'browser_bindings')
        .map(([table]) => table),
    ).toEqual([]);
  });

  it('export writes one file, readable by its owner only, with no unencrypted secret', async () => {
    const { code, stdout, stderr } = exported;
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    const total = Object.values(before).flat().length;
    expect(stderr).toContain(`rows: ${total} of ${total}`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
    const text = gunzipSync(readFileSync(file)).toString();
    for (const token of scene.provider.issued) expect(text).not.toContain(token);
    expect(text).not.toContain(readFileSync(join(place.dataDir, 'master.key'), 'utf8').split(':')[1]?.trim());
    expect(text).not.toContain('what-was-said');
  });

  it('import restores every row unchanged, and the service works with it', async () => {
    const target = await emptyPlace();
    const { code, stdout } = await runCli('data', ['import', file], target.env);
    expect(code).toBe(0);
    expect(stdout).toBe(`${Object.values(before).flat().length} rows imported.\n`);
    expect(await contents(target.sql)).toEqual(before);
    const queued = ['revocations', 'bank_webhooks'].map((table) => `select '${table}' from ${table} where queued_at is not null`);
    expect(await target.sql(queued.join(' union all '))).toEqual([]);

    const sent = scene.provider.revoked.length;
    scene.provider.reset();
    scene.steward = await scene.replica({ ...target.env, LIMIT_REVOCATION_RETRY_SECONDS: '1' });
    scene.reset();
    await scene.call(user, 'test.read', {}, { account: user.accountId });
    await scene.call(user, 'test.send', { to: ['b@example.com'], text: 'x' }, { account: user.accountId });
    const { seq } = (await scene.steward.sql<{ seq: string }>('select event_seq as seq from users where id = $1', [user.userId]))[0]!;
    expect(Number(seq)).toBeGreaterThan(0);
    await sweepNow(scene.steward);
    await eventually(() => scene.provider.revoked.length > sent);
    await scene.steward.stop();
    await target.remove();
  });

  it.skipIf(!hasPostgres)(
    'transfers from the embedded database to Postgres and back',
    async () => {
      const database = await createEmptyPostgresDatabase();
      const postgres = { ...place.env, DATABASE_URL: database.url };
      expect((await runCli('data', ['import', file], postgres)).code).toBe(0);
      expect(await contents(database.sql)).toEqual(before);
      const again = join(folder, 'again.gz');
      expect((await runCli('data', ['export', again], postgres)).code).toBe(0);
      const back = mkdtempSync(join(folder, 'back-'));
      cpSync(join(place.dataDir, 'master.key'), join(back, 'master.key'));
      const { code, stderr } = await runCli('data', ['import', again], { DATA_DIR: back });
      expect({ code, stderr: stderr.replace(/rows: .*\n/g, '') }).toEqual({ code: 0, stderr: '' });
      const third = join(folder, 'third.gz');
      expect((await runCli('data', ['export', third], { DATA_DIR: back })).code).toBe(0);
      expect(rowsIn(again)).toEqual(rowsIn(file));
      expect(rowsIn(third)).toEqual(rowsIn(file));
      await database.drop();
    },
    180_000,
  );

  it.each([
    ['keys that lack one in use', 'other:'],
    ['another key under the same id', ''],
  ])('import rejects %s, and leaves the database empty', async (_name, id) => {
    const target = await createPlace();
    const known = readFileSync(join(place.dataDir, 'master.key'), 'utf8').split(':')[0];
    const MASTER_KEYS = `${id || `${known}:`}${Buffer.alloc(32, 7).toString('base64')}`;
    const { code, stderr } = await runCli('data', ['import', file], { ...target.env, MASTER_KEYS });
    expect(code).toBe(1);
    expect(stderr).toMatch(id === '' ? /is not the one this database was used with/ : /MASTER_KEYS doesn't name: development-/);
    expect(Object.values(await contents(target.sql)).flat()).toEqual([]);
    await target.remove();
  });

  it('import creates no development key: without the old one it fails with a message', async () => {
    const target = await createPlace();
    const { code, stderr } = await runCli('data', ['import', file], target.env);
    expect(code).toBe(1);
    expect(stderr).toMatch(/master\.key can't be read \(ENOENT\)/);
    expect(existsSync(join(target.dataDir, 'master.key'))).toBe(false);
    await target.remove();
  });

  it('import rejects a database that is not empty', async () => {
    const target = await emptyPlace();
    expect((await runCli('waitlist', ['export'], target.env)).code).toBe(0);
    await target.sql(`insert into waitlist (email) values ('ada@example.org')`);
    const { code, stderr } = await runCli('data', ['import', file], target.env);
    expect(code).toBe(1);
    expect(stderr).toMatch(/The database is not empty: there are rows in waitlist/);
    expect(await target.sql('select 1 from users')).toEqual([]);
    await target.remove();
  });
});

describe.skipIf(!hasPostgres)('npm run data -- export while things change', () => {
  it('is a consistent snapshot', async () => {
    const database = await createEmptyPostgresDatabase();
    const env = { DATABASE_URL: database.url, MASTER_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}` };
    await runCli('data', ['deletions'], env);
    const other = new pg.Client({ connectionString: database.url });
    await other.connect();
    await other.query('begin; lock table audit_log in access exclusive mode');
    const moment = join(folder, 'moment.gz');
    const exporting = runCli('data', ['export', moment], env);
    await eventually(async () => {
      const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return (await database.sql(waiting)).length > 0;
    });
    await other.query(`insert into waitlist (email) values ('late@example.org')`);
    await other.query('commit');
    await other.end();
    expect((await exporting).code).toBe(0);
    expect(rowsIn(moment)).toEqual([]);
    await database.drop();
  });
});
