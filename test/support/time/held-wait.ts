/** Ends a wait of exactly this many milliseconds at SIGUSR2 instead of after the time. */
const HOLD = (milliseconds: number) => `
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
const { promise, resolve } = Promise.withResolvers();
process.once('SIGUSR2', resolve);
const { setTimeout: sleep } = timers;
timers.setTimeout = (milliseconds, ...rest) => (milliseconds === ${milliseconds} ? promise : sleep(milliseconds, ...rest));
syncBuiltinESMExports();`;

/** `NODE_OPTIONS` of a process whose wait of this many milliseconds lasts until the test sends SIGUSR2: its clock can't be advanced. */
export function heldWait(milliseconds: number): { NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(HOLD(milliseconds))}` };
}
