import { execFileSync } from 'node:child_process';

/** Property tests draw from it: the variable SEED, or a number of the commit, so that a run can be repeated. */
export const SEED = Number(process.env.SEED ?? seedOfCommit());

const ANNOUNCED: unique symbol = Symbol.for('steward.tests.seed');

/** Prints the seed once, although each project of a run is set up, and gives it to the workers. */
export function announceSeed(): void {
  const run = globalThis as { [ANNOUNCED]?: boolean };
  if (run[ANNOUNCED] !== true) console.log(`property tests: seed ${SEED} (SEED=${SEED} repeats them)`);
  run[ANNOUNCED] = true;
  process.env.SEED = String(SEED);
}

/** Where there is no repository, it is always the same. */
function seedOfCommit(): number {
  try {
    const commit = execFileSync('git', ['rev-parse', '--short=7', 'HEAD'], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return Number.parseInt(String(commit).slice(0, 7), 16);
  } catch {
    return 1;
  }
}
