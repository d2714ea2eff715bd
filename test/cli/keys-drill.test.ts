import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatKeyset, parseKeyset } from '../../src/config/master-key-list.ts';
import { Keyring } from '../../src/crypto/keyring.ts';
import { openTokens } from '../../src/vault/grants/token-encryption.ts';
import { UserKeys } from '../../src/vault/keys/user-keys.ts';
import { createEmptyPostgresDatabase, hasPostgres, type PostgresDatabase } from '../support/database/postgres.ts';
import { startTokenService, type TokenService } from '../support/emulators/token-service.ts';
import { WorkspaceEmulator } from '../support/emulators/workspace-emulator.ts';
import { type ConnectedGrant, connectGrant, leave } from '../support/users/refreshing.ts';

const ROOT = join(import.meta.dirname, '../..');
const LEAKED = '2026-11';

/** The commands of a section of docs/keys.md. */
function commandsOf(title: string): string {
  const text = readFileSync(join(ROOT, 'docs/keys.md'), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map((match) => match[1]).join('');
}

interface Copy {
  grantId: string;
  userId: string;
  keyId: string;
  wrapped: Buffer;
  tokens: Buffer;
}

describe.skipIf(!hasPostgres)('the drill for a leaked key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steward-drill-'));
  const file = join(folder, 'master.keys');
  let database: PostgresDatabase;
  let provider: WorkspaceEmulator;
  let replicas: TokenService[];
  let env: Record<string, string>;

  beforeAll(async () => {
    database = await createEmptyPostgresDatabase();
    provider = await new WorkspaceEmulator().start();
    writeFileSync(file, formatKeyset([{ id: LEAKED, secret: randomBytes(32) }]), { mode: 0o600 });
    env = { ...provider.env, DATABASE_URL: database.url, MASTER_KEYS_FILE: file };
    replicas = await Promise.all([startTokenService(env), startTokenService(env)]);
  });

  afterAll(async () => {
    for (const replica of replicas ?? []) await replica.kill('SIGKILL');
    await provider?.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What an attacker copies. */
  const copy = () =>
    database.sql<Copy>(
      `select g.id as "grantId", g.user_id as "userId", k.id as "keyId", k.wrapped, g.tokens
       from grants g join user_keys k on k.user_id = g.user_id order by g.id`,
    );

  async function follow(): Promise<string> {
    const path = `${dirname(process.execPath)}:${process.env.PATH ?? ''}`;
    const script = ['-euo', 'pipefail', '-c', commandsOf('A leaked key')];
    return (await promisify(execFile)('bash', script, { cwd: ROOT, env: { PATH: path, HOME: folder, ...env } })).stdout;
  }

  /** Uses accounts on both replicas, with a refresh each time, until it is stopped. */
  function traffic(grants: readonly ConnectedGrant[]): () => Promise<{ uses: number; failures: string[] }> {
    let isOver = false;
    const failures: string[] = [];
    let uses = 0;
    const user = async (grant: ConnectedGrant, replica: TokenService) => {
      while (!isOver) {
        await leave(database.sql, grant, -60);
        const results = await replica.current(grant, 2);
        uses += results.length;
        failures.push(...results.flatMap(({ token, code }) => (token === undefined ? [String(code)] : [])));
      }
    };
    const users = grants.map((grant, index) => user(grant, replicas[index % replicas.length]!));
    return async () => {
      isOver = true;
      await Promise.all(users);
      return { uses, failures };
    };
  }

  it('ends in a clean state while two services run without interruption', async () => {
    const [one, two] = replicas as [TokenService, TokenService];
    const grants: ConnectedGrant[] = [];
    for (let user = 0; user < 6; user += 1) grants.push(await connectGrant(one, provider, database.sql));
    const [leakedKey] = parseKeyset(readFileSync(file, 'utf8'));
    const attacker = new UserKeys(new Keyring([leakedKey!]));
    const before = await copy();
    const stop = traffic(grants);

    const output = await follow();

    const newcomer = await connectGrant(two, provider, database.sql);
    const { uses, failures } = await stop();
    expect(failures).toEqual([]);
    expect(uses).toBeGreaterThan(0);
    expect(output).toMatch(/^2026-12 +here +yes +6 +0 +6 +0 +2 of 2$/m);
    expect(output.slice(output.lastIndexOf('KEY '))).not.toContain(LEAKED);
    expect(parseKeyset(readFileSync(file, 'utf8')).map(({ id }) => id)).toEqual(['2026-12']);

    const now = await copy();
    expect(now).toHaveLength(7);
    for (const row of now) {
      await expect(attacker.unwrap(row.userId, { id: row.keyId, wrapped: row.wrapped })).rejects.toMatchObject({ code: 'internal' });
      const old = before.find(({ userId }) => userId === row.userId);
      if (old === undefined) continue;
      // The attacker has a former key of the user: it decrypts the copy, and no current data.
      const stolen = await attacker.unwrap(old.userId, { id: old.keyId, wrapped: old.wrapped });
      const grant = { id: row.grantId, userId: row.userId, provider: 'workspace' as const };
      expect(openTokens(stolen, { ...grant, tokens: old.tokens }).accessToken).toMatch(/./);
      expect(() => openTokens({ ...stolen, id: row.keyId }, { ...grant, tokens: row.tokens })).toThrow('could not be read');
    }
    for (const [index, grant] of [...grants, newcomer].entries()) {
      expect(await replicas[index % 2]!.current(grant)).toEqual([{ token: expect.stringMatching(/^access-/) }]);
    }
    const fresh = await startTokenService(env);
    replicas.push(fresh);
    expect(await fresh.current(newcomer)).toEqual(await one.current(newcomer));
  });
});
