import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = /^steward-run-(\d+)-(\d+)$/;
/** Processes that tests started, a line each: number and start. */
const CHILDREN = 'children';

/**
 * Makes the folder of this run, which holds its temporary files: TMPDIR names it to the workers. First it removes what
 * killed runs left: their processes and folders. What the run itself leaves is removed when this process exits. Where
 * there is no /proc, processes of killed runs are left alone.
 */
export function openRunFolder(): void {
  const temporary = tmpdir();
  for (const name of readdirSync(temporary)) {
    const [, pid, start] = NAME.exec(name) ?? [];
    if (pid !== undefined && startOf(pid) !== start) endRun(join(temporary, name));
  }
  const folder = join(temporary, `steward-run-${process.pid}-${startOf(process.pid) ?? 0}`);
  mkdirSync(folder, { recursive: true });
  // Programs of other users have folders in it.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  process.once('exit', () => endRun(folder));
}

/** Notes a process, so that it ends with the run. */
export function registerChild(pid: number): void {
  if (!NAME.test(tmpdir().split('/').at(-1) ?? '')) return;
  appendFileSync(join(tmpdir(), CHILDREN), `${pid} ${startOf(pid)}\n`);
}

function endRun(folder: string): void {
  for (const pid of processesOf(folder)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    // A process that was killed a moment ago still wrote there. The next run removes it.
  }
}

/** The registered processes, and their children: those have its TMPDIR. */
function processesOf(folder: string): number[] {
  const registered = new Set(read(join(folder, CHILDREN)).split('\n'));
  const isMarked = (pid: number) =>
    read(`/proc/${pid}/environ`)
      .split('\0')
      .some((variable) => variable === `TMPDIR=${folder}` || variable.startsWith(`TMPDIR=${folder}/`));
  return numbersOfProcesses().filter((pid) => pid !== process.pid && (registered.has(`${pid} ${startOf(pid)}`) || isMarked(pid)));
}

function numbersOfProcesses(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** When a process started, in ticks since the system did: another one with the same number started later. Undefined if it has ended. */
function startOf(pid: number | string): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' ? undefined : fields[18];
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
