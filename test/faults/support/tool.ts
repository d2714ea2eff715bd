import { spawn } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

export interface ToolEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  output: string;
}

/** A command of the service, as operators run it. */
export interface Tool {
  ended: Promise<ToolEnd>;
  kill(): Promise<ToolEnd>;
}

/** @param args such as `keys promote k2` */
export function startTool(env: Record<string, string>, ...[name = '', ...args]: string[]): Tool {
  const child = spawn(process.execPath, [join(ROOT, `src/cli/${name}.ts`), ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<ToolEnd>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, output }));
  });
  return {
    ended,
    kill() {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

/** Runs it to its end. @throws when it fails */
export async function runTool(env: Record<string, string>, ...args: string[]): Promise<void> {
  const { code, signal, output } = await startTool(env, ...args).ended;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code ?? signal}:\n${output}`);
}
