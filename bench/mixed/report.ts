import { median } from '../figures.ts';
import type { Cost, GrowthRow, Operation } from './growth.ts';
import type { Latencies } from './latencies.ts';
import type { Plan } from './plans.ts';
import type { StatementCost } from './statement-costs.ts';
import type { TrafficResult } from './traffic.ts';

/** Memory at the end over that at the beginning. */
const FLAT_LIVE_MEMORY = 1.1;
const FLAT_RESIDENT_MEMORY = 1.15;
/** Processor time of a request among the most users over that among the fewest. */
const FLAT_COST = 1.25;

/** Throughput, percentiles and errors of each kind, then what must hold of the whole. */
export function trafficTable(result: TrafficResult): string {
  const { kinds, callsAnswered, auditRows, elapsedMs, cpuMs, waitedMs, memory, provider } = result;
  const rows = Object.entries(kinds).map(([kind, latencies]) => [
    kind,
    ((latencies.milliseconds.length / elapsedMs) * 1000).toFixed(1),
    latencies.percentile(0.5).toFixed(1),
    latencies.percentile(0.99).toFixed(1),
    String(latencies.errors),
  ]);
  const all = Object.values(kinds);
  const answered = all.reduce((sum, { milliseconds }) => sum + milliseconds.length, 0);
  const errors = all.reduce((sum, latencies) => sum + latencies.errors, 0);
  return [
    table([['', 'a second', 'p50, ms', 'p99, ms', 'errors'], ...rows]),
    `${Math.round((answered / elapsedMs) * 1000)} requests and calls a second; the service used ${(cpuMs / elapsedMs).toFixed(2)} processors, and waited for one ${((100 * waitedMs) / elapsedMs).toFixed(0)} % of the time`,
    `refreshes ${provider.refreshes}, each with strict rotation; refused by the provider: ${provider.refused} ${goal(provider.refused === 0, '0')}; come too late: ${provider.late}`,
    `errors: ${errors} ${goal(errors === 0, '0')}${all.flatMap(({ firstError }) => (firstError === undefined ? [] : `\n  ${firstError}`)).join('')}`,
    `calls answered: ${callsAnswered}, in the audit log: ${auditRows} ${goal(auditRows >= callsAnswered, 'none missing')}`,
    `memory without garbage: ${change(memory.start.live, memory.end.live, FLAT_LIVE_MEMORY)}`,
    `memory resident: ${change(memory.start.resident, memory.end.resident, FLAT_RESIDENT_MEMORY)}`,
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
