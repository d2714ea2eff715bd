import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUNDLE } from '../scripts/bundle.ts';
import { getRequest, type LoadClient } from './load.ts';
import { SERVICE, startServer } from './processes.ts';
import type { Stage } from './stage.ts';

const LOAD_MS = 8_000;
const SHOWN = 15;
const BUNDLED = new URL(`../${BUNDLE}/`, import.meta.url).href;
/** Lines of the bundle's files. */
const bundled = new Map<string, string[]>();
/** Idle time, and samples without a function. */
const IDLE = new Set(['(idle)', '(root)', '(program)']);

/** The part of a .cpuprofile file that is read here; see the DevTools protocol, Profiler.Profile. */
interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  /** Microseconds since the sample before. */
  timeDeltas: number[];
}

/**
 * Runs the service again under Node's profiler, and prints its own time by function.
 *
 * @param path put under load; undefined = the start alone
 */
export async function profileService(stage: Stage, client: LoadClient, path: string | undefined): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'steward-profile-'));
  try {
    const nodeOptions = ['--cpu-prof', `--cpu-prof-dir=${directory}`];
    await runProfiled(stage, client, nodeOptions, path);
    const [file] = readdirSync(directory).filter((name) => name.endsWith('.cpuprofile'));
    if (file === undefined) throw new Error('Node wrote no profile');
    return describe(JSON.parse(readFileSync(join(directory, file), 'utf8')) as CpuProfile);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The profile is written when the process ends. */
async function runProfiled(stage: Stage, client: LoadClient, nodeOptions: string[], path: string | undefined): Promise<void> {
  await using service = await startServer(SERVICE, stage.serviceEnv, nodeOptions);
  if (path === undefined) return;
  await client.forTime(service.port, [getRequest(path, await stage.signIn())], LOAD_MS);
}

function describe(profile: CpuProfile): string {
  const frames = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  const byModule = new Map<string, number>();
  let total = 0;
  profile.samples.forEach((id, index) => {
    const frame = frames.get(id);
    if (frame === undefined || IDLE.has(frame.functionName)) return;
    const time = profile.timeDeltas[index] ?? 0;
    total += time;
    const name = moduleOf(frame);
    byModule.set(name, (byModule.get(name) ?? 0) + time);
  });
  const rows = [...byModule].sort(([, a], [, b]) => b - a).slice(0, SHOWN);
  return rows.map(([name, time]) => `${((time / total) * 100).toFixed(1).padStart(6)} %  ${name}`).join('\n');
}

/** The package, the file of ours, or the part of Node that a function belongs to. */
function moduleOf({ url, functionName, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  if (url === '') return `native ${functionName}`;
  if (url.startsWith('node:')) return url;
  const path = url.startsWith(BUNDLED) ? bundledAt(fileURLToPath(url), lineNumber) : url;
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path.slice(path.lastIndexOf('src/'));
}

/** The module of the bundle that has this line, counted from 0: the bundler writes its path above it. */
function bundledAt(file: string, line: number): string {
  const lines = bundled.get(file) ?? readFileSync(file, 'utf8').split('\n');
  bundled.set(file, lines);
  const heading = lines.slice(0, line + 1).findLast((text) => /^\/\/ (src|node_modules)\//.test(text));
  return heading?.slice('// '.length) ?? file;
}
