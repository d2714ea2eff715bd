import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { formatKeyset } from '../../src/config/master-key-list.ts';
import { seal } from '../../src/crypto/envelope.ts';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/database/postgres.ts';
import { runCli } from '../support/processes/cli.ts';
import { linkBank, newName } from '../support/scenes/flows.ts';
import { KeyServiceEmulator } from '../support/servers/key-service.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';
import { expectError } from '../support/users/expect-error.ts';

describe('a master key at AWS KMS', () => {
  let kms: KeyServiceEmulator;
  let steward: TestSteward;

  beforeAll(async () => {
    kms = await KeyServiceEmulator.start();
    steward = await startSteward({ ...kms.env, MASTER_KEYS: formatKeyset([{ id: 'cloud', arn: kms.createKey() }]) });
  });

  afterEach(() => {
    kms.always = undefined;
    kms.faults.length = 0;
    kms.sessionToken = undefined;
  });

  afterAll(async () => {
    await steward?.stop();
    await kms?.stop();
  });

  /** A user with a bank entry; every refresh of it decrypts the stored token. */
  async function linkedUser() {
    const token = await steward.signIn(newName());
    expect((await linkBank(steward, token)).body).toEqual({ success: true });
    const [entry] = (await steward.call('/auth/bank/accounts', { token })).body.accounts;
    const { userId } = await steward.context.sessions.authenticate(token);
    return {
      token,
      userId,
      /** Requests for the user's keys; those of others are also used by what runs in the background. */
      asked: () => kms.asked.filter(({ context }) => context.user === userId).length,
      use: () => steward.call(`/auth/bank/accounts/${entry.id}/refresh`, { method: 'POST', token }),
      /** Also decrypts the token, at every request. */
      repair: () => steward.call('/auth/bank/create_link_token', { token, form: { account_id: entry.id } }),
    };
  }

  /** Clears the service's caches. */
  async function forget(): Promise<void> {
    steward = await steward.restart();
  }

  const alarms = () => steward.logs.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);

  it('wraps keys bound to their user, with few requests', async () => {
    const user = await linkedUser();
    const before = user.asked();
    for (let use = 0; use < 5; use += 1) expect((await user.use()).body).toEqual({ success: true });
    expect(user.asked()).toBe(before);
    const [row] = await steward.sql<{ id: string; user: string }>('select id, user_id as user from user_keys');
    expect(kms.asked.filter(({ operation }) => operation === 'Encrypt').at(-1)?.context).toEqual({
      service: 'steward',
      purpose: 'user-key',
      user: row?.user,
      key: row?.id,
    });
  });

  it.each([
    ['a bit of it is flipped', 'set_byte(wrapped, 30, get_byte(wrapped, 30) # 1)'],
    ['it is another user’s', '(select wrapped from user_keys k where k.user_id <> user_keys.user_id limit 1)'],
    ['it is truncated', 'substring(wrapped for 20)'],
    ['it names a local key as its wrapping key', 'set_byte(wrapped, 0, 1)'],
  ])('returns no key when %s', async (_title, change) => {
    await linkedUser();
    const user = await linkedUser();
    await steward.sql(`update user_keys set wrapped = ${change} where created_at = (select max(created_at) from user_keys)`);
    expectError(await user.use(), 'internal');
    const [row] = await steward.sql<{ user: string }>('select user_id as user from user_keys order by created_at desc limit 1');
    const { db, userKeys } = steward.context;
    await expect(userKeys.forUser(db, row?.user ?? '')).rejects.toMatchObject({ code: 'internal' });
  });

  it('that is unavailable causes 503 for users whose key is not in memory, with an alarm, and loses nothing', async () => {
    const user = await linkedUser();
    await forget();
    const active = await linkedUser();
    kms.always = 'error 500';
    const response = await user.use();
    expectError(response, 'unavailable');
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await active.use()).body).toEqual({ success: true });
    expect(alarms().map(({ msg }) => msg)).toEqual([expect.stringContaining('the key service can’t be reached')]);
    kms.always = undefined;
    expect((await user.use()).body).toEqual({ success: true });
  });

  it.each(['hang', 'cut'] as const)('that responds with a %s also causes 503, within its time-out', async (fault) => {
    const user = await linkedUser();
    await forget();
    kms.always = fault;
    expectError(await user.use(), 'unavailable');
  });

  it.each(['throttled', 'error 500', 'cut'] as const)('is requested again after one %s', async (fault) => {
    const user = await linkedUser();
    await forget();
    kms.faults.push(fault);
    expect((await user.use()).body).toEqual({ success: true });
    expect(kms.faults).toEqual([]);
  });

  it.each(['AccessDeniedException', 'DisabledException', 'KMSInvalidStateException'])(
    'that responds with %s raises an alarm',
    async (code) => {
      const user = await linkedUser();
      await forget();
      kms.always = { code };
      expectError(await user.use(), 'unavailable');
      expect(alarms()).toMatchObject([
        { msg: expect.stringContaining('the key service rejects a master key'), err: { message: expect.stringContaining(code) } },
      ]);
      expect(steward.logs.join('')).not.toContain('example-secret-access-key');
    },
  );

  it.each(['InvalidCiphertextException', 'IncorrectKeyException'])('that responds with %s returns no key', async (code) => {
    const user = await linkedUser();
    await forget();
    kms.always = { code };
    expectError(await user.use(), 'internal');
  });

  it('receives the session token of temporary credentials', async () => {
    kms.sessionToken = 'example-session-token';
    const temporary = await startSteward({ ...kms.env, MASTER_KEYS: formatKeyset([{ id: 'temporary', arn: kms.createKey() }]) });
    expect((await temporary.call('/health/ready')).status).toBe(200);
    await temporary.stop();
  });

  it('that is unavailable at the start makes it fail with the reason', async () => {
    kms.always = { code: 'AccessDeniedException' };
    await expect(startSteward({ ...kms.env, MASTER_KEYS: formatKeyset([{ id: 'other', arn: kms.createKey() }]) })).rejects.toMatchObject({
      code: 'unavailable',
      cause: { message: expect.stringMatching(/^encrypt with arn:aws:kms:\S+: AccessDeniedException$/) },
    });
  });

  it('that is unavailable makes GET /user/export return 503', async () => {
    const { token, userId } = await linkedUser();
    const sealed = seal(
      await steward.context.userKeys.forUser(steward.context.db, userId),
      { table: '', column: '', userId, rowId: '' },
      '',
    );
    await steward.sql(
      `insert into approvals (id, user_id, account_id, surface, action, arguments_hash, arguments, revision, expires_at)
       values (gen_random_uuid(), $1, gen_random_uuid(), 'socket', 'mail.send', $2, $2, '', now() + interval '1 hour')`,
      [userId, sealed],
    );
    await steward.sql(
      `insert into idempotency_keys (user_id, asker, call_id, action, key, arguments_hash, running_until, status, answer)
       values ($1, 'user', gen_random_uuid(), 'mail.send', 'k', $2, now(), 'done', $2)`,
      [userId, sealed],
    );
    await forget();
    kms.always = 'error 500';
    expectError(await steward.call('/user/export', { token }), 'unavailable');
  });

  it('receives one request for concurrent uses of a key', async () => {
    const user = await linkedUser();
    await forget();
    const before = user.asked();
    const responses = await Promise.all(Array.from({ length: 10 }, () => user.repair()));
    expect(responses.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(user.asked()).toBe(before + 1);
  });

  it('receives one more request a quarter of an hour after it returned a key, not before', async () => {
    const user = await linkedUser();
    const before = user.asked();
    await steward.clock.advance(600_000);
    expect((await user.use()).body).toEqual({ success: true });
    expect(user.asked()).toBe(before);
    await steward.clock.advance(301_000);
    expect((await user.use()).body).toEqual({ success: true });
    expect(user.asked()).toBe(before + 1);
  });
});

describe.skipIf(!hasPostgres)('moving to AWS KMS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-kms-'));
  const file = join(folder, 'master.keys');
  let kms: KeyServiceEmulator;
  let database: PostgresDatabase;
  let steward: TestSteward;
  let env: Record<string, string>;

  beforeAll(async () => {
    kms = await KeyServiceEmulator.start();
    database = await createPostgresDatabase();
    writeFileSync(file, formatKeyset([{ id: 'local', secret: randomBytes(32) }]));
    env = { ...kms.env, DATABASE_URL: database.url, MASTER_KEYS_FILE: file };
    steward = await startSteward(env);
  });

  afterAll(async () => {
    await steward?.stop();
    await kms?.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  const keys = (...args: string[]) => runCli('keys', args, env);

  it('and back is an ordinary rotation, without a restart', async () => {
    const token = await steward.signIn();
    await linkBank(steward, token);
    const [entry] = (await steward.call('/auth/bank/accounts', { token })).body.accounts;
    const use = async () => (await steward.call(`/auth/bank/accounts/${entry.id}/refresh`, { method: 'POST', token })).body;
    for (const command of [['add', 'cloud', '--aws-kms', kms.createKey()], ['promote', 'cloud'], ['rewrap'], ['retire', 'local']]) {
      const end = await keys(...command);
      expect(end, end.stderr).toMatchObject({ code: 0 });
    }
    expect(readFileSync(file, 'utf8')).toMatch(/^cloud:aws-kms:arn:aws:kms:\S+\n$/);
    expect((await keys('status')).stdout).toMatch(/^cloud +aws-kms +yes +1 +0 +0 +0 +1 of 1$/m);
    expect(await use()).toEqual({ success: true });
    for (const command of [
      ['add', 'back'],
      ['promote', 'back'],
      ['rewrap', '--new-user-keys'],
      ['retire', 'cloud'],
    ]) {
      const end = await keys(...command);
      expect(end, end.stderr).toMatchObject({ code: 0 });
    }
    kms.always = { code: 'DisabledException' };
    expect(await use()).toEqual({ success: true });
  });

  it('rejects a key that cannot be used, in one line', async () => {
    kms.always = { code: 'AccessDeniedException' };
    const { code, stdout, stderr } = await keys('add', 'denied', '--aws-kms', kms.createKey());
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^The key service can’t be used: encrypt with arn:\S+ AccessDeniedException\. .*\n$/);
    expect(readFileSync(file, 'utf8')).not.toContain('denied');
  });
});
