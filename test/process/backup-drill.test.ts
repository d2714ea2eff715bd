import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createEmptyPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/database/postgres.ts';
import { COMPILE_CACHE } from '../support/processes/inherited-environment.ts';
import { runProcess, startProcess, type TestProcess } from '../support/processes/process.ts';
import { connect, liveTokens, outcome, workspaceAccounts } from '../support/scenes/flows.ts';
import { eventually } from '../support/time/eventually.ts';
import { SocketClient } from '../support/users/socket-client.ts';

const ROOT = join(import.meta.dirname, '../..');
const DOCUMENT = readFileSync(join(ROOT, 'docs/backup.md'), 'utf8');

/** The commands under a heading of docs/backup.md, block by block. */
function commands(heading: string): string[] {
  const section = DOCUMENT.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const blocks = [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block as string);
  if (blocks.length === 0) throw new Error(`docs/backup.md has no commands under ${heading}`);
  return blocks;
}

/** Runs a block as an operator would paste it. */
function paste(block: string, env: Record<string, string>): Promise<string> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', block], {
    cwd: ROOT,
    // npm finds the Node that runs this.
    env: { PATH: `${join(process.execPath, '..')}:${process.env.PATH}`, HOME: process.env.HOME ?? '/', ...COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve, reject) => {
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(`${block}\nended with ${code}:\n${output}`))));
  });
}

describe.skipIf(!hasPostgres)('the drill of docs/backup.md', () => {
  const [dumping, exporting] = commands('Back up') as [string, string];
  const [undumping, importing] = commands('Restore') as [string, string];
  const [listing, fromLog, erasing] = commands('Repeat deletions') as [string, string, string];
  const [checking] = commands('Verify') as [string];
  let folder: string;
  let damaged: PostgresDatabase;
  let fresh: PostgresDatabase;
  let env: Record<string, string>;
  let steward: TestProcess;

  /** The environment of a service on these databases; the sandbox's state is kept. */
  const serviceEnv = (database: PostgresDatabase) => ({
    DATA_DIR: join(folder, 'sandbox'),
    MASTER_KEYS_FILE: join(folder, 'master.keys'),
    DATABASE_URL: database.url,
  });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'steward-drill-'));
    for (const name of ['backups', 'vault']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'master.keys'), `k1:${randomBytes(32).toString('base64')}\n`);
    damaged = await createEmptyPostgresDatabase();
    steward = await startProcess(serviceEnv(damaged));
  });

  afterAll(async () => {
    await steward.kill('SIGKILL');
    await damaged.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  afterEach(() => fresh.drop());

  /** Before: two users with an account each. After the backup: one disconnects, the other is deleted. */
  async function live() {
    const [stays, leaves] = [`stays${randomBytes(3).toString('hex')}`, `leaves${randomBytes(3).toString('hex')}`];
    const tokens = { stays: await steward.signIn(stays), leaves: await steward.signIn(leaves) };
    await connect(steward, { token: tokens.stays, email: `${stays}@example.com` });
    const second = await connect(steward, { token: tokens.stays, email: `second-${stays}@example.com` });
    await connect(steward, { token: tokens.leaves, email: `${leaves}@example.com` });
    return { stays, leaves, tokens, secondId: outcome(second.callback).account_id ?? '' };
  }

  async function afterwards({ tokens, secondId, leaves }: Awaited<ReturnType<typeof live>>): Promise<void> {
    await steward.call(`/auth/workspace/accounts/${secondId}`, { method: 'DELETE', token: tokens.stays });
    expect((await steward.call('/user', { method: 'DELETE', token: tokens.leaves })).body).toEqual({ success: true });
    await eventually(async () => expect(await liveTokens(steward, `${leaves}@example.com`)).toEqual({ access: 0, refresh: 0 }));
  }

  it.each([
    ['pg_dump', dumping, undumping],
    ['data', exporting, importing],
  ])('by %s: restores the data, repeats deletions, and reports invalid tokens', async (_name, backUp, restore) => {
    fresh = await createEmptyPostgresDatabase();
    env = {
      ...serviceEnv(damaged),
      NEW_DATABASE_URL: fresh.url,
      BACKUPS: join(folder, 'backups'),
      VAULT: join(folder, 'vault'),
    };
    const scene = await live();
    await paste(backUp, env);
    await afterwards(scene);

    writeFileSync(join(folder, 'backups/steward.log'), steward.output());
    await paste(restore, env);
    const names = 'select subject from users where email = any($1)';
    const emails = [[`${scene.stays}@example.com`, `${scene.leaves}@example.com`]];
    expect(await fresh.sql(names, emails)).toHaveLength(2);
    for (const list of [listing, fromLog]) {
      rmSync(join(folder, 'backups/deletions'), { force: true });
      await paste(list, env);
      expect(readFileSync(join(folder, 'backups/deletions'), 'utf8')).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}/m);
    }
    expect(await paste(erasing, env)).toMatch(/^1 users deleted, \d+ not found\.$/m);
    expect(await paste(erasing, env)).toMatch(/^0 users deleted/m);
    expect(await fresh.sql(names, emails)).toHaveLength(1);

    // The old service is stopped before a restore.
    await steward.kill();
    const restored = await startProcess({ ...serviceEnv(fresh), MASTER_KEYS_FILE: join(folder, 'vault/master.keys') });
    try {
      await paste(checking, { ...env, STEWARD_URL: restored.url });
      const token = await restored.signIn(scene.stays);
      const socket = await SocketClient.signedIn(restored.url, token);
      const call = (account: string) => socket.request({ type: 'call', action: 'mail.labels', input: {}, account });
      expect((await call(`${scene.stays}@example.com`)).type).toBe('result');
      expect(await call(scene.secondId)).toMatchObject({ type: 'error', error: { code: 'reauth_required' } });
      expect((await workspaceAccounts(restored, token)).map(({ status }) => status)).toEqual(['active', 'reauth_required']);
      await socket.close();
    } finally {
      await restored.kill();
      steward = await startProcess(serviceEnv(damaged));
    }
  });

  it('an incompatible upgrade is undone with the backup made before it', async () => {
    fresh = await createEmptyPostgresDatabase();
    env = { ...serviceEnv(damaged), NEW_DATABASE_URL: fresh.url, BACKUPS: join(folder, 'backups'), VAULT: join(folder, 'vault') };
    const scene = await live();
    await paste(dumping, env);
    expect(statSync(join(folder, 'vault/master.keys')).mode & 0o077).toBe(0);
    await steward.kill();
    // What a newer release's migration does.
    await damaged.sql('update schema_guard set minimum_code_version = 99');
    const rejected = await runProcess(serviceEnv(damaged));
    expect(rejected.code).toBe(1);
    expect(rejected.output).toContain('Start the newer release.');
    await paste(undumping, env);
    const older = await startProcess(serviceEnv(fresh));
    expect(await workspaceAccounts(older, await older.signIn(scene.stays))).toHaveLength(2);
    await older.kill();
  });
});
