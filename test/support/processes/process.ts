import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Database } from '../../../src/database/database.ts';
import { startEmbeddedDatabase } from '../../../src/database/embedded.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { createDatabase } from '../database/test-database.ts';
import { provideSandboxKeys } from '../emulators/sandbox-keys.ts';
import { NEVER_SATURATED, type Service, serviceAt } from '../steward.ts';
import { patiently } from '../time/eventually.ts';
import { inheritedEnvironment } from './inherited-environment.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** With TEST_BUNDLE=1, processes run what the production image runs. */
const ENTRY = process.env.TEST_BUNDLE === undefined ? 'src/start.js' : 'dist/start.js';
/** Several replicas of several workers share a Postgres. */
const FEW_CONNECTIONS = { LIMIT_DATABASE_CONNECTIONS: '5' };
const READY = [/^Steward is ready at (\S+)/m, /"url":"([^"]+)".*"msg":"ready"/];

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** Both streams. */
  output: string;
}

export interface TestProcess extends Service {
  /** What it has printed so far, both streams. */
  output(): string;
  exited: Promise<Exit>;
  running(): boolean;
  /** Sends the signal and waits for the end. */
  kill(signal?: NodeJS.Signals): Promise<Exit>;
}

/** A data folder and a database, which outlast a process. */
export interface Place {
  dataDir: string;
  env: Record<string, string>;
  /** SQL on the database; the embedded one only while no process runs on it. */
  sql<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  remove(): Promise<void>;
}

/** A data folder, and a migrated database of its own: in that folder, or on the Postgres of the run. */
export async function createPlace(): Promise<Place> {
  const dataDir = mkdtempSync(join(tmpdir(), 'steward-process-'));
  provideSandboxKeys(join(dataDir, 'sandbox'));
  const database = await createDatabase(dataDir);
  return {
    dataDir,
    env: { DATA_DIR: dataDir, ...database.env },
    sql: (text, values) => queryPlace(dataDir, database.env.DATABASE_URL, text, values),
    async remove() {
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts the service, of this release or another's folder, and waits until it is ready. Its environment has only these variables. */
export async function startProcess(env: Record<string, string>, release = ROOT): Promise<TestProcess> {
  const child = spawnSteward(env, release, release);
  const ready = await child.begun;
  if (typeof ready !== 'string') throw new Error(`it ended with ${ready.code ?? ready.signal} instead of getting ready:\n${ready.output}`);
  return { ...serviceAt(ready), ...child };
}

/** Runs the service until it exits: for starts that fail. */
export async function runProcess(env: Record<string, string>, cwd = ROOT): Promise<Exit> {
  const child = spawnSteward(env, cwd);
  const ready = await child.begun;
  if (typeof ready !== 'string') return ready;
  await child.kill('SIGKILL');
  throw new Error(`it started instead of ending:\n${child.output()}`);
}

function spawnSteward(env: Record<string, string>, cwd = ROOT, release = ROOT) {
  const child = spawn(process.execPath, [join(release, release === ROOT ? ENTRY : 'src/start.js')], {
    cwd,
    env: { ...inheritedEnvironment(), PORT: '0', LOG_LEVEL: 'info', LOG_FORMAT: 'json', ...NEVER_SATURATED, ...FEW_CONNECTIONS, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  const { promise: ready, resolve: isReady } = Promise.withResolvers<string>();
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      printed[stream] += text;
      const url = READY.map((pattern) => pattern.exec(printed.stdout)?.[1]).find((found) => found !== undefined);
      if (url !== undefined) isReady(url);
    });
  }
  const exited = exitOf(child, printed);
  const output = () => printed.stdout + printed.stderr;
  return {
    /** Its address once it is ready, or how it ended instead. */
    begun: inTime('neither got ready nor ended', output, Promise.race([ready, exited])),
    exited,
    output,
    running: () => child.exitCode === null && child.signalCode === null,
    kill(signal: NodeJS.Signals = 'SIGTERM') {
      child.kill(signal);
      return inTime(`didn’t end after ${signal}`, output, exited);
    },
  };
}

/** Fails with what a process has printed when it does not do in time what is expected of it, rather than by the test's limit. */
function inTime<Result>(what: string, output: () => string, expected: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const came = patiently(() => reject(new Error(`it ${what}:\n${output()}`)));
    expected.then(resolve, reject).finally(came);
  });
}

function exitOf(child: ChildProcessByStdio<null, Readable, Readable>, printed: { stdout: string; stderr: string }): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, ...printed, output: printed.stdout + printed.stderr }));
  });
}

async function queryPlace<Row extends object>(dataDir: string, url: string | undefined, text: string, values?: unknown[]): Promise<Row[]> {
  const embedded = url === undefined ? await startEmbeddedDatabase(join(dataDir, 'database'), 1) : undefined;
  const db = new Database(embedded?.address ?? { connectionString: url ?? '' }, 1, createLogger('silent'));
  try {
    return await db.query<Row>(text, values);
  } finally {
    await db.close();
    await embedded?.close();
  }
}
