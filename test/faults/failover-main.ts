// `npm run test:failover`: three nodes of Postgres under Patroni, whose primary is killed, paused, cut off and demoted
// under traffic. Prints a table, the times without service, and exits with 1 if anything was lost or took too long.
// docs/suites.md explains it.
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { installation, missingPackages } from '../support/processes/debian-packages.ts';
import { FAULTS, type Failover, FailoverSite, OUTAGE_MAX_MS } from './failover.ts';
import { KINDS } from './support/probes.ts';
import { Random } from './support/random.ts';
import { formatTable, type Row, reasons, summary } from './support/table.ts';

const { values } = parseArgs({ options: { only: { type: 'string' }, rounds: { type: 'string', default: '20' } } });
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`SEED=${seed}`);

const missing = missingPackages(['postgresql', 'pgbouncer', 'haproxy', 'patroni', 'etcd-server']);
if (missing.length > 0) {
  console.error(installation(missing));
  process.exit(1);
}
process.setMaxListeners(0);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => finish(new Error(signal)));
for (const event of ['uncaughtException', 'unhandledRejection'] as const) process.once(event, finish);

/** Of each program, after a loss. */
const LOG_LINES = 400;

const random = new Random(seed);
const only = values.only === undefined ? undefined : new RegExp(values.only, 'i');
const rows: Row[] = [];
const failovers: Failover[] = [];
const startedAt = performance.now();
const say = (text: string) => console.error(`${((performance.now() - startedAt) / 1000).toFixed(0)} s  ${text}`);
const report = (row: Row) => {
  rows.push(row);
  say(`${row.fault} ${row.moment}: ${row.lost.length === 0 ? 'nothing lost' : row.lost.join('; ')}`);
  if (row.lost.length === 0) return;
  for (const { output } of site.stage.replicas) say(output.split('\n').slice(-LOG_LINES).join('\n'));
  say(site.cluster.logs(LOG_LINES));
};

const site = await FailoverSite.open();
const possible = FAULTS.filter(
  ({ name }) => (only === undefined || only.test(name)) && (site.cluster.canCut || name !== 'primary cut off'),
);
if (!site.cluster.canCut) say('skipped: primary cut off, which needs root and network namespaces');
for (const fault of shuffled(Array.from({ length: Number(values.rounds) }, (_, round) => possible[round % possible.length]))) {
  if (fault === undefined) break;
  const failover = await site.round({ random, report, wants: () => true }, fault, OUTAGE_MAX_MS);
  if (failover === undefined) continue;
  failovers.push(failover);
  const times = KINDS.map((kind) => `${kind} ${seconds(failover.outage[kind])}`).join(', ');
  say(
    `  outage: ${times}; longest response ${seconds(failover.longestMs)}; rejoined after ${seconds(failover.rejoinedMs)}; load ${loadavg()[0]?.toFixed(1)}; ${JSON.stringify(failover.errors)}`,
  );
}
await site.close({ say });
finish();

function shuffled<Value>(given: Value[]): Value[] {
  return given
    .map((value) => ({ value, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}

function finish(error?: Error): void {
  if (error !== undefined) say(error.stack ?? error.message);
  console.log(['', formatTable(rows), ...reasons(rows), '', ...recovery(), '', `${summary(rows)} (SEED=${seed})`].join('\n'));
  process.exit(error !== undefined || rows.some(({ lost }) => lost.length > 0) ? 1 : 0);
}

/** Median, minimum and maximum of the times without service, by fault and kind. */
function recovery(): string[] {
  return FAULTS.flatMap(({ name }) => {
    const rounds = failovers.filter(({ fault }) => fault === name);
    const all = KINDS.map((kind) => `${kind} ${spread(rounds.map(({ outage }) => outage[kind]))}`);
    return rounds.length === 0 ? [] : [`${name} (${rounds.length}), without success for: ${all.join(', ')}`];
  });
}

function spread(times: number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const [median = 0, least = 0, most = 0] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[0], sorted.at(-1)];
  return `${seconds(median)} (${seconds(least)}–${seconds(most)})`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
