import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmptyPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/database/postgres.ts';
import { runCli } from '../support/processes/cli.ts';

const ROWS = 100_000;
/** The rows are some 130 MB of JSON. */
const HEAP_MB = 64;

describe.skipIf(!hasPostgres)('npm run data, with more data than memory', () => {
  let folder: string;
  let source: PostgresDatabase;
  let target: PostgresDatabase;
  let env: Record<string, string>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'steward-memory-'));
    source = await createEmptyPostgresDatabase();
    target = await createEmptyPostgresDatabase();
    env = { MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}`, NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` };
    await runCli('data', ['deletions'], { ...env, DATABASE_URL: source.url });
    await source.sql(`insert into users (issuer, subject, event_seq) values ('i', 's', ${ROWS})`);
    await source.sql(
      `insert into events (user_id, seq, event, data)
       select id, n, 'e', jsonb_build_object('text', repeat(md5(n::text), 36)) from users, generate_series(1, ${ROWS}) n`,
    );
  });

  afterAll(async () => {
    await Promise.all([source.drop(), target.drop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  it('export and import stream rows without keeping them in memory', async () => {
    const file = join(folder, 'large.gz');
    const exported = await runCli('data', ['export', file], { ...env, DATABASE_URL: source.url });
    expect(exported).toMatchObject({ code: 0, stderr: expect.stringContaining(`${ROWS + 1} of ${ROWS + 1}`) });
    const imported = await runCli('data', ['import', file], { ...env, DATABASE_URL: target.url });
    expect(imported).toMatchObject({ code: 0, stdout: `${ROWS + 1} rows imported.\n` });
    const digest = `select count(*)::int as n, md5(string_agg(to_jsonb(e)::text, '' order by id)) as digest from events e`;
    expect(await target.sql(digest)).toEqual(await source.sql(digest));
    // Sequences continue after the highest number.
    const next = `insert into events (user_id, seq, event, data) select id, ${ROWS + 1}, 'e', '{}' from users returning id::int as id`;
    expect(await target.sql(next)).toEqual([{ id: ROWS + 1 }]);
  }, 300_000);
});
