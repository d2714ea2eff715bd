// Loaded into a server before its own code (`--expose-gc --import`), everything else is unchanged. A connection that sends
// `memory` makes it collect its garbage and return its memory; `delay` returns how long its event loop was blocked since the
// last such reading.
import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 5;
const NS_PER_MS = 1e6;

const { gc } = globalThis;
if (gc === undefined) throw new Error('the probe needs --expose-gc');
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();

function readMemory(): NodeJS.MemoryUsage {
  gc?.();
  return process.memoryUsage();
}

/** Milliseconds by which a timer was late, at most and in the 99th of a hundred readings. */
function readDelay(): { max: number; p99: number } {
  const late = (nanoseconds: number) => Math.max(nanoseconds / NS_PER_MS - RESOLUTION_MS, 0);
  const reading = { max: late(delay.max), p99: late(delay.percentile(99)) };
  delay.reset();
  return reading;
}

createServer((socket) => {
  socket.once('data', (order) => {
    socket.end(JSON.stringify(String(order) === 'memory' ? readMemory() : readDelay()));
  });
})
  .listen(process.env.BENCH_PROBE_SOCKET)
  .unref();
