import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How a run of test files ended. */
export interface Outcome {
  /** Title of the first test that failed, or what else went wrong; undefined: all passed. */
  noticedBy: string | undefined;
  /** Its file. */
  file: string | undefined;
  /** Files all of whose tests passed. */
  passed: string[];
}

interface Report {
  testResults: { name: string; status: string; message: string; assertionResults: { status: string; fullName: string }[] }[];
}

/** How vitest ended. */
interface Run {
  /** undefined: before it ran a test. */
  report: Report | undefined;
  status: number | null;
  /** The end of its errors. */
  said: string;
  isLate: boolean;
}

const TRIES = 20;
const PAUSE_MS = 30_000;
/** Lower than that of people's programs. */
const PRIORITY = 10;
const SHOWN = 2_000;
const PREFIX = 'steward-mutants-';
/** A killed process may still write there. */
const REMOVAL = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 };

/** A copy of a commit, in which sources are changed while people work on theirs. */
export class Copy {
  readonly folder: string;
  /** Ends the tests that run. */
  #end = () => {};

  constructor(root: string, commit: string) {
    this.folder = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
    process.once('exit', () => {
      this.#end();
      rmSync(this.folder, REMOVAL);
    });
    const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
    execFileSync('tar', ['-x', '-C', this.folder], { input: archive });
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
    mkdirSync(join(this.folder, 'dist'), { recursive: true });
  }

  /** Removes the copies of processes that were killed. */
  static removeOld(): void {
    for (const name of readdirSync(tmpdir()).filter((found) => found.startsWith(PREFIX))) {
      const pid = Number.parseInt(name.slice(PREFIX.length), 10);
      if (!existsSync(`/proc/${pid}`)) rmSync(join(tmpdir(), name), REMOVAL);
    }
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  write(file: string, source: string): void {
    writeFileSync(join(this.folder, file), source);
  }

  /** What `npm run check` notices first of a changed source: a promise that nobody awaits, or a wrong type. */
  checked(file: string): string | undefined {
    const bin = join(this.folder, 'node_modules/.bin');
    const run = (program: string, ...args: string[]) =>
      spawnSync(join(bin, program), args, { cwd: this.folder, stdio: 'ignore' }).status === 0;
    if (!run('biome', 'lint', '--vcs-enabled=false', '--only=nursery/noFloatingPromises', file)) return 'npm run check:lint';
    return run('tsc') ? undefined : 'npm run check:types';
  }

  /**
   * Runs test files in that order, up to the first failure unless `env` has them measured. When none can be run, as without
   * a free connection of Postgres, it is tried again later.
   *
   * @throws Error when no test could be run for long
   */
  async test(files: readonly string[], limitMs: number, env: Record<string, string> = {}): Promise<Outcome> {
    for (let tries = 1; ; tries++) {
      const { report, status, said, isLate } = await this.#run(files, limitMs, env);
      if (isLate) return { noticedBy: 'timed out', file: undefined, passed: [] };
      if (report !== undefined) return this.#outcome(report, status);
      if (tries === TRIES) throw new Error(`no test ran:\n${said}`);
      await sleep(PAUSE_MS);
    }
  }

  async #run(files: readonly string[], limitMs: number, env: Record<string, string>): Promise<Run> {
    const report = join(this.folder, 'dist', 'report.json');
    rmSync(report, { force: true });
    const given = ['run', '--config=test/mutants/vitest.config.ts', '--reporter=json', `--outputFile=${report}`];
    const bail = env.MUTANTS_REACHED === undefined ? ['--bail=1'] : [];
    // A group of its own, with which its workers end too.
    const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...given, ...bail, ...files], {
      cwd: this.folder,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, MUTANTS_FILES: files.join(' '), ...env },
    });
    const { pid } = child;
    if (pid === undefined) throw new Error('vitest could not be started');
    setPriority(pid, PRIORITY);
    this.#end = () => killGroup(pid);
    let [said, isLate] = ['', false];
    child.stderr.on('data', (part) => {
      said = (said + part).slice(-SHOWN);
    });
    const timer = setTimeout(() => {
      isLate = true;
      this.#end();
    }, limitMs);
    const [status] = await once(child, 'close');
    clearTimeout(timer);
    this.#end();
    this.#end = () => {};
    return { isLate, status, said, report: existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined };
  }

  #outcome({ testResults }: Report, status: number | null): Outcome {
    const named = (name: string) => name.slice(this.folder.length + 1);
    const passed = testResults.filter((result) => result.status === 'passed').map(({ name }) => named(name));
    const failed = testResults.find((result) => result.status === 'failed');
    const test = failed?.assertionResults.find((result) => result.status === 'failed');
    const other = failed === undefined ? 'an unhandled error' : failed.message.split('\n', 1)[0];
    const file = failed && named(failed.name);
    return { passed, file, noticedBy: status === 0 ? undefined : (test?.fullName ?? other) };
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
