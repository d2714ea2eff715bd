import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');
const READY = /^Steward is ready at|"msg":"ready"/m;
const KEPT_OUTPUT = 200_000;
const STARTS_MAX = 5;
/** A limit for what never happens: the embedded database takes minutes on a busy machine. */
const READY_MS = 600_000;

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A process of the service, started as users do, at an address that survives it. */
export class Replica {
  readonly url: string;
  readonly #env: Record<string, string>;
  #child: ChildProcess | undefined;
  #output = '';
  #ended: Promise<Ended> | undefined;

  constructor(port: number, env: Record<string, string>) {
    this.url = `http://127.0.0.1:${port}`;
    this.#env = { ...env, PORT: String(port) };
  }

  /**
   * Resolves when it is ready. On a busy machine the database may respond too late: as a supervisor would, it starts
   * the process again.
   *
   * @throws when it exits instead, with its output
   */
  async start(changed: Record<string, string> = {}): Promise<void> {
    for (let starts = 1; ; starts += 1) {
      try {
        return await this.#startOnce(changed);
      } catch (error) {
        if (starts === STARTS_MAX || !this.output.includes('The database can’t be reached')) throw error;
      }
    }
  }

  async #startOnce(changed: Record<string, string>): Promise<void> {
    const begun = this.begin(changed);
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`not ready after ${READY_MS} ms:\n${this.output}`)), READY_MS);
    try {
      const ended = await Promise.race([begun, this.ended, late]);
      if (ended !== undefined) throw new Error(`ended with ${ended.code ?? ended.signal} instead of getting ready:\n${this.output}`);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Starts it and doesn't wait. @returns resolves when it is ready */
  begin(changed: Record<string, string> = {}): Promise<void> {
    const env = { PATH: process.env.PATH ?? '', ...this.#env, ...changed };
    const child = spawn(process.execPath, [join(ROOT, 'src/start.js')], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const endWithSuite = () => child.kill('SIGKILL');
    process.once('exit', endWithSuite);
    this.#child = child;
    this.#output = '';
    this.#ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        process.off('exit', endWithSuite);
        resolve({ code, signal });
      });
    });
    return new Promise((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          this.#output = (this.#output + text).slice(-KEPT_OUTPUT);
          if (READY.test(this.#output)) resolve();
        });
      }
    });
  }

  get ended(): Promise<Ended> {
    return this.#ended ?? Promise.resolve({ code: null, signal: null });
  }

  get output(): string {
    return this.#output;
  }

  get running(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async kill(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.#child?.kill(signal);
    return this.ended;
  }

  /** Pauses or resumes it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal);
  }

  /** Limits the number of further files that it can open. @returns removes the limit */
  limitFiles(more: number): () => void {
    const pid = String(this.#child?.pid);
    const [, soft = '', hard = ''] = /^Max open files\s+(\d+)\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8')) ?? [];
    const set = (limit: string) => execFileSync('prlimit', ['--pid', pid, `--nofile=${limit}:${hard}`]);
    set(String(this.usage().files + more));
    return () => set(soft);
  }

  /** Resident memory in MB of 10⁶ bytes, and open files. */
  usage(): { memory: number; files: number } {
    const proc = `/proc/${this.#child?.pid}`;
    const kilobytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`${proc}/status`, 'utf8'))?.[1]);
    return { memory: Math.round((kilobytes * 1024) / 1e6), files: readdirSync(`${proc}/fd`).length };
  }
}
