// `npm run test:faults`: real processes, a Postgres and a pgbouncer of its own, stand-ins for providers, and what can go
// wrong with each. Prints a table and ends with 1 when anything was lost. docs/faults.md says how to read it.
import { parseArgs } from 'node:util';
import { clocks } from './clock.ts';
import { disk } from './disk.ts';
import { outages } from './outages.ts';
import { providerFaults } from './provider-faults.ts';
import { rewraps } from './rewrap.ts';
import { stops } from './stops.ts';
import { strikeSteps } from './strike-steps.ts';
import type { Part, Suite } from './suite.ts';
import { Cluster } from './support/cluster.ts';
import { Random } from './support/random.ts';
import { formatTable, type Row, summary } from './support/table.ts';

/** Two at a time, since each waits more than it works. */
const LANES: Part[][] = [
  [strikeSteps, rewraps, disk],
  [outages, providerFaults, stops, clocks],
];

const { values } = parseArgs({ options: { only: { type: 'string' }, rounds: { type: 'string', default: '1' } } });
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const only = values.only === undefined ? undefined : new RegExp(values.only, 'i');
const startedAt = performance.now();
console.log(`SEED=${seed}`);

// What the suite has started ends with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const rows: Row[] = [];
const pending: Promise<void>[] = [];
const suite: Suite = {
  random: new Random(seed),
  rounds: Number(values.rounds),
  cluster: await Cluster.start(),
  wants: (name) => only === undefined || only.test(name),
  report(row) {
    rows.push(row);
    console.error(
      `${((performance.now() - startedAt) / 1000).toFixed(0)} s  ${row.fault}: ${row.lost.length === 0 ? 'nothing lost' : row.lost.join('; ')}`,
    );
  },
  later(work) {
    // Its failure is looked at when it is awaited.
    work.catch(() => {});
    pending.push(work);
  },
  say: (text) => console.error(text),
};

try {
  await Promise.all(
    LANES.map(async (parts) => {
      for (const part of parts) await part(suite).catch(breakdown);
    }),
  );
  for (const work of pending) await work.catch(breakdown);
} finally {
  await suite.cluster.remove();
}
console.log(
  `\n${formatTable(rows)}\n\n${summary(rows)} in ${((performance.now() - startedAt) / 60_000).toFixed(1)} minutes (SEED=${seed})`,
);
process.exit(rows.some(({ lost }) => lost.length > 0) ? 1 : 0);

/** What the suite itself could not go on with is no proof that nothing was lost. */
function breakdown(error: Error): void {
  suite.report({ fault: 'the suite', moment: 'broke down', tried: 0, answered: 0, documented: [], lost: [error.message.slice(0, 500)] });
  suite.say(error.stack ?? error.message);
}
