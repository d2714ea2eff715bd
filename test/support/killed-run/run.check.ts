import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inject, it } from 'vitest';
import { createEmptyDatabase } from '../database/test-server.ts';
import type { Started } from './started.ts';

const FOREVER = 'sleep 100000';

it('hangs', async () => {
  const alone = spawn('sh', ['-c', `exec ${FOREVER}`], { env: {} });
  const parent = spawn('sh', ['-c', `${FOREVER} >/dev/null & echo $!`], { stdio: ['ignore', 'pipe', 'ignore'] });
  const grandchild = Number(await text(parent.stdout));
  const server = inject('postgres');
  const database = server === null ? undefined : { name: new URL(await createEmptyDatabase(server)).pathname.slice(1), run: server.run };
  mkdtempSync(join(tmpdir(), 'steward-test-'));
  const started: Started = { pids: [alone.pid ?? 0, grandchild], database };
  writeFileSync(process.env.STARTED_FILE ?? '', JSON.stringify(started));
  await once(alone, 'exit');
});

it('ends', () => {});
