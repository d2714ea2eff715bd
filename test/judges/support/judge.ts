import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAMS = join(import.meta.dirname, '../node_modules/.bin');
const LIMIT_MS = 110_000;

export interface Verdict {
  code: number | null;
  stdout: string;
  /** Both streams, as a terminal would show them. */
  output: string;
}

/**
 * Runs a program of the judges' own package to its end, in a folder that is removed afterwards: they write results and
 * credentials to the current folder and to HOME.
 *
 * @param heard called with the output so far, whenever there is more
 */
export async function judge(name: 'conformance' | 'mcp-inspector', args: string[], heard?: (output: string) => void): Promise<Verdict> {
  const program = join(PROGRAMS, name);
  if (!existsSync(program)) throw new Error('The judges are not installed: run `npm run test:mcp`.');
  const folder = mkdtempSync(join(tmpdir(), 'steward-judge-'));
  try {
    const env = { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1' };
    const child = spawn(process.execPath, [program, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: LIMIT_MS });
    const verdict: Verdict = { code: null, stdout: '', output: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        if (stream === 'stdout') verdict.stdout += text;
        verdict.output += text;
        heard?.(verdict.output);
      });
    }
    [verdict.code] = await once(child, 'close');
    return verdict;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
