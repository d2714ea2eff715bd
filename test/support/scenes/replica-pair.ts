import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresDatabase, type PostgresDatabase } from '../database/postgres.ts';
import { startProcess, type TestProcess } from '../processes/process.ts';
import { startIssuer, type TestIssuer } from '../servers/issuer.ts';

export interface ReplicaPair {
  database: PostgresDatabase;
  issuer: TestIssuer;
  replicas: [TestProcess, TestProcess];
  stop(): Promise<void>;
}

/** Two processes on one database of Postgres, with one issuer. */
export async function startReplicaPair(): Promise<ReplicaPair> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-pair-'));
  const database = await createPostgresDatabase();
  const issuer = await startIssuer();
  const MASTER_KEYS = `k1:${randomBytes(32).toString('base64')}`;
  const start = (name: string) => startProcess({ ...issuer.env, MASTER_KEYS, DATABASE_URL: database.url, DATA_DIR: join(folder, name) });
  const replicas: [TestProcess, TestProcess] = [await start('a'), await start('b')];
  return {
    database,
    issuer,
    replicas,
    async stop() {
      await Promise.all(replicas.map((replica) => replica.kill('SIGKILL')));
      await issuer.close();
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
