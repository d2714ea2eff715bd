import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { RUNS } from '../support/database/test-server.ts';
import { startRun } from '../support/killed-run/start-run.ts';
import type { Started } from '../support/killed-run/started.ts';
import { eventually } from '../support/time/eventually.ts';

let folder: string;
let temporary: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steward-runs-'));
  temporary = join(folder, 'tmp');
  mkdirSync(temporary);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a run of tests that is killed', () => {
  it('leaves processes, folders and databases, which the next run removes', async () => {
    const { run, started } = await startHanging();
    run.kill('SIGKILL');
    await once(run, 'exit');
    expect(started.pids.map(isRunning)).toEqual([true, true]);
    expect(readdirSync(temporary)).toHaveLength(1);
    // Postgres notices a moment later that the run has ended.
    await eventually(async () => !(await holdsLock(started)));

    const [code] = await once(start('ends'), 'exit');

    expect(code).toBe(0);
    await haveEnded(started);
    expect(readdirSync(temporary)).toEqual([]);
    // Where another run has begun to remove it, that one does.
    await eventually(async () => !(await databaseExists(started)));
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('by %s leaves no processes and folders', async (signal) => {
    const { run, started } = await startHanging();
    run.kill(signal);
    await once(run, 'exit');

    await haveEnded(started);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

async function startHanging(): Promise<{ run: ChildProcess; started: Started }> {
  const run = start('hangs');
  const started = await eventually(() => {
    if (run.exitCode !== null) throw new Error(`it ended with ${run.exitCode}`);
    return JSON.parse(readFileSync(startedFile(), 'utf8')) as Started;
  });
  return { run, started };
}

function start(test: string): ChildProcess {
  const run = startRun(test, { TMPDIR: temporary, STARTED_FILE: startedFile() });
  run.stdout.resume();
  run.stderr.resume();
  return run;
}

function startedFile(): string {
  return join(folder, 'started.json');
}

/** A process ends a moment after the signal was sent, also by one that it can't handle. */
async function haveEnded({ pids }: Started): Promise<void> {
  await eventually(() => !pids.some(isRunning));
}

function isRunning(pid: number): boolean {
  try {
    // A process that has ended and whose parent has not noticed is in state Z.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function databaseExists({ database }: Started): Promise<boolean> {
  return finds('select 1 from pg_database where datname = $1', database?.name);
}

function holdsLock({ database }: Started): Promise<boolean> {
  return finds("select 1 from pg_locks where locktype = 'advisory' and classid = $1 and objid = $2", RUNS, database?.run);
}

async function finds(statement: string, ...values: unknown[]): Promise<boolean> {
  const server = inject('postgres');
  if (server === null) return false;
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query(statement, values)).rows.length > 0;
  } finally {
    await client.end();
  }
}
