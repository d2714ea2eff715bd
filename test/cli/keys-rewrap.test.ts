import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatKeyset, type LocalKey } from '../../src/config/master-key-list.ts';
import { Keyring } from '../../src/crypto/keyring.ts';
import type { Queryable, Statement } from '../../src/database/database.ts';
import { userKeyContext } from '../../src/vault/keys/user-keys.ts';
import {
  countExposed,
  countUnderOthers,
  NULL_UUID,
  type Step,
  type StoredKey,
  selectUnderOthers,
  updateWrapped,
} from '../../src/vault/rotation/key-rotation-repository.ts';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/database/postgres.ts';
import { runCli } from '../support/processes/cli.ts';
import { COMPILE_CACHE } from '../support/processes/inherited-environment.ts';
import { eventually } from '../support/time/eventually.ts';

const MANY = 3_000;
const [old, next]: LocalKey[] = ['old', 'next'].map((id) => ({ id, secret: randomBytes(32) }));

interface Stored {
  userId: string;
  id: string;
  secret: Buffer;
}

interface PlanNode {
  'Node Type': string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** Rows that a plan's scans have looked at. */
function rowsRead(node: PlanNode): number {
  const own = node['Node Type'].includes('Scan') ? node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) : 0;
  return (node.Plans ?? []).reduce((sum, plan) => sum + rowsRead(plan), own);
}

describe.skipIf(!hasPostgres)('npm run keys -- rewrap', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'steward-rewrap-'));
  let database: PostgresDatabase;
  let env: Record<string, string>;

  beforeAll(async () => {
    database = await createPostgresDatabase();
    env = { PATH: process.env.PATH ?? '', DATABASE_URL: database.url, DATA_DIR: dataDir, MASTER_KEYS: formatKeyset([next!, old!]) };
    // Creates the tables, and the canaries of both keys.
    expect(await runCli('keys', ['rewrap'], env)).toMatchObject({ code: 0 });
  });

  afterAll(async () => {
    await database?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  let stored: Stored[];
  beforeEach(async () => {
    stored = await store(MANY);
  });
  afterEach(() => database.sql('delete from users'));

  /** Users with a key each, wrapped by the old master key, as stored by a replica without the new one. */
  async function store(count: number): Promise<Stored[]> {
    const keyring = new Keyring([old!]);
    const made = Array.from({ length: count }, () => ({ userId: randomUUID(), id: randomUUID(), secret: randomBytes(32) }));
    const wrapped = await Promise.all(made.map(({ userId, id, secret }) => keyring.wrap(secret, userKeyContext(userId, id))));
    const ids = made.map(({ userId }) => userId);
    await database.sql(`insert into users (id, issuer, subject) select id, 'x', id::text from unnest($1::uuid[]) as given (id)`, [ids]);
    await database.sql(
      `insert into user_keys (id, user_id, master_key_id, wrapped)
       select id, user_id, 'old', wrapped from unnest($1::uuid[], $2::uuid[], $3::bytea[]) as given (id, user_id, wrapped)`,
      [made.map(({ id }) => id), ids, wrapped.map((key) => key.wrapped)],
    );
    return made;
  }

  const rows = () =>
    database.sql<{ userId: string; id: string; masterKeyId: string; wrapped: Buffer }>(
      'select user_id as "userId", id, master_key_id as "masterKeyId", wrapped from user_keys',
    );

  /** Number of rows that each master key wraps; fails if a row has another key than before. */
  async function intact(): Promise<Record<string, number>> {
    const secrets = new Map(stored.map(({ id, secret }) => [id, secret]));
    const counts: Record<string, number> = {};
    for (const { userId, id, masterKeyId, wrapped } of await rows()) {
      const holder = new Keyring([masterKeyId === 'old' ? old! : next!]);
      expect((await holder.unwrap(wrapped, userKeyContext(userId, id))).export()).toEqual(secrets.get(id));
      counts[masterKeyId] = (counts[masterKeyId] ?? 0) + 1;
    }
    return counts;
  }

  /** Locks the row that is rewrapped last, so that a run can't end before it is released. */
  async function holdLast(): Promise<() => Promise<void>> {
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select 1 from user_keys where id = (select id from user_keys order by id desc limit 1) for update');
    return () => holder.end();
  }

  /** The server still completes the current statement of a killed process. */
  const alone = () =>
    eventually(async () => {
      const others = await database.sql('select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()');
      return others.length === 0;
    });

  /** A run in progress: some keys are rewrapped, the last one only after `letGo`. */
  async function underWay(): Promise<{
    child: ChildProcessByStdio<null, null, Readable>;
    ended: Promise<{ code: number | null; stderr: string }>;
    letGo: () => Promise<void>;
  }> {
    const letGo = await holdLast();
    const child = spawn(process.execPath, ['src/cli/keys.ts', 'rewrap'], {
      cwd: join(import.meta.dirname, '../..'),
      env: { ...COMPILE_CACHE, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    const begun = Promise.withResolvers<void>();
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      if (/rewrapped: \d/.test(stderr)) begun.resolve();
    });
    const ended = new Promise<{ code: number | null; stderr: string }>((resolve) =>
      child.once('close', (code) => resolve({ code, stderr })),
    );
    await Promise.race([begun.promise, ended]);
    return { child, ended, letGo };
  }

  it('killed between its writes loses nothing, and the next run completes it', async () => {
    const { child, ended, letGo } = await underWay();
    child.kill('SIGKILL');
    await ended;
    await letGo();
    await alone();
    const half = await intact();
    expect(half.next).toBeGreaterThan(0);
    expect(half.old).toBeGreaterThan(0);
    const again = await runCli('keys', ['rewrap'], env);
    expect(again).toMatchObject({ code: 0, stdout: 'Everything is wrapped under next.\n' });
    expect(again.stderr).toContain(`rewrapped: ${half.old} of ${half.old}\n`);
    expect(await intact()).toEqual({ next: MANY });
  });

  it('stops in order when interrupted, and says so', async () => {
    const { child, ended, letGo } = await underWay();
    child.kill('SIGINT');
    await letGo();
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr.trim().split('\n').at(-1)).toBe('Interrupted. Completed work is kept; run the command again to continue.');
    const half = await intact();
    expect((half.old ?? 0) + (half.next ?? 0)).toBe(MANY);
  });

  it('continues while users are deleted, and added with keys wrapped by the old one', async () => {
    const { ended, letGo } = await underWay();
    await letGo();
    const leaving = stored.slice(0, 500).map(({ userId }) => userId);
    // Postgres may abort the deletion as a deadlock's victim.
    await eventually(() => database.sql('delete from users where id = any($1::uuid[])', [leaving]));
    stored.push(...(await store(200)));
    await ended;
    // Rows after its last check are left to the next run, as `retire` reports.
    expect(await runCli('keys', ['rewrap'], env)).toMatchObject({ code: 0 });
    expect(await intact()).toEqual({ next: MANY - 500 + 200 });
  });

  it('never overwrites a concurrent change', async () => {
    const db: Queryable = {
      query: (statement, values) => database.sql(typeof statement === 'string' ? statement : statement.text, values),
    };
    const [one, two] = (await selectUnderOthers(db, 'user_keys', 'next', NULL_UUID, 2)).found;
    await database.sql(`update user_keys set wrapped = 'changed meanwhile' where id = $1`, [one?.id]);
    const changes = [one!, two!].map(({ id, wrapped }) => ({ id, before: wrapped, after: Buffer.from('written over') }));
    expect(await updateWrapped(db, 'user_keys', 'next', changes)).toBe(1);
    const held = await database.sql<{ wrapped: Buffer }>('select wrapped from user_keys where id = $1', [one?.id]);
    expect(held[0]?.wrapped.toString()).toBe('changed meanwhile');
  });

  it('can run twice concurrently', async () => {
    const ends = await Promise.all([runCli('keys', ['rewrap'], env), runCli('keys', ['rewrap'], env)]);
    expect(ends).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(await intact()).toEqual({ next: MANY });
  });

  it.each(['before', 'after'])('reads a bounded number of rows in each statement, %s all are wrapped again', async (when) => {
    if (when === 'after') expect(await runCli('keys', ['rewrap'], env)).toMatchObject({ code: 0 });
    const left = when === 'after' ? 0 : MANY;
    const reads: number[] = [];
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    // As with so many users that reading all of them costs most.
    await client.query('set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off');
    const db: Queryable = {
      async query<Row extends object>(statement: string | Statement, values: unknown[] = []) {
        const text = typeof statement === 'string' ? statement : statement.text;
        if (/^\s*update/.test(text)) return [];
        const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (analyze, format json) ${text}`, values);
        reads.push(...rows.map((row) => rowsRead(row['QUERY PLAN'][0].Plan)));
        return (await client.query<Row>(text, values)).rows;
      },
    };
    expect(await countUnderOthers(db, 'next')).toBe(left);
    expect(await countExposed(db, 'next')).toEqual({ userKeys: MANY, revocations: 0 });
    let found = 0;
    for (let last: string | undefined = NULL_UUID; last !== undefined; ) {
      const step: Step<StoredKey> = await selectUnderOthers(db, 'user_keys', 'next', last, 200);
      found += step.found.length;
      ({ last } = step);
    }
    expect(found).toBe(left);
    expect(reads.length).toBeGreaterThan(10);
    expect(Math.max(...reads)).toBeLessThanOrEqual(1_000);
    await client.end();
  });

  it('reports keys that it cannot unwrap, and rewraps all others', async () => {
    const [one, two] = stored;
    await database.sql('update user_keys set wrapped = set_byte(wrapped, 90, get_byte(wrapped, 90) # 1) where id = $1', [one?.id]);
    await database.sql('update user_keys set wrapped = (select wrapped from user_keys where id = $2) where id = $1', [
      two?.id,
      stored[2]?.id,
    ]);
    const { code, stdout, stderr } = await runCli('keys', ['rewrap'], env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^2 stored value\(s\) can’t be decrypted and are left unchanged: /m);
    for (const key of [one, two]) expect(stderr).toContain(`user_keys ${key?.id}`);
    expect(await database.sql(`select count(*)::int as count from user_keys where master_key_id = 'old'`)).toEqual([{ count: 2 }]);
  });
});
