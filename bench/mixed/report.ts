import type { GrowthRow } from './growth.ts';
import type { Plan } from './plans.ts';
import type { TrafficResult } from './traffic.ts';
import type { WorkspaceStandIn } from './workspace-stand-in.ts';

/** Resident memory at the end over that at the beginning. */
const FLAT_MEMORY = 1.15;
/** Processor time of a request among the most users over that among the fewest. */
const FLAT_COST = 1.25;

/** Throughput, percentiles and errors of each kind, then what must hold of the whole. */
export function trafficTable(result: TrafficResult, standIn: WorkspaceStandIn, auditRows: number): string {
  const { kinds, callsAnswered, elapsedMs, cpuMs, memoryMb } = result;
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
  const growth = memoryMb.end / memoryMb.start;
  return [
    table([['', 'a second', 'p50, ms', 'p99, ms', 'errors'], ...rows]),
    `${Math.round((answered / elapsedMs) * 1000)} requests and calls a second; the service used ${(cpuMs / elapsedMs).toFixed(2)} processors`,
    `refreshes ${standIn.refreshes}, each with strict rotation; refused by the provider: ${standIn.refused} ${goal(standIn.refused === 0, '0')}`,
    `errors: ${errors} ${goal(errors === 0, '0')}${all.flatMap(({ firstError }) => (firstError === undefined ? [] : `\n  ${firstError}`)).join('')}`,
    `calls answered: ${callsAnswered}, in the audit log: ${auditRows} ${goal(auditRows >= callsAnswered, 'none missing')}`,
    `memory: ${memoryMb.start.toFixed(0)} MB at the start, ${memoryMb.end.toFixed(0)} MB at the end, × ${growth.toFixed(2)} ${goal(growth <= FLAT_MEMORY, `at most × ${FLAT_MEMORY}`)}`,
    '',
  ].join('\n');
}

/** Processor time a request, of service and database together, by number of users. */
export function growthTable(rows: readonly GrowthRow[]): string {
  const names = Object.keys(rows[0]?.cost ?? {}) as (keyof GrowthRow['cost'])[];
  const lines = rows.map(({ users, cost }) => [users.toLocaleString('en-GB'), ...names.map((name) => `${cost[name].toFixed(0)} µs`)]);
  const ratios = names.map((name) => (rows.at(-1)?.cost[name] ?? Number.NaN) / (rows[0]?.cost[name] ?? Number.NaN));
  const last = ratios.map((ratio) => `× ${ratio.toFixed(2)} ${goal(ratio <= FLAT_COST, `≤ ${FLAT_COST}`)}`);
  return `${table([['users', ...names], ...lines, ['last over first', ...last]])}\n`;
}

/** Each statement with the indexes that it uses; whole readings of big tables stand out. */
export function plansTable(plans: readonly Plan[]): string {
  const scans = plans.filter(({ scanned }) => scanned.length > 0);
  const lines = plans.map(({ statement, indexes, scanned }) => {
    const reads = scanned.map((name) => `READS ALL OF ${name}`);
    return `${statement}\n    ${[...reads, ...indexes].join(', ') || 'no table of any size'}`;
  });
  return [
    ...lines,
    `${plans.length} statements; big tables read from end to end: ${scans.length} ${goal(scans.length === 0, '0')}`,
    '',
  ].join('\n');
}

/** Sets the exit code where a goal is missed: this suite, unlike the ratios of `npm run bench`, has goals that noise doesn't decide. */
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
