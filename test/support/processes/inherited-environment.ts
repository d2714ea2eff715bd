import { join } from 'node:path';

/** Processes other than `npm start`, which has its own, load modules from compiled code: that halves the time of a command. */
export const COMPILE_CACHE = { NODE_COMPILE_CACHE: join(import.meta.dirname, '../../../node_modules/.cache/steward-tests-code') };

/** Where programs and temporary files are, and the clock of `npm run test:repeat -- --kind month-end`. */
const NAMES = ['PATH', 'TMPDIR', 'LD_PRELOAD', 'FAKETIME', 'DONT_FAKE_MONOTONIC', 'FAKETIME_DISABLE_SHM', 'NO_FAKE_STAT'];

/** What processes that tests start take over from their environment; everything else is set by the test. */
export function inheritedEnvironment(): Record<string, string> {
  return Object.fromEntries(NAMES.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}
