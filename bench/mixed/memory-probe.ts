// Loaded into the service before its own code (`--expose-gc --import`): a connection makes it collect its garbage and
// return its memory. Everything else is unchanged.
import { createServer } from 'node:net';

const { gc } = globalThis;
if (gc === undefined) throw new Error('the memory probe needs --expose-gc');
createServer((socket) => {
  gc();
  socket.end(JSON.stringify(process.memoryUsage()));
})
  .listen(process.env.BENCH_MEMORY_SOCKET)
  .unref();
