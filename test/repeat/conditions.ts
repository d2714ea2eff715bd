import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { installation, missingPackages, programOf } from '../support/processes/debian-packages.ts';
import { startClockedPostgres } from './clocked-postgres.ts';

export const KINDS = ['plain', 'loaded', 'zone', 'month-end'] as const;
export type Kind = (typeof KINDS)[number];

/** What differs in a run. */
export interface Conditions {
  /** In words, for the table. */
  note: string;
  env: Record<string, string>;
  /** Of Vitest. */
  args: string[];
  remove(): Promise<void>;
}

/** The first to have a new day, 14 hours ahead of UTC. */
const ZONE = 'Pacific/Kiritimati';
const BUSY_LOOPS = 2;
/** A loop that ends with its parent, however that ends. */
const BUSY_LOOP = 'const parent = process.ppid; while (process.ppid === parent);';
/** How long after the start of a run its clock is at 23:59:50: while it begins, and while tests run. */
const SECONDS_BEFORE = [0, 20, 60, 120, 180];

export function isKind(name: string): name is Kind {
  return KINDS.some((kind) => kind === name);
}

/** Installs what is missing, as .ci/run does. @throws Error where that needs root */
export function prepare(kinds: readonly Kind[]): void {
  const missing = kinds.includes('month-end') ? missingPackages(['libfaketime', 'datefudge', 'postgresql']) : [];
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0) throw new Error(installation(missing));
  const apt = (...args: string[]) =>
    execFileSync('apt-get', [...args, '-qq'], { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  apt('update');
  apt('install', '-y', '--no-install-recommends', ...missing);
}

/** @param number which run of its kind, from 1 */
export async function provideFor(kind: Kind, number: number, seed: number): Promise<Conditions> {
  const none = { note: '', env: {}, args: [], remove: async () => {} };
  if (kind === 'loaded') return { ...none, remove: startLoops() };
  const shuffled = ['--sequence.shuffle.files', `--sequence.seed=${seed}`];
  if (kind === 'zone') return { ...none, note: `${ZONE}, shuffled`, env: { TZ: ZONE }, args: shuffled };
  if (kind === 'month-end') return atMonthEnd(number);
  return none;
}

function startLoops(): () => Promise<void> {
  const loops: ChildProcess[] = [];
  for (let count = 0; count < BUSY_LOOPS; count += 1) loops.push(spawn(process.execPath, ['-e', BUSY_LOOP], { stdio: 'ignore' }));
  return async () => {
    for (const loop of loops) loop.kill('SIGKILL');
  };
}

/**
 * The clock of every process, Postgres included, goes as fast as the machine's, and that of durations stays. A later run
 * is in a later month, so that they differ in length.
 */
async function atMonthEnd(number: number): Promise<Conditions> {
  const clock = {
    LD_PRELOAD: programOf('libfaketime'),
    DONT_FAKE_MONOTONIC: '1',
    // Names in shared memory would outlast a process that is killed.
    FAKETIME_DISABLE_SHM: '1',
  };
  const now = new Date();
  const lastSeconds = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + number, 1) - 10_000;
  const before = SECONDS_BEFORE[(number - 1) % SECONDS_BEFORE.length] ?? 0;
  // Postgres starts meanwhile; a second more or less is no matter.
  const startSeconds = 5;
  const offset = Math.round((lastSeconds - now.getTime()) / 1000) - before - startSeconds;
  const env = { ...clock, FAKETIME: offset < 0 ? String(offset) : `+${offset}` };
  const { url, remove } = await startClockedPostgres(offset);
  const note = `${new Date(lastSeconds).toISOString().slice(0, 19)} after ${before} s`;
  return { note, env: { ...env, TEST_DATABASE_URL: url }, args: [], remove };
}
