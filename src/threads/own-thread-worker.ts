import { parentPort, workerData } from 'node:worker_threads';
import carryOut from './worker.ts';

parentPort?.postMessage(await carryOut(workerData));
