import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

const ROOT = join(import.meta.dirname, '../../..');

/**
 * Starts a run of one test of run.check.ts. Read what it prints: it waits for that.
 *
 * @param env beside that of this run
 */
export function startRun(test: string, env: Record<string, string>): ChildProcessByStdio<null, Readable, Readable> {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/support/killed-run/vitest.config.ts', '--root', ROOT];
  // Writing the bundle again would take it from the processes of this run.
  const inherited = { ...process.env, TEST_BUNDLE: undefined };
  return spawn(process.execPath, [...args, '-t', test], { cwd: ROOT, env: { ...inherited, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
}
