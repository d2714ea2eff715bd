import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installation } from '../../support/processes/debian-packages.ts';
import { removeFolder } from './remove-folder.ts';

const POSTGRES_ROOT = '/usr/lib/postgresql';

/** Postgres and pgbouncer refuse to run as root: Debian's packages bring a user for them. */
export function unprivileged(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** A temporary folder that belongs to {@link unprivileged}; it is removed with the suite, however that ends. */
export function folderFor(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `steward-faults-${name}-`));
  process.once('exit', () => removeFolder(folder));
  const { uid, gid } = unprivileged();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

/** A program of Debian's postgresql package; the newest version installed. @throws when there is none */
export function postgresProgram(name: string): string {
  const versions = existsSync(POSTGRES_ROOT) ? readdirSync(POSTGRES_ROOT).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions.map((version) => join(POSTGRES_ROOT, version, 'bin', name)).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`there is no ${name}. ${installation(['postgresql'])}`);
  return found;
}

/** Starts a server for the suite; it ends with the suite, however that ends. */
export function startServer(program: string, args: string[], folder: string): ChildProcess {
  const child = spawn(program, args, { ...unprivileged(), cwd: folder, stdio: 'ignore' });
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  return child;
}

/** Sends a signal to a process and its children: SIGSTOP to Postgres alone would not stop its back ends. */
export function signalFamily(pid: number, signal: NodeJS.Signals): void {
  const children = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  for (const each of [pid, ...children.trim().split(/\s+/).map(Number)]) {
    try {
      process.kill(each, signal);
    } catch {
      // It has exited meanwhile.
    }
  }
}
