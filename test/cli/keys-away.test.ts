import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { formatKeyset } from '../../src/config/master-key-list.ts';
import { deleteExpiredRows } from '../../src/database/retention.ts';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/database/postgres.ts';
import { runCli } from '../support/processes/cli.ts';
import { createPlace, startProcess, type TestProcess } from '../support/processes/process.ts';
import {
  connect,
  linkBank,
  liveTokens,
  newName,
  outcome,
  queueInstalled,
  SWEEP_AT_START,
  sweepNow,
  sweepToEnd,
  unschedule,
  workspaceAccounts,
} from '../support/scenes/flows.ts';
import { KeyServiceEmulator } from '../support/servers/key-service.ts';
import { type Service, startSteward, type TestSteward } from '../support/steward.ts';
import { eventually } from '../support/time/eventually.ts';
import { expectError } from '../support/users/expect-error.ts';

const NONE = { access: 0, refresh: 0 };
const ALIVE = { access: 1, refresh: 1 };
/** Not retried by the service itself, unlike one that doesn't respond. */
const REFUSED = { code: 'AccessDeniedException' };

interface Person {
  token: string;
  email: string;
  /** Of the workspace account. */
  id: string;
  /** Of the bank entry, and of its item at the aggregator. */
  entry: string;
  item: string;
}

/** A new user with a workspace account and a bank. */
async function connected(service: Service): Promise<Person> {
  const name = newName();
  const [token, email] = [await service.signIn(name), `${name}@example.com`];
  const { callback } = await connect(service, { token, email });
  const item = await linked(service, token);
  const [entry] = await bankEntries(service, token);
  return { token, email, id: outcome(callback).account_id ?? '', entry: entry.id, item };
}

/** Links a bank. @returns the new item's id */
async function linked(service: Service, token: string): Promise<string> {
  expect((await linkBank(service, token)).body).toEqual({ success: true });
  return (await service.control('bank/state')).items.at(-1).item_id;
}

const bankEntries = async (service: Service, token: string) => (await service.call('/auth/bank/accounts', { token })).body.accounts;

async function isRemoved(service: Service, item: string): Promise<boolean> {
  const { items } = await service.control('bank/state');
  return items.find(({ item_id }: { item_id: string }) => item_id === item).status === 'removed';
}

const disconnectAccount = ({ token, id }: Person, service: Service) =>
  service.call(`/auth/workspace/accounts/${id}`, { method: 'DELETE', token });
const disconnectBank = ({ token, entry }: Person, service: Service) =>
  service.call(`/auth/bank/accounts/${entry}`, { method: 'DELETE', token });

async function disconnectBoth(person: Person, service: Service): Promise<void> {
  for (const disconnect of [disconnectAccount, disconnectBank]) {
    const { status, body } = await disconnect(person, service);
    expect({ status, body }).toEqual({ status: 200, body: { success: true } });
  }
}

async function expectRevoked({ email, item }: Person, service: Service): Promise<void> {
  await eventually(async () => expect(await liveTokens(service, email)).toEqual(NONE));
  await eventually(() => isRemoved(service, item));
}

describe('while the key service is unavailable', () => {
  let kms: KeyServiceEmulator;
  let steward: TestSteward;

  beforeAll(async () => {
    kms = await KeyServiceEmulator.start();
    const MASTER_KEYS = formatKeyset([{ id: 'cloud', arn: kms.createKey() }]);
    steward = await startSteward({ ...kms.env, MASTER_KEYS, LIMIT_REVOCATION_RETRY_SECONDS: '1' });
    await sweepOnlyWhenTold();
  });

  afterEach(async () => {
    kms.always = undefined;
    await settled();
  });

  afterAll(async () => {
    await steward?.stop();
    await kms?.stop();
  });

  /** Clears the service's caches. */
  async function forget(): Promise<void> {
    steward = await steward.restart();
    await sweepOnlyWhenTold();
  }

  /** Without the scheduled sweep, and after that of the start, each test knows the number of sweeps. */
  async function sweepOnlyWhenTold(): Promise<void> {
    await queueInstalled(steward);
    await unschedule(steward.sql, 'sweep');
  }

  const waiting = () => steward.sql<{ subject: string; provider: string }>('select subject, provider from ended_grants order by ended_at');
  /** The attempt after the commit holds each row for half a minute. */
  const waitUntil = (time: string) => steward.sql(`update ended_grants set try_after = ${time}`);
  const queued = async () => (await steward.sql('select 1 from revocations')).length;
  const warnings = () => steward.logs.filter((line) => line.includes('disconnected accounts wait to be revoked')).length;

  /** Pending revocations become due, and run. */
  async function settled(): Promise<void> {
    await waitUntil('now()');
    await sweepToEnd(steward);
    expect(await waiting()).toEqual([]);
    await eventually(async () => expect(await queued()).toBe(0));
  }

  it.each([
    ['isn’t in memory', true, 'error 500'],
    ['is in memory', false, 'cut'],
  ] as const)(
    'an account of a user whose key %s is disconnected immediately, and revoked once the key service is available',
    async (_name, forgotten, fault) => {
      const person = await connected(steward);
      if (forgotten) await forget();
      kms.always = fault;
      await disconnectBoth(person, steward);
      expect(await workspaceAccounts(steward, person.token)).toEqual([]);
      expect(await bankEntries(steward, person.token)).toEqual([]);
      expectError(await steward.call(`/auth/bank/accounts/${person.entry}/refresh`, { method: 'POST', token: person.token }), 'not_found');
      expectError(await disconnectAccount(person, steward), 'not_found');
      const listed = await steward.call('/integrations', { token: person.token });
      expect(listed.body).toMatchObject({ workspace: { connected: false }, bank: { connected: false } });
      expect((await waiting()).map(({ provider }) => provider)).toEqual(['workspace', 'bank']);
      await sweepToEnd(steward);
      expect(await liveTokens(steward, person.email)).toEqual(ALIVE);
      expect(await isRemoved(steward, person.item)).toBe(false);
      kms.always = undefined;
      await waitUntil('now()');
      await sweepToEnd(steward);
      await expectRevoked(person, steward);
      expect(await waiting()).toEqual([]);
    },
  );

  it('waiting revocations are encrypted, and GET /user/export lists them', async () => {
    const person = await connected(steward);
    kms.always = REFUSED;
    await disconnectAccount(person, steward);
    const [row] = await steward.sql<{ tokens: Buffer; grant_id: string }>('select tokens, grant_id from ended_grants');
    expect(row?.tokens.toString('latin1')).not.toContain('sandbox-');
    const { body, text } = await steward.call('/user/export', { token: person.token });
    expect(body.ended_grants).toMatchObject([{ grant_id: row?.grant_id, provider: 'workspace' }]);
    expect(body.grants.map(({ provider }: { provider: string }) => provider)).toEqual(['bank']);
    expect(text).not.toContain(row?.tokens.toString('hex'));
  });

  it('a sweep sends one request and logs once; a failing row does not block others', async () => {
    const person = await connected(steward);
    await forget();
    kms.always = REFUSED;
    await disconnectBoth(person, steward);
    await waitUntil('ended_at');
    const [asked, said] = [kms.asked.length, warnings()];
    await sweepToEnd(steward);
    expect([kms.asked.length - asked, warnings() - said]).toEqual([1, 1]);
    kms.always = undefined;
    await sweepToEnd(steward);
    expect((await waiting()).map(({ provider }) => provider)).toEqual(['workspace']);
    await eventually(() => isRemoved(steward, person.item));
    expect(warnings() - said).toBe(1);
    await waitUntil('now()');
    await sweepToEnd(steward);
    await expectRevoked(person, steward);
  });

  it('several concurrent sweeps take each row once', async () => {
    const people = [await connected(steward), await connected(steward)];
    kms.always = REFUSED;
    for (const person of people) await disconnectBoth(person, steward);
    kms.always = undefined;
    await waitUntil('ended_at');
    const before = kms.count('Encrypt');
    await Promise.all(Array.from({ length: 3 }, () => steward.context.grants.sweep()));
    expect(await waiting()).toEqual([]);
    expect(kms.count('Encrypt') - before).toBe(4);
    for (const person of people) await expectRevoked(person, steward);
  });

  it('a token that was altered meanwhile is reported and blocks no others', async () => {
    const person = await connected(steward);
    kms.always = REFUSED;
    await disconnectBoth(person, steward);
    kms.always = undefined;
    await steward.sql(`update ended_grants set tokens = set_byte(tokens, 90, get_byte(tokens, 90) # 1) where provider = 'workspace'`);
    await waitUntil('ended_at');
    await sweepToEnd(steward);
    expect(await waiting()).toEqual([]);
    expect(steward.logs.filter((line) => line.includes('it is deleted without being revoked'))).toHaveLength(1);
    await eventually(() => isRemoved(steward, person.item));
  });

  it('DELETE /user returns 503 and changes nothing; later it also deletes waiting revocations', async () => {
    const person = await connected(steward);
    kms.always = REFUSED;
    await disconnectAccount(person, steward);
    expectError(await steward.call('/user', { method: 'DELETE', token: person.token }), 'unavailable');
    expect((await waiting()).map(({ provider }) => provider)).toEqual(['workspace']);
    expect(await bankEntries(steward, person.token)).toMatchObject([{ id: person.entry }]);
    kms.always = undefined;
    // No sweep would include it.
    await waitUntil(`now() + interval '1 day'`);
    expect((await steward.call('/user', { method: 'DELETE', token: person.token })).body).toEqual({ success: true });
    expect(await waiting()).toEqual([]);
    await expectRevoked(person, steward);
  });

  it('an account connected again keeps its tokens, and a bank linked again its new item', async () => {
    const person = await connected(steward);
    kms.always = REFUSED;
    await disconnectBoth(person, steward);
    const { callback } = await connect(steward, { token: person.token, email: person.email });
    expect(outcome(callback).status).toBe('connected');
    const item = await linked(steward, person.token);
    const before = (await steward.control('state')).calls.workspace.revocations ?? 0;
    kms.always = undefined;
    await settled();
    expect((await steward.control('state')).calls.workspace.revocations ?? 0).toBe(before);
    expect((await liveTokens(steward, person.email)).refresh).toBe(2);
    expect(await workspaceAccounts(steward, person.token)).toMatchObject([{ email: person.email, status: 'active' }]);
    expect(await Promise.all([person.item, item].map((one) => isRemoved(steward, one)))).toEqual([true, false]);
    const [entry] = await bankEntries(steward, person.token);
    await disconnectBoth({ ...person, id: outcome(callback).account_id ?? '', entry: entry.id }, steward);
    await expectRevoked({ ...person, item }, steward);
  });

  it('a bank linked again is stored, and its former items are removed later', async () => {
    const person = await connected(steward);
    kms.always = REFUSED;
    const [second, third] = [await linked(steward, person.token), await linked(steward, person.token)];
    expect(await bankEntries(steward, person.token)).toMatchObject([{ id: person.entry, status: 'active' }]);
    expect((await waiting()).map(({ subject }) => subject)).toEqual([person.item, second]);
    kms.always = undefined;
    await settled();
    expect(await Promise.all([person.item, second, third].map((one) => isRemoved(steward, one)))).toEqual([true, true, false]);
    expect((await steward.call(`/auth/bank/accounts/${person.entry}/refresh`, { method: 'POST', token: person.token })).body).toEqual({
      success: true,
    });
  });
});

describe('a process that is killed before the key service is available', () => {
  it('loses nothing: the next process revokes at both providers', async () => {
    const kms = await KeyServiceEmulator.start();
    const place = await createPlace();
    const env = { ...place.env, ...kms.env, MASTER_KEYS: formatKeyset([{ id: 'cloud', arn: kms.createKey() }]) };
    let child: TestProcess | undefined;
    try {
      child = await startProcess(env);
      const person = await connected(child);
      kms.always = REFUSED;
      await disconnectBoth(person, child);
      await child.kill('SIGKILL');
      expect(await place.sql('select 1 from grants')).toEqual([]);
      // The attempt after the commit held each row for half a minute.
      const waiting = `with sweep as (${SWEEP_AT_START}) update ended_grants set try_after = now() returning 1`;
      expect(await place.sql(waiting)).toHaveLength(2);
      kms.always = undefined;
      child = await startProcess(env);
      await expectRevoked(person, child);
      await child.kill('SIGTERM');
      expect(await place.sql('select 1 from ended_grants')).toEqual([]);
    } finally {
      await child?.kill('SIGKILL');
      await place.remove();
      await kms.stop();
    }
  });
});

describe.skipIf(!hasPostgres)('new keys for all users, while a disconnected account waits', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-away-'));
  const file = join(folder, 'master.keys');
  let kms: KeyServiceEmulator;
  let database: PostgresDatabase;
  let steward: TestSteward;
  let env: Record<string, string>;

  beforeAll(async () => {
    kms = await KeyServiceEmulator.start();
    database = await createPostgresDatabase();
    writeFileSync(
      file,
      formatKeyset([
        { id: 'cloud', arn: kms.createKey() },
        { id: 'spare', secret: randomBytes(32) },
      ]),
    );
    env = { ...kms.env, DATABASE_URL: database.url, MASTER_KEYS_FILE: file };
    steward = await startSteward({ ...env, LIMIT_REVOCATION_RETRY_SECONDS: '1' });
  });

  afterAll(async () => {
    await steward?.stop();
    await kms?.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('encrypt its tokens again, so that they outlive the old key and are still revoked', async () => {
    const person = await connected(steward);
    kms.always = REFUSED;
    // The second item belongs to the same grant as the first.
    const second = await linked(steward, person.token);
    await disconnectBoth(person, steward);
    await database.sql(`update ended_grants set try_after = now() + interval '1 day'`);
    expect(await database.sql('select 1 from ended_grants')).toHaveLength(3);
    kms.always = undefined;
    for (const command of [
      ['promote', 'spare'],
      ['rewrap', '--new-user-keys'],
      ['retire', 'cloud'],
    ]) {
      const end = await runCli('keys', command, env);
      expect(end, end.stderr).toMatchObject({ code: 0 });
    }
    await database.sql(`update former_user_keys set replaced_at = now() - interval '2 days'`);
    await deleteExpiredRows(steward.context.db, 'former_user_keys');
    await database.sql('update ended_grants set try_after = now()');
    await sweepNow(steward);
    await expectRevoked(person, steward);
    await eventually(() => isRemoved(steward, second));
    expect(steward.logs.filter((line) => line.includes('it is deleted without being revoked'))).toEqual([]);
  });
});
