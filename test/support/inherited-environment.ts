/** Where programs and temporary files are, and the clock of `npm run test:repeat -- --kind month-end`. */
const NAMES = ['PATH', 'TMPDIR', 'LD_PRELOAD', 'FAKETIME', 'DONT_FAKE_MONOTONIC', 'FAKETIME_DISABLE_SHM', 'NO_FAKE_STAT'];

/** What processes that tests start take over from their environment; everything else is set by the test. */
export function inheritedEnvironment(): Record<string, string> {
  return Object.fromEntries(NAMES.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}
