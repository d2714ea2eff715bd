// `npm run test:faults`: real processes, a Postgres and a pgbouncer of its own, emulated providers, and what can go
// wrong with each. Prints a table and exits with 1 if anything was lost. docs/suites.md explains it.
import { parseArgs } from 'node:util';
import { installation, missingPackages } from '../support/processes/debian-packages.ts';
import { clocks } from './clock.ts';
import { disk } from './disk.ts';
import { firstStarts } from './first-start.ts';
import { outages } from './outages.ts';
import { processes } from './processes.ts';
import { providerFaults } from './provider-faults.ts';
import { rewraps } from './rewrap.ts';
import { stops } from './stops.ts';
import { cutAtSteps, killAtSteps } from './strike-steps.ts';
import type { Part, Suite } from './suite.ts';
import { Cluster } from './support/cluster.ts';
import { Random } from './support/random.ts';
import { formatTable, type Row, reasons, summary } from './support/table.ts';

/** Two at a time, since each mostly waits. */
const LANES: Part[][] = [
  [killAtSteps, disk],
  [outages, providerFaults, stops, clocks, processes, cutAtSteps, rewraps, firstStarts],
];

const { values } = parseArgs({ options: { only: { type: 'string' }, rounds: { type: 'string', default: '1' } } });
const seed = wholeNumber('SEED', process.env.SEED ?? String(Math.floor(Math.random() * 2 ** 31)));
const rounds = wholeNumber('--rounds', values.rounds);
const only = values.only === undefined ? undefined : new RegExp(values.only, 'i');
const startedAt = performance.now();
console.log(`SEED=${seed}`);

// Checked before anything is started, rather than by a fault an hour later.
const missing = missingPackages(['postgresql', 'pgbouncer', 'libfaketime']);
if (missing.length > 0) {
  console.error(installation(missing));
  process.exit(1);
}

// Each process and folder has an exit listener.
process.setMaxListeners(0);
// In any case, the table shows the results so far, and the suite's processes end with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupted(new Error(signal)));
for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.once(event, interrupted);

const rows: Row[] = [];
const pending: Promise<void>[] = [];
const cluster = await Cluster.start();
const suite: Suite = {
  random: new Random(seed),
  rounds,
  cluster,
  wants: (name) => only === undefined || only.test(name),
  report(row) {
    rows.push(row);
    console.error(`${seconds()} s  ${row.fault}: ${row.lost.length === 0 ? 'nothing lost' : row.lost.join('; ')}`);
  },
  later(work) {
    // Its rejection is handled when it is awaited.
    work.catch(() => {});
    pending.push(work);
  },
  say: (text) => console.error(text),
};

await Promise.all(
  LANES.map(async (parts) => {
    for (const part of parts) await part(suite).catch((error) => brokeDown(part.name, error));
  }),
);
for (const work of pending) await work.catch((error) => brokeDown('the wait for revocations', error));
if (rows.length === 0) brokeDown('--only', new Error('no fault matches it'));
await cluster.remove();
finish();

/** An error of the suite itself does not prove that nothing was lost. */
function brokeDown(what: string, error: Error): void {
  suite.report({ fault: 'the suite', moment: what, tried: 0, answered: 0, documented: [], lost: [error.message.slice(0, 500)] });
  suite.say(error.stack ?? error.message);
}

function interrupted(error: Error): void {
  brokeDown(`interrupted after ${seconds()} s`, error);
  finish();
}

function finish(): void {
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  console.log(['', formatTable(rows), ...reasons(rows), '', `${summary(rows)} in ${minutes} minutes (SEED=${seed})`].join('\n'));
  process.exit(rows.some(({ lost }) => lost.length > 0) ? 1 : 0);
}

function seconds(): string {
  return ((performance.now() - startedAt) / 1000).toFixed(0);
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error(`${name} is no whole number: ${text}`);
  return Number(text);
}
