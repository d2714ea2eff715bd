import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Running, SERVICE, startServer } from '../processes.ts';

const BYTES_PER_MB = 1e6;

/** A service whose memory can be read. */
export interface Probed {
  server: Running;
  /**
   * Memory after garbage collection: objects and their buffers, MB of 10⁶ bytes. Resident
   * memory also includes garbage that the engine has not collected yet.
   */
  liveMb(): Promise<number>;
}

export async function startProbed(env: Record<string, string>): Promise<Probed> {
  const path = join(tmpdir(), `steward-bench-${randomUUID()}`);
  const options = ['--expose-gc', '--import', import.meta.resolve('./memory-probe.ts')];
  const server = await startServer(SERVICE, { ...env, BENCH_MEMORY_SOCKET: path }, options);
  const liveMb = async () => {
    const { heapUsed, external } = JSON.parse(await text(connect(path))) as NodeJS.MemoryUsage;
    return (heapUsed + external) / BYTES_PER_MB;
  };
  return { server, liveMb };
}
