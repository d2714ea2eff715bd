import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatKeyset } from '../../../src/config/master-key-list.ts';
import { createPostgresDatabase, hasPostgres, type PostgresDatabase } from '../../support/database/postgres.ts';
import { connect, linkBank, newName, outcome } from '../../support/scenes/flows.ts';
import { KeyServiceEmulator } from '../../support/servers/key-service.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';

const LOOKS = 20;

describe.skipIf(!hasPostgres)('during a request to the key service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-waiting-'));
  const file = join(folder, 'master.keys');
  let kms: KeyServiceEmulator;
  let database: PostgresDatabase;
  let steward: TestSteward;
  /** Transactions that were open during its request. */
  let open: number[] = [];

  beforeAll(async () => {
    kms = await KeyServiceEmulator.start();
    writeFileSync(file, formatKeyset([{ id: 'remote', arn: kms.createKey() }]));
    database = await createPostgresDatabase();
    steward = await startSteward({ ...kms.env, MASTER_KEYS_FILE: file, DATABASE_URL: database.url });
    kms.meanwhile = async () => {
      let waiting = await idle();
      // An unrelated one continues meanwhile, and one that waits for this one does not.
      for (let looks = 0; looks < LOOKS && waiting.length > 0; looks += 1) {
        const now = await idle();
        waiting = waiting.filter((one) => now.includes(one));
      }
      open.push(waiting.length);
    };
  });

  afterAll(async () => {
    await steward?.stop();
    await database?.drop();
    await kms?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Transactions between two statements, each by the end of its last one. */
  async function idle(): Promise<string[]> {
    const rows = await database.sql<{ name: string }>(
      `select pid || ' ' || state_change as name from pg_stat_activity
       where datname = current_database() and application_name = 'steward' and state like 'idle in transaction%'`,
    );
    return rows.map(({ name }) => name);
  }

  /** Without cached keys. */
  async function freshly(work: () => Promise<void>): Promise<void> {
    steward = await steward.restart();
    open = [];
    await work();
    expect(open.length).toBeGreaterThan(0);
    expect(open.filter((transactions) => transactions > 0)).toEqual([]);
  }

  it('no transaction is open: connecting, linking, disconnecting and deleting', async () => {
    const name = newName();
    const token = await steward.signIn(name);
    const email = `${name}@example.com`;
    let id = '';
    await freshly(async () => {
      id = outcome((await connect(steward, { token, email })).callback).account_id ?? '';
    });
    await freshly(async () => {
      expect((await linkBank(steward, token)).status).toBe(200);
    });
    await freshly(async () => {
      expect(outcome((await connect(steward, { token, email })).callback).status).toBe('connected');
    });
    await freshly(async () => {
      expect((await steward.call(`/auth/workspace/accounts/${id}`, { method: 'DELETE', token })).status).toBe(200);
    });
    await freshly(async () => {
      expect((await steward.call('/user', { method: 'DELETE', token })).status).toBe(200);
    });
  });
});
