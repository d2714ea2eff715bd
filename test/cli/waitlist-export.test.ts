import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmptyPostgresDatabase, hasPostgres } from '../support/database/postgres.ts';
import { runCli } from '../support/processes/cli.ts';
import { createPlace, type Place } from '../support/processes/process.ts';
import { startSteward } from '../support/steward.ts';

const SINCE = '2026-01-02T03:04:05.000Z';

/** RFC 4180, as another program reads it. */
function parse(csv: string): string[][] {
  expect(csv.endsWith('\r\n')).toBe(true);
  return csv
    .slice(0, -2)
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? ''),
    );
}

let place: Place;
let folder: string;

beforeAll(async () => {
  place = await createPlace();
  folder = mkdtempSync(join(tmpdir(), 'steward-waitlist-'));
  // The first command creates the tables.
  expect((await run('export')).code).toBe(0);
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await place.remove();
});

const run = (...args: string[]) => runCli('waitlist', args, place.env);

async function fill(emails: string[]): Promise<void> {
  await place.sql('delete from waitlist');
  await place.sql('insert into waitlist (email, created_at) select unnest($1::text[]), $2::timestamptz', [emails, SINCE]);
}

describe('npm run waitlist -- export', () => {
  it('prints one line per address, with its time', async () => {
    await fill(['zoe@example.org', 'ada@example.org']);
    const { code, stdout } = await run('export');
    expect(code).toBe(0);
    expect(stdout).toBe(`email,created_at\r\nada@example.org,${SINCE}\r\nzoe@example.org,${SINCE}\r\n`);
  });

  it('prints only the header for an empty waitlist', async () => {
    await fill([]);
    expect((await run('export')).stdout).toBe('email,created_at\r\n');
  });

  it('escapes cells that a spreadsheet would read as formulas or several cells', async () => {
    const begins = ['=', '+', '-', '@', '\t', '\r'];
    const odd = [
      ...begins.map((sign) => `${sign}cmd|' /C calc'!A0@example.org`),
      'a"b@example.org',
      'a,b@example.org',
      'a\nb@example.org',
      'ü@example.org',
    ];
    await fill(odd);
    const { stdout } = await run('export');
    const cells = parse(stdout)
      .slice(1)
      .map(([email]) => email ?? '');
    expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
    expect(cells.map((cell) => cell.replace(/^'/, '')).sort()).toEqual([...odd].sort());
    expect(cells.filter((cell) => cell.startsWith("'"))).toHaveLength(begins.length);
  });

  it('replaces an older file atomically, readable by its owner only', async () => {
    await fill(['ada@example.org']);
    const file = join(folder, 'waitlist.csv');
    writeFileSync(file, 'an older one');
    chmodSync(file, 0o644);
    const { code, stdout } = await run('export', '--output', file);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(readFileSync(file, 'utf8')).toBe(`email,created_at\r\nada@example.org,${SINCE}\r\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['waitlist.csv']);
  });

  it('exports each of many addresses once, in pages', async () => {
    const many = Array.from({ length: 2_500 }, (_, index) => `person-${index}@example.org`);
    await fill(many);
    const rows = parse((await run('export')).stdout).slice(1);
    expect(rows.map(([email]) => email).sort()).toEqual([...many].sort());
  });

  it.each([
    ['a folder that is not there', (at: string) => join(at, 'missing', 'file.csv'), 'ENOENT'],
    ['a folder in place of the file', (at: string) => at, 'not a regular file'],
    ['a link', (at: string) => join(at, 'link.csv'), 'not a regular file'],
  ])('does not write to %s, with one line of error', async (_name, target, message) => {
    const at = mkdtempSync(join(folder, 'refused-'));
    mkdirSync(join(at, 'sub'));
    symlinkSync('/dev/null', join(at, 'link.csv'));
    const { code, stdout, stderr } = await run('export', '--output', target(at));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(readdirSync(at).sort()).toEqual(['link.csv', 'sub']);
  });

  it.each([[['export', 'file.csv']], [['export', '--out']], [['list']], [[]]])('prints its usage for %j', async (args) => {
    const { code, stderr } = await run(...args);
    expect(code).toBe(2);
    expect(stderr).toContain('Usage: npm run waitlist -- ');
  });
});

describe('npm run waitlist -- export while the service runs', () => {
  it('is rejected in one line on the embedded database, which allows one process', async () => {
    const embedded = await startSteward({ DATABASE_URL: '' });
    try {
      const { code, stdout, stderr } = await runCli('waitlist', ['export'], { DATA_DIR: embedded.dataDir });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^The service is running on the data folder .*\n$/);
    } finally {
      await embedded.stop();
    }
  });

  it.skipIf(!hasPostgres)('works on Postgres', async () => {
    const database = await createEmptyPostgresDatabase();
    const steward = await startSteward({ DATABASE_URL: database.url });
    try {
      await steward.call('/waitlist', { form: { email: 'ada@example.org' } });
      const { code, stdout } = await runCli('waitlist', ['export'], { DATA_DIR: steward.dataDir, DATABASE_URL: database.url });
      expect(code).toBe(0);
      expect(stdout).toMatch(/\r\nada@example\.org,/);
    } finally {
      await steward.stop();
      await database.drop();
    }
  });
});
