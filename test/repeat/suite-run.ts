import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { systemClock } from '../../src/clock/clock.ts';
import type { Conditions, Kind } from './conditions.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Output of the runs, kept until the next time. */
const FOLDER = join(ROOT, 'node_modules/.cache/steward-repeat');
const REPORTERS = ['--reporter=default', '--reporter=json'];
const LIMIT_MS = 45 * 60_000;

interface RunName {
  kind: Kind;
  /** From 1, within the kind. */
  number: number;
  commit: string;
  /** Of the property tests, and of the order of files. */
  seed: number;
}

/** What a run of the suite came to. */
export interface Outcome extends RunName {
  note: string;
  tests: number;
  /** Names of what failed; the log where there is no report. */
  failed: string[];
  isGreen: boolean;
  seconds: number;
  /** Milliseconds by file; a file that ran on both databases has the sum. */
  files: Map<string, number>;
}

/** The part of Vitest's JSON report that is read. */
interface Report {
  success: boolean;
  numTotalTests: number;
  testResults: {
    name: string;
    status: string;
    startTime: number;
    endTime: number;
    assertionResults: { fullName: string; status: string }[];
  }[];
}

/** Runs `npm test` once: of its files, those that `chosen` names, if any. */
export async function runSuite(name: RunName, { note, env, args }: Conditions, chosen: string[]): Promise<Outcome> {
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `${name.kind}-${name.number}`);
  const [log, json] = [`${file}.log`, `${file}.json`];
  rmSync(json, { force: true });
  const output = openSync(log, 'w');
  const startedAt = systemClock.monotonic();
  const suite = suiteOf(chosen);
  const child = spawn(process.execPath, [...suite.args, ...REPORTERS, `--outputFile.json=${json}`, ...args, ...chosen], {
    cwd: ROOT,
    env: { ...process.env, NO_COLOR: '1', ...suite.env, ...env, SEED: String(name.seed) },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const limit = systemClock.after(LIMIT_MS, () => void child.kill('SIGTERM'));
  const [code] = await once(child, 'exit');
  limit.cancel();
  const report = read(json);
  return {
    ...name,
    note,
    tests: report?.numTotalTests ?? 0,
    failed: report === undefined ? [`no report: ${relative(ROOT, log)}`] : failuresOf(report, code),
    isGreen: code === 0 && report?.success === true,
    seconds: Math.round((systemClock.monotonic() - startedAt) / 1000),
    files: durationsOf(report),
  };
}

/** Variables and arguments of `npm test`, with its projects unless others are named. */
function suiteOf(chosen: string[]): { env: Record<string, string>; args: string[] } {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const words = String(scripts.test).split(' ');
  const node = words.indexOf('node');
  const args = words.slice(node + 1);
  return {
    env: Object.fromEntries(words.slice(0, node).map((word) => word.split('=', 2))),
    args: chosen.some((arg) => arg.startsWith('--project')) ? args.filter((word) => !word.startsWith('--project')) : args,
  };
}

function read(json: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(json, 'utf8'));
  } catch {
    return undefined;
  }
}

function failuresOf({ testResults }: Report, code: number | null): string[] {
  const failed = testResults.flatMap(({ name, status, assertionResults }) => {
    const names = assertionResults.filter((test) => test.status === 'failed').map(({ fullName }) => `${relative(ROOT, name)}: ${fullName}`);
    // A hook or an import may fail before a test does.
    return names.length === 0 && status === 'failed' ? [relative(ROOT, name)] : names;
  });
  return failed.length === 0 && code !== 0 ? [`it ended with ${code}`] : failed;
}

function durationsOf(report: Report | undefined): Map<string, number> {
  const files = new Map<string, number>();
  for (const { name, startTime, endTime } of report?.testResults ?? []) {
    const file = relative(ROOT, name);
    files.set(file, (files.get(file) ?? 0) + (endTime - startTime));
  }
  return files;
}
