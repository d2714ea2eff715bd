import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { BUNDLE, writeBundle } from '../scripts/bundle.ts';

const ROOT = join(import.meta.dirname, '..');
/** What the production image starts: see {@link writeService}. */
export const SERVICE = `${BUNDLE}/start.js`;
/** The options of Node in that image, under which its compiled code is stored. */
const NODE_OPTIONS = /^ENV NODE_OPTIONS=(.+)$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1];
if (NODE_OPTIONS === undefined) throw new Error('the Dockerfile no longer sets NODE_OPTIONS');
/** Inside node_modules, so that packages are found from there. */
const PLAIN = join(ROOT, 'node_modules/.cache/bench');

const READY_MS = 30_000;
const PROBE_MS = 20;
/** Clock ticks of /proc/<pid>/stat; 100 a second on every Linux that Node runs on. */
const TICK_MS = 10;

/** A server in a separate process. */
export interface Running {
  pid: number;
  port: number;
  /** Processor time used so far, milliseconds. */
  cpuMs(): number;
  /** Resident memory, MB of 10⁶ bytes. */
  residentMb(): number;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Writes the bundle and stores its compiled code, as the build of the production image does. */
export async function writeService(): Promise<void> {
  await writeBundle();
  rmSync(join(ROOT, 'node_modules/.cache/steward'), { recursive: true, force: true });
  const { status } = spawnSync(process.execPath, [`${BUNDLE}/warm-module-cache.js`], {
    cwd: ROOT,
    env: { NODE_OPTIONS },
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('the compiled code could not be stored');
}

/** A reference as plain JavaScript: stripping types at its start would favour the service. */
export function plainReference(name: string): string {
  const source = readFileSync(join(import.meta.dirname, `${name}.ts`), 'utf8');
  const file = join(PLAIN, `${name}.mjs`);
  mkdirSync(PLAIN, { recursive: true });
  writeFileSync(file, stripTypeScriptTypes(source));
  return file;
}

/**
 * Starts a server whose output goes to /dev/null, so that reading it is not part of what is
 * measured, and waits until it responds.
 */
export async function startServer(file: string, env: Record<string, string>, nodeOptions: string[] = []): Promise<Running> {
  const port = await freePort();
  const child = run(file, { ...env, PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` }, 'ignore', nodeOptions);
  await untilReady(child, port);
  const pid = child.pid as number;
  return {
    pid,
    port,
    cpuMs: () => cpuMs(pid),
    residentMb: () => residentMb(pid),
    [Symbol.asyncDispose]: () => stop(child),
  };
}

/** Time from the start of a server's process to the line on its standard output that says `ready`, milliseconds. */
export async function timeToReady(file: string, env: Record<string, string>): Promise<number> {
  const before = performance.now();
  const child = run(file, { ...env, PORT: '0', PUBLIC_URL: 'http://127.0.0.1:1' }, 'pipe');
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    if (!line.includes('"ready"')) continue;
    const elapsed = performance.now() - before;
    await stop(child);
    return elapsed;
  }
  throw new Error(`${file} ended before it was ready`);
}

/** A child gets the variables that it needs, without the caller's environment, which would change the figures. */
function run(file: string, env: Record<string, string>, output: 'ignore' | 'pipe', nodeOptions: string[] = []): ChildProcess {
  return spawn(process.execPath, [...nodeOptions, file], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', TZ: 'UTC', ...(!file.startsWith(PLAIN) && { NODE_OPTIONS }), ...env },
    stdio: ['ignore', output, 'inherit'],
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.stdout?.resume();
  child.kill('SIGTERM');
  await ended;
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  const deadline = Date.now() + READY_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`a server ended with ${child.exitCode} before it was ready`);
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
    if (response?.status === 200) return;
    await sleep(PROBE_MS);
  }
  await stop(child);
  throw new Error('a server was not ready in time');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

/**
 * Processor time that a process has used, milliseconds; proc(5): after the command's closing bracket, utime and stime
 * are the 12th and 13th fields.
 */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function residentMb(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kibibytes) * 1024) / 1e6;
}
