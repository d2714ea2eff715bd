import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmptyPostgresDatabase, hasPostgres } from '../support/database/postgres.ts';
import { runProcess } from '../support/processes/process.ts';

/** What such a database has at least. */
const EARLIER = [
  'create table schema_guard (id integer primary key, minimum_code_version integer not null)',
  'insert into schema_guard values (1, 2)',
  'create table pgmigrations (id serial primary key, name varchar(255) not null, run_on timestamp not null)',
  `insert into pgmigrations (name, run_on) values ('0001_foundation', now()), ('0002_agents', now())`,
  'create table users (id uuid primary key, issuer text)',
  `insert into users values (gen_random_uuid(), 'issuer')`,
];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-earlier-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** One line, without a stack, and exit code 1. */
async function expectRefused(env: Record<string, string>, line: string): Promise<void> {
  const exit = await runProcess({ MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}`, ...env });
  expect(exit.stderr.trim()).toBe(line);
  expect(exit.code).toBe(1);
}

describe('a start on what was made before the first release', () => {
  it.skipIf(!hasPostgres)('refuses a database, names it without its password, and leaves it as it is', async () => {
    const database = await createEmptyPostgresDatabase();
    for (const statement of EARLIER) await database.sql(statement);
    const url = new URL(database.url);
    url.password = 'p4ss';
    await expectRefused(
      { DATABASE_URL: url.href, DATA_DIR: join(folder, 'other') },
      `The database ${url.host}${url.pathname} was made by a Steward from before its first release, which this one can’t read. Nothing was changed. Set DATABASE_URL to a new, empty database, and start again.`,
    );
    expect(await database.sql('select issuer from users')).toEqual([{ issuer: 'issuer' }]);
    expect(await database.sql('select to_regclass($1) as grants', ['grants'])).toEqual([{ grants: null }]);
    await database.drop();
  });

  it('refuses a data folder, names it, and leaves it as it is', async () => {
    const files = join(folder, 'data', 'database');
    const opened = async () => PGlite.create({ dataDir: files });
    mkdirSync(files, { recursive: true });
    const before = await opened();
    for (const statement of EARLIER) await before.query(statement);
    await before.close();
    await expectRefused(
      { DATA_DIR: join(folder, 'data'), DATABASE_URL: '' },
      `The database in ${files} was made by a Steward from before its first release, which this one can’t read. Nothing was changed. Move that folder away, or set DATA_DIR to another one, and start again.`,
    );
    const after = await opened();
    expect((await after.query('select issuer from users')).rows).toEqual([{ issuer: 'issuer' }]);
    await after.close();
  });
});
