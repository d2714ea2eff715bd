import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../time/eventually.ts';
import { startProcess, type TestProcess } from './process.ts';
import type { MeterReading } from './turn-meter.ts';

const { METER_TABLE: table, METER_PROFILE: profiled } = process.env;
/** Only `npm run bench:stalls` measures: tests assert no figures of time. */
const isMeasured = table !== undefined || profiled !== undefined;
/** Units of work that one turn of the event loop may take: 50 milliseconds where a unit takes one. */
const MOST_UNITS = 50;
/** What is measured is never less than what was done, so the least of several counts. */
const TRIES = 5;

/** A measured piece of work. */
interface Turn {
  units: number;
  outcome: string;
  profile: string[];
}

/** How a piece of work ended. */
export interface Ending {
  outcome: string;
  /** The turn of the event loop that took too long, where it is measured. */
  excess: string | undefined;
}

/** Of a test file. */
const readings: string[] = [];

/**
 * Does work of a service's main thread, and with METER_TABLE=1 or METER_PROFILE=1 measures its longest turn: the time for
 * which nobody else is served. It is counted in units of work, whatever the machine does beside it
 * (docs/decisions/0015-main-thread.md). Give {@link env} to the service's process. With METER_PROFILE=1 each reading tells
 * where the time went, and with METER_TABLE=1 all are printed.
 */
export class MainThread {
  readonly #folder = mkdtempSync(join(tmpdir(), 'steward-meter-'));
  #socket: Socket | undefined;

  get env(): Record<string, string> {
    if (!isMeasured) return {};
    return {
      NODE_OPTIONS: `--import=${new URL('turn-meter.ts', import.meta.url).href}`,
      METER_SOCKET: join(this.#folder, 'socket'),
      ...(profiled !== undefined && { METER_PROFILE: profiled }),
    };
  }

  /**
   * Does some work, again if a turn took too long.
   *
   * @param work gives how it ended
   */
  async longestTurn(name: string, work: () => Promise<string>): Promise<Ending> {
    return noted(name, await least(() => this.#read(work)));
  }

  /**
   * Does some work in a new process, and in another one if a turn took too long: what a process does once.
   *
   * @param work gives how it ended
   */
  static async longestFirstTurn(
    name: string,
    env: Record<string, string>,
    work: (steward: TestProcess) => Promise<string>,
  ): Promise<Ending> {
    const read = async () => {
      const mainThread = new MainThread();
      const steward = await startProcess({ ...env, ...mainThread.env, LOG_LEVEL: 'debug' });
      try {
        await eventually(() => steward.output().includes('background work has started'));
        return await mainThread.#read(() => work(steward));
      } finally {
        mainThread.close();
        await steward.kill('SIGKILL');
      }
    };
    return noted(name, await least(read));
  }

  /** Prints the readings of the file, if they are asked for. */
  static print(): void {
    if (table !== undefined) console.log(`units of the longest turn\n${readings.sort().reverse().join('\n')}`);
  }

  close(): void {
    this.#socket?.destroy();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #read(work: () => Promise<string>): Promise<Turn> {
    if (!isMeasured) return { units: 0, outcome: await work(), profile: [] };
    await this.#ask('start');
    const outcome = await work();
    const { longest, unit, profile }: MeterReading = JSON.parse(await this.#ask('stop'));
    return { units: longest / unit, outcome, profile };
  }

  async #ask(word: string): Promise<string> {
    this.#socket ??= createConnection(join(this.#folder, 'socket')).setEncoding('utf8');
    const socket = this.#socket;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let line = '';
    const onData = (text: string) => {
      line += text;
      if (line.endsWith('\n')) resolve(line);
    };
    const onEnd = () => reject(new Error('the service has ended'));
    socket.on('data', onData).once('close', onEnd);
    socket.write(word);
    try {
      return await promise;
    } finally {
      socket.off('data', onData).off('close', onEnd);
    }
  }
}

async function least(read: () => Promise<Turn>): Promise<Turn> {
  let best = await read();
  for (let tries = 1; tries < TRIES && best.units > MOST_UNITS; tries += 1) {
    const turn = await read();
    if (turn.units < best.units) best = turn;
  }
  return best;
}

function noted(name: string, turn: Turn): Ending {
  readings.push([turn.units.toFixed(1).padStart(6), name, turn.outcome, ...turn.profile].join('  '));
  const excess = `${name}: a turn of ${Math.round(turn.units)} units\n${turn.profile.join('\n')}`;
  return { outcome: turn.outcome, excess: turn.units < MOST_UNITS ? undefined : excess };
}
