import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { registerChild } from './run-folder.ts';

const REGISTERED = Symbol.for('steward.registered');
const worker = globalThis as { [REGISTERED]?: boolean };

// Whatever starts a process here, a library included. Vitest loads this again for each file of a worker.
if (worker[REGISTERED] === undefined) {
  worker[REGISTERED] = true;
  subscribe('child_process', (message) => {
    const { process: child } = message as { process: ChildProcess };
    child.once('spawn', () => child.pid !== undefined && registerChild(child.pid));
  });
}
