import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import carryOut from './worker.ts';

const outcome = await carryOut(workerData);
// Nothing is kept of what a thread has compiled when it is ended, as this one is once it has sent its message.
flushCompileCache();
parentPort?.postMessage(outcome);
