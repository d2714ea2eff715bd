// Preloaded into a service (`--import`): measures the processor time of the turns of its main thread's event loop, on
// request over a Unix socket. See main-thread.ts, and docs/decisions/0015-main-thread.md.
import { Session } from 'node:inspector';
import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/** What a test receives. */
export interface MeterReading {
  /** Processor time of the longest turn, microseconds. */
  longest: number;
  /** Processor time of one unit of work, microseconds. */
  unit: number;
  /** Where the longest turn spent its time, if it was asked for: functions and milliseconds. */
  profile: string[];
}

const { METER_SOCKET: path, METER_PROFILE: profiled } = process.env;
/** Parsing this is one unit of work: about a millisecond. */
const UNIT = JSON.stringify(Array.from({ length: 6_000 }, (_, index) => ({ id: index, name: `item ${index}` })));
/** The clock of a thread may be as coarse as a few milliseconds. */
const UNITS = 20;
const SAMPLES_US = 500;
const SHOWN = 12;

if (isMainThread && path !== undefined) listen(path);

function listen(at: string): void {
  const session = new Session();
  if (profiled !== undefined) {
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: SAMPLES_US });
  }
  const server = createServer((socket) => {
    socket.unref();
    let turns: Turns | undefined;
    socket.on('error', () => {});
    socket.on('data', () => {
      if (turns === undefined) {
        if (profiled !== undefined) session.post('Profiler.start');
        setImmediate(() => {
          turns = new Turns();
          socket.write('started\n');
        });
        return;
      }
      const { longest, from, to } = turns.stop();
      turns = undefined;
      const end = (profile: string[]) => socket.write(`${JSON.stringify({ longest, unit: unitTime(), profile })}\n`);
      if (profiled === undefined) end([]);
      else session.post('Profiler.stop', (_, stopped) => end(functionsOf(stopped?.profile, from, to)));
    });
  });
  server.listen(at).unref();
}

/** Watches each turn of the event loop, which therefore never waits. */
class Turns {
  longest = 0;
  from = 0;
  to = 0;
  #on = true;
  #last = processorTime();
  #at = now();

  constructor() {
    setImmediate(() => this.#turn());
  }

  stop(): this {
    this.#on = false;
    return this;
  }

  #turn(): void {
    if (!this.#on) return;
    const time = processorTime() - this.#last;
    const at = now();
    if (time > this.longest) {
      this.longest = time;
      [this.from, this.to] = [this.#at, at];
    }
    [this.#last, this.#at] = [processorTime(), at];
    setImmediate(() => this.#turn());
  }
}

/** Microseconds that this thread has run for: what other programs do meanwhile doesn't count. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

function now(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

function unitTime(): number {
  const before = processorTime();
  for (let units = 0; units < UNITS; units += 1) JSON.parse(UNIT);
  return (processorTime() - before) / UNITS;
}

interface Profile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number }; children?: number[] | undefined }[];
  startTime: number;
  samples?: number[] | undefined;
  timeDeltas?: number[] | undefined;
}

/** The functions on the stack in a part of a profile, by their own time. */
function functionsOf(profile: Profile | undefined, from: number, to: number): string[] {
  if (profile === undefined) return [];
  const parents = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const times = new Map<string, number>();
  let at = profile.startTime;
  for (const [index, sample] of (profile.samples ?? []).entries()) {
    const delta = profile.timeDeltas?.[index] ?? 0;
    at += delta;
    if (at < from || at > to) continue;
    const stack: string[] = [];
    for (let id: number | undefined = sample; id !== undefined && stack.length < 6; id = parents.get(id)) {
      const frame = nodes.get(id)?.callFrame;
      if (frame !== undefined)
        stack.push(`${frame.functionName || '(anonymous)'}@${frame.url.split('/').slice(-2).join('/')}:${frame.lineNumber + 1}`);
    }
    const key = stack.join(' < ');
    times.set(key, (times.get(key) ?? 0) + delta);
  }
  const sorted = [...times].sort(([, one], [, other]) => other - one);
  return sorted.slice(0, SHOWN).map(([stack, time]) => `${(time / 1_000).toFixed(1)} ms ${stack}`);
}
