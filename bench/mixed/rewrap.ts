import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseKeyset } from '../../src/config/master-key-list.ts';
import { Database } from '../../src/database/database.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { countUnderOthers } from '../../src/vault/rotation/key-rotation-repository.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Runs `npm run keys -- rewrap` to its end, as a process of its own. */
export async function timeRewrap(databaseUrl: string, masterKeys: string): Promise<{ keys: number; seconds: number }> {
  const db = new Database({ connectionString: databaseUrl }, 1, createLogger('silent'));
  const keys = await countUnderOthers(db, parseKeyset(masterKeys)[0]?.id ?? '');
  await db.close();
  const start = performance.now();
  const child = spawn(process.execPath, ['src/cli/keys.ts', 'rewrap'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', DATABASE_URL: databaseUrl, MASTER_KEYS: masterKeys },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`keys rewrap ended with ${code}`);
  return { keys, seconds: (performance.now() - start) / 1000 };
}
