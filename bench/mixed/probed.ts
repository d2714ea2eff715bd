import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Running, startServer } from '../processes.ts';

const BYTES_PER_MB = 1e6;

/** How late the timers of a server were, milliseconds. */
export interface LoopDelay {
  max: number;
  p99: number;
}

/** A server that can be asked for what only its own process knows. */
export interface Probed {
  server: Running;
  /**
   * Memory after garbage collection: objects and their buffers, MB of 10⁶ bytes. Resident
   * memory also includes garbage that the engine has not collected yet.
   */
  liveMb(): Promise<number>;
  /** How long its event loop was blocked since the last such reading. */
  loopDelay(): Promise<LoopDelay>;
}

export async function startProbed(file: string, env: Record<string, string>): Promise<Probed> {
  const path = join(tmpdir(), `steward-bench-${randomUUID()}`);
  const options = ['--expose-gc', '--import', import.meta.resolve('./service-probe.ts')];
  const server = await startServer(file, { ...env, BENCH_PROBE_SOCKET: path }, options);
  const read = async (order: string) => {
    const socket = connect(path);
    socket.write(order);
    return JSON.parse(await text(socket)) as unknown;
  };
  return {
    server,
    liveMb: async () => {
      const { heapUsed, external } = (await read('memory')) as NodeJS.MemoryUsage;
      return (heapUsed + external) / BYTES_PER_MB;
    },
    loopDelay: async () => (await read('delay')) as LoopDelay,
  };
}
