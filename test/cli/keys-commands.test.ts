import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/database/postgres.ts';
import { type CliEnd, runCli } from '../support/processes/cli.ts';
import { linkBank } from '../support/scenes/flows.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';

const newEntry = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

describe.skipIf(!hasPostgres)('npm run keys, with two replicas', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-keys-'));
  const file = join(folder, 'master.keys');
  let database: PostgresDatabase;
  let env: Record<string, string>;
  let a: TestSteward;
  let b: TestSteward;

  beforeAll(async () => {
    database = await createPostgresDatabase();
    writeFileSync(file, `${newEntry('first')}\n`, { mode: 0o600 });
    env = { DATABASE_URL: database.url, MASTER_KEYS_FILE: file };
    a = await startSteward(env);
    b = await startSteward(env);
  });

  afterAll(async () => {
    await a?.stop();
    await b?.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const keys = (...args: string[]): Promise<CliEnd> => runCli('keys', args, env);
  const ids = () =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((entry) => entry.split(':')[0]);
  const secretsOf = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((entry) => entry.slice(entry.indexOf(':') + 1));

  /** Each replica reads the keys, and then reports them. */
  async function readAgain(): Promise<void> {
    for (const replica of [a, b]) {
      await replica.tick();
      await replica.tick();
    }
  }

  async function ok(...args: string[]): Promise<string> {
    const end = await keys(...args);
    expect(end, end.stderr).toMatchObject({ code: 0 });
    return end.stdout;
  }

  async function rejected(message: string | RegExp, ...args: string[]): Promise<void> {
    const before = readFileSync(file);
    const { code, stdout, stderr } = await keys(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const said = stderr.trim().split('\n').at(-1);
    expect(said).toMatch(message);
    expect(stderr).not.toMatch(/ at .*\.ts:\d/);
    expect(readFileSync(file)).toEqual(before);
  }

  /** A user with a bank entry, and each replica's result of decrypting its token. */
  async function linkedUser(name: string) {
    const token = await a.signIn(name);
    expect((await linkBank(a, token)).status).toBe(200);
    const [grant] = await database.sql<{ id: string; userId: string }>(
      'select id, user_id as "userId" from grants order by created_at desc',
    );
    return (steward: TestSteward) => steward.context.tokens.current(grant?.userId ?? '', grant?.id ?? '');
  }

  it('rotates: add, promote, rewrap, retire, while the services run and without a restart', async () => {
    const tokenAt = await linkedUser('rotating');
    const token = await tokenAt(a);
    const secrets = await a.context.serviceSecrets.current();
    expect(await ok('add', 'second')).toContain('Next: npm run keys -- promote second');
    expect(ids()).toEqual(['first', 'second']);
    await ok('promote', 'second');
    expect(ids()).toEqual(['second', 'first']);
    await rejected(/^Refused: \d+ stored key\(s\) need first\. Run rewrap first/, 'retire', 'first');
    expect(await ok('rewrap')).toBe('Everything is wrapped under second.\n');
    const status = await ok('status');
    expect(status).toMatch(/^second +here +yes +1 +0 +0 +1 +2 of 2$/m);
    expect(status).toMatch(/^first +here +0 +0 +0 +0 +2 of 2$/m);
    expect(await ok('retire', 'first')).toContain('first is retired');
    expect(await database.sql('select key_ids as ids from replicas')).toEqual([{ ids: ['second'] }, { ids: ['second'] }]);
    expect(ids()).toEqual(['second']);
    expect(await tokenAt(a)).toBe(token);
    expect(await tokenAt(b)).toBe(token);
    b = await b.restart();
    expect(await tokenAt(b)).toBe(token);
    expect(await b.context.serviceSecrets.current()).toEqual(secrets);
    await linkedUser('after-the-rotation');
    expect(await database.sql('select distinct master_key_id as id from user_keys')).toEqual([{ id: 'second' }]);
    for (const { logs } of [a, b]) expect(logs.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });

  it('rotate-signing replaces the service’s own keys', async () => {
    const [former] = await b.context.serviceSecrets.current();
    expect(await ok('rotate-signing')).toContain('Added new keys.');
    b = await b.restart();
    const list = await b.context.serviceSecrets.current();
    expect(list.length).toBe(2);
    expect(list).toContainEqual(former);
    expect(await ok('status')).toMatch(/^second +here +yes +2 +0 +0 +2 +2 of 2$/m);
  });

  it('nothing can be stored under a retired key, even by a process that still has it', async () => {
    const [primary = ''] = ids();
    await ok('add', 'short-lived');
    await ok('promote', 'short-lived');
    await ok('promote', primary);
    await ok('rewrap');
    await ok('retire', 'short-lived');
    const [user] = await database.sql<{ id: string }>(`insert into users (issuer, subject) values ('x', 'late') returning id`);
    const late = database.sql(
      `insert into user_keys (id, user_id, master_key_id, wrapped) values (gen_random_uuid(), $1, 'short-lived', '')`,
      [user?.id],
    );
    await expect(late).rejects.toMatchObject({ code: '23503' });
  });

  it('a replica that reads the list while a key is being retired does not permit it again', async () => {
    await ok('add', 'in-between');
    await readAgain();
    // What such a replica stores between the command's two changes: of the database, and of the file.
    await database.sql('create table permitted (id text)');
    await database.sql(`create function permit_again() returns trigger language plpgsql as $$ begin
      if exists (select from permitted) then return null; end if;
      insert into permitted values (old.master_key_id);
      insert into key_canaries select old.*;
      return null;
    end $$`);
    await database.sql('create trigger permitting after delete on key_canaries for each row execute function permit_again()');
    await ok('retire', 'in-between');
    expect(await database.sql('select id from permitted')).toEqual([{ id: 'in-between' }]);
    expect(await database.sql(`select 1 from key_canaries where master_key_id = 'in-between'`)).toEqual([]);
    await database.sql('drop function permit_again cascade');
    await database.sql('drop table permitted');
  });

  it('rejects commands that would lose data or keys', async () => {
    const [primary = ''] = ids();
    await rejected(`${primary} is the first key. Promote another one before`, 'retire', primary);
    await rejected('There is no master key nobody. There are: ', 'retire', 'nobody');
    await rejected('There is no master key nobody', 'promote', 'nobody');
    await rejected('contains a key id twice', 'add', primary);
    await rejected('is not of the form', 'add', 'no spaces');
    await rejected('is not the ARN of a KMS key', 'add', 'kms', '--aws-kms', 'alias/main');
  });

  it('does not promote a key that one running replica lacks', async () => {
    await ok('add', 'third');
    const other = await startSteward({ ...env, MASTER_KEYS_FILE: '', MASTER_KEYS: readFileSync(file, 'utf8').split('\n')[0] ?? '' });
    try {
      await readAgain();
      await rejected(/^Refused: 1 running replica\(s\) don’t hold third/, 'promote', 'third', '--wait', '0');
    } finally {
      await other.stop();
    }
    // Replicas that have stopped, or have not reported for long, are ignored.
    expect(await database.sql('select id from replicas')).toHaveLength(2);
    await database.sql(`insert into replicas (id, key_ids, seen_at) values (gen_random_uuid(), '{}', now() - interval '31 seconds')`);
    await ok('promote', 'third', '--wait', '0');
    await ok('rewrap');
  });

  it('does not rewrap or retire while a running replica wraps under another key', async () => {
    const [primary = '', second = ''] = ids();
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    const other = await startSteward({ ...env, MASTER_KEYS_FILE: '', MASTER_KEYS: lines.toReversed().join(',') });
    try {
      await rejected(`wrap under another key than ${primary}`, 'rewrap', '--wait', '0');
      await rejected(`still wrap under another key than ${primary}`, 'retire', second, '--wait', '0');
      expect(await ok('status')).toMatch(/^Replica \S+ wraps under /m);
    } finally {
      await other.stop();
    }
    await ok('retire', second);
  });

  it('lists running replicas that still have a retired key', async () => {
    const before = readFileSync(file);
    await ok('add', 'spare');
    const operators = join(folder, 'operators.keys');
    copyFileSync(file, operators);
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    const other = await startSteward({ ...env, MASTER_KEYS_FILE: '', MASTER_KEYS: lines.join(',') });
    try {
      // The two have read the list without it, so that nothing is to be waited for.
      writeFileSync(file, before);
      await readAgain();
      const retire = ['retire', 'spare', '--wait', '0'];
      const { code, stdout, stderr } = await runCli('keys', retire, { ...env, MASTER_KEYS_FILE: operators });
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('spare is retired') });
      expect(stderr).toMatch(/^1 running replica\(s\) still hold it, .*: [0-9a-f-]{36} \(started /m);
      expect(await ok('status')).toMatch(/^spare +not here +0 +0 +0 +0 +1 of 3$/m);
    } finally {
      await other.stop();
    }
    expect(await ok('status')).not.toContain('spare');
  });

  it('prints a key only if keys come from the environment, and then only its entry', async () => {
    const stdout = await ok('add', 'seen');
    expect(secretsOf(readFileSync(file, 'utf8')).filter((secret) => stdout.includes(secret))).toEqual([]);
    const inline = readFileSync(file, 'utf8').trim().split('\n').join(',');
    const { code, stdout: entry } = await runCli('keys', ['add', 'fourth'], { ...env, MASTER_KEYS_FILE: '', MASTER_KEYS: inline });
    expect(code).toBe(0);
    expect(entry).toMatch(/^fourth:[A-Za-z0-9+/]{43}=\n$/);
    expect(await ok('add', 'fifth', '--print')).toMatch(/^fifth:[A-Za-z0-9+/]{43}=\n$/);
    expect(ids()).not.toContain('fifth');
    await ok('retire', 'seen');
  });

  it('keeps the file readable by its owner only, and leaves no other file', async () => {
    chmodSync(file, 0o644);
    await ok('add', 'sixth');
    expect((statSync(file).mode & 0o777).toString(8)).toBe('640');
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(ids().length);
    await ok('retire', 'sixth');
  });

  it('describe themselves, their arguments and their options', async () => {
    const help = await keys('--help');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    const described = { add: 'id', promote: 'id', rewrap: '--new-user-keys', status: '--help', retire: '--wait <seconds>' };
    for (const [command, what] of Object.entries(described)) {
      expect(help.stdout).toMatch(new RegExp(`^  ${command} .*[A-Z].*[a-z]`, 'm'));
      const own = await keys(command, '--help');
      expect(own).toMatchObject({ code: 0, stderr: '' });
      expect(own.stdout).toMatch(new RegExp(`^  (-h, )?${what} +[a-z]`, 'm'));
    }
    for (const args of [[], ['constructor'], ['promote'], ['promote', 'a', 'b'], ['rewrap', '--all'], ['retire', 'a', '--wait', 'soon']]) {
      const wrong = await keys(...args);
      expect(wrong).toMatchObject({ code: 2, stdout: '' });
      expect(wrong.stderr).toContain(
        args[0] !== undefined && Object.hasOwn(described, args[0])
          ? `Usage: npm run keys -- ${args[0]} `
          : 'Usage: npm run keys -- <command>',
      );
    }
  });
});
