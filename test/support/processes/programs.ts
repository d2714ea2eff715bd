import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { installation, missingPackages, type Package } from './debian-packages.ts';
import { inheritedEnvironment } from './inherited-environment.ts';

/**
 * Whether tests that need these Debian packages are skipped; a warning names the missing ones.
 *
 * @throws Error on CI, where they must be installed
 */
export function programsMissing(...names: Package[]): boolean {
  const missing = missingPackages(names);
  if (missing.length === 0) return false;
  if (process.env.CI !== undefined) throw new Error(installation(missing));
  console.warn(`Tests are skipped. ${installation(missing)}`);
  return true;
}

/** A program of another project, and its output. */
export class Program {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #output = '';

  /** @param options an unprivileged user where the program does not run as root */
  constructor(path: string, args: string[], options: { env?: Record<string, string>; unprivileged?: boolean } = {}) {
    const nobody = options.unprivileged === true && process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    this.#child = spawn(path, args, { env: { ...inheritedEnvironment(), ...options.env }, stdio: ['ignore', 'pipe', 'pipe'], ...nobody });
    this.#exited = once(this.#child, 'exit');
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (this.#output += text));
  }

  get output(): string {
    return this.#output;
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!this.running) return;
    this.#child.kill(signal);
    await this.#exited;
  }
}
