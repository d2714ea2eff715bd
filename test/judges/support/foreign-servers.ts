import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHROMIUM } from '../../support/browser/page.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { eventually } from '../../support/time/eventually.ts';

const PROGRAMS = join(import.meta.dirname, '../node_modules/.bin');
const START_MS = 60_000;

/** Names of servers of others, which the judges' package installs. */
export type ForeignName = 'everything' | 'playwright' | 'memory' | 'filesystem';

export interface ForeignServer {
  /** Address of its endpoint. */
  url: string;
  /** It may read files here. */
  folder: string;
  stop(): Promise<void>;
}

/** Starts a server that speaks Streamable HTTP, or a bridge to one that speaks over its standard streams. */
export async function startForeign(name: ForeignName): Promise<ForeignServer> {
  const folder = mkdtempSync(join(tmpdir(), 'steward-foreign-'));
  writeFileSync(join(folder, 'note.txt'), 'The key is under the mat.');
  const port = await freePort();
  const [program, ...args] = commandOf(name, port, folder);
  const env = { PATH: process.env.PATH, HOME: folder, PORT: String(port), MEMORY_FILE_PATH: join(folder, 'memory.jsonl') };
  // A group of its own: a bridge and a browser have processes of theirs.
  const child = spawn(process.execPath, [join(PROGRAMS, program), ...args], { cwd: folder, env, stdio: 'ignore', detached: true });
  const ended = once(child, 'exit');
  const stop = async () => {
    end(child);
    await ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await eventually(() => listens(port), START_MS);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url: `http://localhost:${port}/mcp`, folder, stop };
}

function commandOf(name: ForeignName, port: number, folder: string): [string, ...string[]] {
  const listen = ['--port', String(port)];
  const bridged = (...command: string[]): [string, ...string[]] => {
    const stdio = [process.execPath, ...command].join(' ');
    return ['supergateway', '--stdio', stdio, '--outputTransport', 'streamableHttp', '--stateful', ...listen];
  };
  switch (name) {
    case 'everything':
      return ['mcp-server-everything', 'streamableHttp'];
    case 'playwright':
      return ['playwright-mcp', ...listen, '--headless', '--executable-path', CHROMIUM, '--no-sandbox'];
    case 'memory':
      return bridged(join(PROGRAMS, 'mcp-server-memory'));
    case 'filesystem':
      return bridged(join(PROGRAMS, 'mcp-server-filesystem'), folder);
  }
}

async function listens(port: number): Promise<boolean> {
  const response = await fetch(`http://localhost:${port}/mcp`, { method: 'OPTIONS' });
  await response.body?.cancel();
  return true;
}

function end({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}
