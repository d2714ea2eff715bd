import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { patiently } from '../time/eventually.ts';
import { COMPILE_CACHE, inheritedEnvironment } from './inherited-environment.ts';

const ROOT = join(import.meta.dirname, '../../..');

export interface CliEnd {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `node src/cli/<name>.ts …` to its end, as `npm run <name> -- …` does. Its environment has only these variables. */
export function runCli(name: string, args: readonly string[], env: Record<string, string>, cwd = ROOT): Promise<CliEnd> {
  const child = spawn(process.execPath, [join(ROOT, `src/cli/${name}.ts`), ...args], {
    cwd,
    env: { ...inheritedEnvironment(), ...COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      printed[stream] += text;
    });
  }
  return new Promise((resolve, reject) => {
    const ended = patiently(() => {
      child.kill('SIGKILL');
      reject(new Error(`${name} ${args[0]} didn’t end. Its errors so far:\n${printed.stderr}`));
    });
    child.once('error', reject);
    child.once('close', (code) => {
      ended();
      resolve({ code, ...printed });
    });
  });
}
