import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmptyPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/database/postgres.ts';
import { runCli } from '../support/processes/cli.ts';

const MASTER_KEYS = `k1:${randomBytes(32).toString('base64')}`;

/** A file of these lines with the matching trailer. */
function sealedFile(lines: string[]): Buffer {
  const text = lines.map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  return gzipSync(`${text}${JSON.stringify({ rows: lines.length - 1, sha256 })}\n`);
}

describe.skipIf(!hasPostgres)('npm run data -- import rejects', () => {
  let folder: string;
  let source: PostgresDatabase;
  let target: PostgresDatabase;
  /** An export's lines without its trailer: header, then rows. */
  let lines: string[];
  let whole: Buffer;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'steward-refusals-'));
    source = await createEmptyPostgresDatabase();
    target = await createEmptyPostgresDatabase();
    const file = join(folder, 'whole.gz');
    // Creates the tables.
    await runCli('data', ['deletions'], { MASTER_KEYS, DATABASE_URL: source.url });
    await source.sql(`insert into users (issuer, subject, email) values ('i', 's', 'ada@example.org'), ('i', 't', null)`);
    await source.sql(`insert into events (user_id, seq, event, data) select id, 1, 'e', '{}' from users`);
    await source.sql(`insert into waitlist (email) select 'person-' || n || '@example.org' from generate_series(1, 400) n`);
    await runCli('data', ['export', file], { MASTER_KEYS, DATABASE_URL: source.url });
    whole = readFileSync(file);
    lines = gunzipSync(whole).toString().split('\n').slice(0, -2);
  });

  afterAll(async () => {
    await Promise.all([source.drop(), target.drop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  async function rejected(content: Buffer | string, message: RegExp): Promise<void> {
    const file = join(folder, 'hostile.gz');
    if (typeof content !== 'string' || content !== file) writeFileSync(file, content);
    const { code, stdout, stderr } = await runCli('data', ['import', file], { MASTER_KEYS, DATABASE_URL: target.url });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const said = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('rows: '));
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(message);
    const tables = ['users', 'waitlist', 'events', 'key_canaries'];
    const counts = await target.sql<{ n: string }>(tables.map((table) => `select count(*) as n from ${table}`).join(' union all '));
    expect(counts.map(({ n }) => Number(n))).toEqual([0, 0, 0, 0]);
  }

  const changed = (at: (line: string) => boolean, to: (line: string) => string) =>
    sealedFile(lines.map((line) => (at(line) ? to(line) : line)));
  const isUser = (line: string) => line.startsWith('["users"') && line.includes('ada@');

  it.each<[string, () => Buffer | string, RegExp]>([
    ['an empty file', () => '', /not a complete export/],
    ['a dump of the database', () => 'PGDMP', /not a gzip file/],
    ['random bytes', () => randomBytes(5_000), /not a gzip file/],
    ['an object without a line end', () => gzipSync('{}'), /its end is missing/],
    ['an empty object', () => gzipSync('{}\n'), /does not begin as an export does/],
    ['another table of text', () => gzipSync('email,created_at\r\n'), /does not begin as an export does/],
    ['bytes that are not text', () => gzipSync(Buffer.from([0xff, 0xfe, 10])), /not text/],
  ])('a file of another format: %s', async (_name, content, message) => rejected(content(), message));

  it.each<[string, () => Buffer, RegExp]>([
    ['near its beginning', () => whole.subarray(0, whole.length * 0.02), /not a complete export/],
    ['in the middle', () => whole.subarray(0, whole.length * 0.5), /not a complete export/],
    ['by a byte', () => whole.subarray(0, -1), /is truncated/],
    ['by its last line', () => gzipSync(`${lines.join('\n')}\n`), /its end is missing/],
    ['by its last line end', () => gzipSync(gunzipSync(whole).subarray(0, -1)), /its end is missing/],
  ])('a file truncated %s', async (_name, content, message) => rejected(content(), message));

  it.each<[string, (text: string) => string, RegExp]>([
    ['an address', (text) => text.replace('ada@example.org', 'eve@example.org'), /checksum/],
    ['a row that is gone', (text) => text.replace(/\["waitlist",.*\n/, ''), /checksum/],
    ['a row after the end', (text) => `${text}${lines[1]}\n`, /comes after its end/],
  ])('a changed file: %s', async (_name, change, message) => {
    await rejected(gzipSync(change(gunzipSync(whole).toString())), message);
  });

  it('a file with one flipped bit', async () => {
    const bytes = Buffer.from(whole);
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    await rejected(bytes, /not a complete export|checksum|line \d+/);
  });

  it.each<[string, (header: string) => string, RegExp]>([
    ['of a later version', (header) => header.replace('"version":1', '"version":2'), /has version 2 of the format/],
    ['of another schema', (header) => header.replace('0001_schema', '9999_newer'), /it has 9999_newer, it lacks 0001_schema/],
    ['with a field __proto__', (header) => header.replace('{', '{"__proto__":{"version":1},'), /does not begin/],
  ])('a header %s', async (_name, change, message) => {
    await rejected(
      changed((line) => line === lines[0], change),
      message,
    );
  });

  it.each([
    ['of the system', '["pg_authid",{"rolname":"eve"}]'],
    ['that is not exported', '["schema_guard",{"id":2,"minimum_code_version":9}]'],
    ['with SQL for a name', '["users; drop table users",{"id":1}]'],
    ['named as a member of every object', '["__proto__",{"id":1}]'],
    ['named constructor', '["constructor",{}]'],
  ])('rows of a table %s', async (_name, line) => {
    await rejected(sealedFile([...lines, line]), /not a row of an exported table/);
  });

  it.each<[string, (line: string) => string, RegExp]>([
    ['one column more', (line) => line.replace('{', '{"admin": true, '), /doesn't have the columns of users/],
    ['a column named __proto__', (line) => line.replace('{', '{"__proto__": {"id": 1}, '), /doesn't have the columns of users/],
    ['one column less', (line) => line.replace(/"email": "[^"]*", /, ''), /doesn't have the columns of users/],
    ['data after it', (line) => line.replace(/]$/, ',{}]'), /can't be read/],
    ['a list in place of its row', () => '["users",{"a":1}', /can't be read/],
    ['no JSON', (line) => line.slice(0, -4), /can't be read/],
    ['a value of another type', (line) => line.replace(/"event_seq": 0/, '"event_seq": "x"'), /SQLSTATE 22/],
    ['a NUL', (line) => line.replace('ada@', 'ada\\u0000@'), /SQLSTATE 22/],
    ['null where there must be a value', (line) => line.replace('"subject": "s"', '"subject": null'), /SQLSTATE 23502/],
    ['the id of another one', (line) => line.replace('"subject": "s"', '"subject": "t"'), /SQLSTATE 23505/],
    [
      'objects in objects',
      (line) => line.replace('"ada@example.org"', `${'['.repeat(100_000)}${']'.repeat(100_000)}`),
      /SQLSTATE (22|54)|can't be read/,
    ],
  ])('a row with %s', async (_name, change, message) => {
    expect(lines.filter(isUser)).toHaveLength(1);
    expect(change(lines.find(isUser)!)).not.toBe(lines.find(isUser));
    await rejected(changed(isUser, change), message);
  });

  it('rows of users that do not exist', async () => {
    await rejected(sealedFile(lines.filter((line) => !line.startsWith('["users"'))), /row of events .*SQLSTATE 23503/);
  });

  it('a line of gigabytes, without keeping it in memory', async () => {
    const file = join(folder, 'hostile.gz');
    const block = Buffer.alloc(1_000_000, 'x');
    async function* endless() {
      yield `${lines[0]}\n["users",{"a":"`;
      for (let blocks = 0; blocks < 1_000; blocks += 1) yield block;
    }
    await pipeline(Readable.from(endless()), createGzip({ level: 1 }), createWriteStream(file));
    await rejected(file, /a line is too long/);
  });

  it('a missing file, and a folder', async () => {
    const env = { MASTER_KEYS, DATABASE_URL: target.url };
    expect((await runCli('data', ['import', join(folder, 'none.gz')], env)).stderr).toMatch(/none\.gz can't be read \(ENOENT\)/);
    expect((await runCli('data', ['import', folder], env)).stderr).toMatch(/can't be read \(EISDIR\)/);
    expect(readdirSync(folder).sort()).toEqual(['hostile.gz', 'whole.gz']);
  });

  it('no valid file: it is imported after all the rejections', async () => {
    writeFileSync(join(folder, 'hostile.gz'), whole);
    const { code } = await runCli('data', ['import', join(folder, 'hostile.gz')], { MASTER_KEYS, DATABASE_URL: target.url });
    expect(code).toBe(0);
    expect(await target.sql('select count(*)::int as n from waitlist')).toEqual([{ n: 400 }]);
  });
});
