// `npm run test:repeat`: runs `npm test` twenty times, under load, in another zone and at the end of a month, and keeps
// the result in docs/reports/tests.md. It ends with 1 if a test failed. Options, here with their defaults, and files:
//
//   npm run test:repeat -- --kind plain --kind loaded --kind zone --kind month-end --runs 5 -- test/service/bank
//
// A run of chosen kinds replaces their rows; one of chosen files, or of another number, prints the result only.
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { openRunFolder } from '../support/processes/run-folder.ts';
import { isKind, KINDS, type Kind, prepare, provideFor } from './conditions.ts';
import { keep, tableOf } from './report.ts';
import { type Outcome, runSuite } from './suite-run.ts';

const RUNS = 5;

const { values, positionals } = parseArgs({
  options: { kind: { type: 'string', multiple: true, default: [...KINDS] }, runs: { type: 'string', default: String(RUNS) } },
  allowPositionals: true,
});
const kinds = values.kind.map((name): Kind => (isKind(name) ? name : fail(`--kind is one of ${KINDS.join(', ')}`)));
const runs = /^[1-9]\d?$/.test(values.runs) ? Number(values.runs) : fail('--runs is a number from 1 to 99');
const isKept = positionals.length === 0 && runs === RUNS;

// Everything that is started here ends with this process; what a kill leaves, the next run of tests removes.
openRunFolder();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

prepare(kinds);
const commit = execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
const outcomes: Outcome[] = [];
for (const kind of kinds) {
  for (let number = 1; number <= runs; number += 1) {
    const seed = randomInt(2 ** 31);
    const conditions = await provideFor(kind, number, seed);
    try {
      outcomes.push(await runSuite({ kind, number, commit, seed }, conditions, positionals));
    } finally {
      await conditions.remove();
    }
    console.log(tableOf(outcomes.slice(-1)));
    if (isKept) keep(outcomes, runs);
  }
}
console.log(`\n${tableOf(outcomes)}`);
process.exit(outcomes.every(({ isGreen }) => isGreen) ? 0 : 1);

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
