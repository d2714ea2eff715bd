import { median } from '../figures.ts';
import type { ChangeFigure } from './beside.ts';
import type { Cost, GrowthRow, Operation } from './growth.ts';
import { type Latencies, percentile } from './latencies.ts';
import type { Outcome } from './open-result.ts';
import { clientLag, latenciesOf, type Phase, recoverySeconds, shareOf } from './phases.ts';
import type { Plan } from './plans.ts';
import { LONGEST_STATEMENT, type RowsFigure } from './rows.ts';
import { KINDS, type Kind } from './schedule.ts';
import type { StatementCost } from './statement-costs.ts';
import { shown } from './timed-statements.ts';
import type { Bookkeeping, OpenLoopResult, SoakResult } from './traffic.ts';

/** At half of the capacity: 99th percentile, and its ratio to the reference's; longest stall. */
const HALF_MS = 50;
const HALF_RATIO = 3;
const STALL_MS = 50;
/** Above it: 99th percentile of what is accepted, and of what is refused; then, until all is as before. */
const ACCEPTED_MS = 250;
const REFUSED_MS = 100;
const RECOVERY_SECONDS = 5;
const CLIENT_LAG_MS = 10;
/** Memory at the end over that at the beginning. */
const FLAT_LIVE_MEMORY = 1.1;
const FLAT_RESIDENT_MEMORY = 1.15;
/** Processor time of a request among the most users over that among the fewest. */
const FLAT_COST = 1.25;

/** What must hold of the open loop. */
export function openLoopTable({ capacity, half, over, recovery, bookkeeping }: OpenLoopResult): string {
  const phases = [...half.service, over, recovery];
  const p99s = half.service.map((phase) => percentile(latenciesOf(phase, 'answered'), 0.99));
  const ratios = half.reference.map((phase, round) => (p99s[round] ?? 0) / percentile(latenciesOf(phase, 'answered'), 0.99));
  const stalls = half.service.map(({ delay }) => delay.max);
  const refusals = latenciesOf(over, 'refused');
  const accepted = percentile(latenciesOf(over, 'answered'), 0.99);
  const recovered = recoverySeconds(recovery, ACCEPTED_MS);
  const failed = failures([...half.service, ...half.reference]);
  return [
    `one core carries ${capacity.toFixed(0)} requests a second`,
    table([
      PHASE_HEADER,
      ...half.service.map((phase) => phaseRow('half', phase)),
      ...half.reference.map((phase) => phaseRow('half, reference', phase)),
    ]),
    table([KIND_HEADER, ...KINDS.map((kind) => kindRow(kind, half.service))]),
    `p99 at half: ${spread(p99s, 1)} ms ${goal(median(p99s) <= HALF_MS, `≤ ${HALF_MS} ms`)}`,
    `… over the reference's: ${spread(ratios, 2)} ${goal(median(ratios) <= HALF_RATIO, `≤ ${HALF_RATIO}`)}`,
    `… errors and refusals: ${failed} ${goal(failed === 0, '0')}`,
    `… longest stall of the event loop: ${spread(stalls, 0)} ms ${goal(median(stalls) <= STALL_MS, `≤ ${STALL_MS} ms`)}`,
    table([PHASE_HEADER, phaseRow('over', over), phaseRow('half again', recovery)]),
    `above capacity, accepted: p99 ${accepted.toFixed(0)} ms ${goal(accepted <= ACCEPTED_MS, `≤ ${ACCEPTED_MS} ms`)}`,
    `… refused: ${percentOf(over, 'refused')}, p99 ${percentile(refusals, 0.99).toFixed(0)} ms ${goal(!(percentile(refusals, 0.99) > REFUSED_MS), `≤ ${REFUSED_MS} ms`)}`,
    `… without Retry-After: ${over.result.withoutRetryAfter} ${goal(over.result.withoutRetryAfter === 0, '0')}; other errors: ${latenciesOf(over, 'failed').length} ${goal(latenciesOf(over, 'failed').length === 0, '0')}`,
    `… normal again after ${recovered.toFixed(1)} s ${goal(recovered <= RECOVERY_SECONDS, `≤ ${RECOVERY_SECONDS} s`)}`,
    ...bookkeepingLines(bookkeeping),
    ...clientLines([...phases, ...half.reference]),
    '',
  ].join('\n');
}

/** What a request of each kind costs the service and the database. */
export function statementsTable(costs: readonly StatementCost[]): string {
  const rows = costs.map(({ kind, statements, writes, walBytes, serviceUs, databaseUs }) => [
    kind,
    statements.toFixed(2),
    writes.toFixed(2),
    walBytes.toFixed(0),
    serviceUs.toFixed(0),
    databaseUs.toFixed(0),
  ]);
  return [table([['', 'statements', 'writing transactions', 'WAL, bytes', 'service, µs', 'Postgres, µs'], ...rows]), ''].join('\n');
}

/** What must hold of the soak. */
export function soakTable({ capacity, phase, memory, bookkeeping }: SoakResult): string {
  const failed = failures([phase]);
  return [
    `one core carries ${capacity.toFixed(0)} requests a second; ${(phase.elapsedMs / 60_000).toFixed(1)} minutes at half of it`,
    table([PHASE_HEADER, phaseRow('half', phase)]),
    `errors and refusals: ${failed} ${goal(failed === 0, '0')}`,
    `memory without garbage: ${change(memory.start.live, memory.end.live, FLAT_LIVE_MEMORY)}`,
    `memory resident: ${change(memory.start.resident, memory.end.resident, FLAT_RESIDENT_MEMORY)}`,
    ...bookkeepingLines(bookkeeping),
    ...clientLines([phase]),
    '',
  ].join('\n');
}

const PHASE_HEADER = [
  '',
  'a second',
  'p50, ms',
  'p99',
  'p99.9',
  'longest',
  'refused',
  'failed',
  'processors',
  'waited for one',
  'loop p99, ms',
  'loop longest',
];

function phaseRow(name: string, phase: Phase): string[] {
  const latencies = latenciesOf(phase, 'answered');
  return [
    name,
    phase.perSecond.toFixed(0),
    ...[0.5, 0.99, 0.999, 1].map((share) => percentile(latencies, share).toFixed(1)),
    percentOf(phase, 'refused'),
    String(latenciesOf(phase, 'failed').length),
    phase.processors.toFixed(2),
    `${(100 * phase.waited).toFixed(0)} %`,
    phase.delay.p99.toFixed(1),
    phase.delay.max.toFixed(1),
  ];
}

const KIND_HEADER = ['at half, by kind', 'p50, ms', 'p99', 'longest'];

function kindRow(kind: Kind, phases: readonly Phase[]): string[] {
  const latencies = phases.flatMap((phase) => [...latenciesOf(phase, 'answered', kind)]);
  return [kind, ...[0.5, 0.99, 1].map((share) => percentile(latencies, share).toFixed(1))];
}

function percentOf(phase: Phase, outcome: Outcome): string {
  return `${(100 * shareOf(phase, outcome)).toFixed(1)} %`;
}

function failures(phases: readonly Phase[]): number {
  return phases.reduce((sum, phase) => sum + latenciesOf(phase, 'failed').length + latenciesOf(phase, 'refused').length, 0);
}

/** Median, and from the smallest to the largest. */
function spread(values: readonly number[], digits: number): string {
  const [middle, least, most] = [median(values), Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits));
  return values.length === 1 ? String(middle) : `${middle} (${least} – ${most})`;
}

function bookkeepingLines({ callsAnswered, auditRows, provider }: Bookkeeping): string[] {
  return [
    `refreshes ${provider.refreshes}, each with strict rotation; refused by the provider: ${provider.refused} ${goal(provider.refused === 0, '0')}; come too late: ${provider.late}`,
    `calls answered: ${callsAnswered}, in the audit log: ${auditRows} ${goal(auditRows >= callsAnswered, 'none missing')}`,
  ];
}

/** A client that sends late measures itself. */
function clientLines(phases: readonly Phase[]): string[] {
  const lags = phases.map(clientLag);
  const errors = phases.flatMap(({ result: { firstError } }) => (firstError === undefined ? [] : `  ${firstError}`));
  return [
    `client: due to sent, p99 ${spread(lags, 1)} ms ${goal(Math.max(...lags) <= CLIENT_LAG_MS, `≤ ${CLIENT_LAG_MS} ms, or the run is void`)}`,
    ...errors,
  ];
}

function change(start: number, end: number, bound: number): string {
  const growth = end / start;
  return `${start.toFixed(1)} MB at the start, ${end.toFixed(1)} MB at the end, × ${growth.toFixed(2)} ${goal(growth <= bound, `at most × ${bound}`)}`;
}

/** Processor time a request, of service and database together, by number of users; the ratio is taken round by round. */
export function growthTable({ rows, problems }: { rows: readonly GrowthRow[]; problems: Latencies }): string {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return '';
  const names = Object.keys(first.costs) as Operation[];
  const lines = rows.map(({ users, costs }) => [users.toLocaleString('en-GB'), ...names.map((name) => costCell(costs[name]))]);
  const ratios = names.map((name) => {
    const rounds = last.costs[name].map((cost, round) => total(cost) / total(first.costs[name][round]));
    const ratio = median(rounds);
    const spread = `${Math.min(...rounds).toFixed(2)} – ${Math.max(...rounds).toFixed(2)}`;
    return `× ${ratio.toFixed(2)}, ${spread} ${goal(ratio <= FLAT_COST, `≤ ${FLAT_COST}`)}`;
  });
  const { errors, firstError } = problems;
  return [
    table([['users', ...names], ...lines, ['last over first', ...ratios]]),
    `errors: ${errors} ${goal(errors === 0, '0')}${firstError === undefined ? '' : `\n  ${firstError}`}`,
    '',
  ].join('\n');
}

function costCell(costs: readonly Cost[]): string {
  return `${median(costs.map(total)).toFixed(0)} µs (${median(costs.map(({ database }) => database)).toFixed(0)})`;
}

function total(cost: Cost | undefined): number {
  return cost === undefined ? Number.NaN : cost.service + cost.database;
}

/** Each statement with the indexes that it uses; full scans of large tables are marked. */
export function plansTable(plans: readonly Plan[]): string {
  const scans = plans.filter(({ scanned }) => scanned.length > 0);
  const dear = plans.filter(({ isDear }) => isDear);
  const lines = plans.map(({ statement, indexes, scanned, isDear }) => {
    const faults = [...scanned.map((name) => `READS ALL OF ${name}`), ...(isDear ? ['DEAR'] : [])];
    return `${statement}\n    ${[...faults, ...indexes].join(', ') || 'no table of any size'}`;
  });
  return [
    ...lines,
    `${plans.length} statements; big tables read from end to end: ${scans.length} ${goal(scans.length === 0, '0')}`,
    `worth parallel workers or a compiler to the planner: ${dear.length} ${goal(dear.length === 0, '0')}`,
    '',
  ].join('\n');
}

/** How long others waited because of changes of tables. A change itself may take longer, because nothing waits for it. */
export function changesTable(figures: readonly ChangeFigure[]): string {
  const lines = figures.map(({ change, took, before, meanwhile, slowest }) => [
    change,
    took.toFixed(0),
    before.toFixed(1),
    meanwhile.toFixed(1),
    slowest === undefined ? '' : `${slowest.ms.toFixed(0)} ms: ${shown(slowest)}`,
  ]);
  const most = Math.max(...figures.map(({ meanwhile }) => meanwhile));
  return [
    table([['', 'took, ms', 'others waited before, ms', 'meanwhile', 'longest statement'], ...lines]),
    `others waited at most: ${most.toFixed(1)} ms ${goal(most <= LONGEST_STATEMENT, `≤ ${LONGEST_STATEMENT} ms`)}`,
    '',
  ].join('\n');
}

export function rewrapLine({ keys, seconds }: { keys: number; seconds: number }): string {
  return `npm run keys -- rewrap: ${keys.toLocaleString('en-GB')} keys in ${seconds.toFixed(0)} s, ${(keys / seconds).toFixed(0)} a second\n`;
}

/** The statements of each operation, with the longest of them. */
export function rowsTable(figures: readonly RowsFigure[]): string {
  const lines = figures.map(({ operation, statements, median: middle, longest, total, slowest }) => [
    operation,
    String(statements),
    middle.toFixed(2),
    longest.toFixed(1),
    (total / 1000).toFixed(2),
    slowest,
  ]);
  const most = Math.max(...figures.map(({ longest }) => longest));
  return [
    table([['', 'statements', 'median, ms', 'longest, ms', 'together, s', 'the longest'], ...lines]),
    `longest statement: ${most.toFixed(1)} ms ${goal(most <= LONGEST_STATEMENT, `≤ ${LONGEST_STATEMENT} ms`)}`,
    '',
  ].join('\n');
}

/** Sets the exit code if a goal is missed: unlike the ratios of `npm run bench`, these goals do not depend on noise. */
function goal(met: boolean, text: string): string {
  if (!met) process.exitCode = 1;
  return met ? `(goal ${text}: met)` : `(goal ${text}: NOT MET)`;
}

function table(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) => row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '))
    .join('\n');
}
