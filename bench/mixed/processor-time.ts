import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import type { Running } from '../processes.ts';

/** Processor time used so far, nanoseconds. */
export interface ProcessorTime {
  service: number;
  /** By process id, for each database process that serves it. */
  database: Map<number, number>;
}

/** Of the service, and of the database processes that serve it, which must run on this machine. */
export async function readProcessorTime(server: Running, database: pg.Client): Promise<ProcessorTime> {
  const { rows } = await database.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name = 'steward'`,
  );
  return { service: ofThreads(server.pid) ?? 0, database: new Map(rows.map(({ pid }) => [pid, ofThreads(pid) ?? 0])) };
}

/**
 * Difference of two readings, nanoseconds. A database process that has begun meanwhile counts from its start;
 * one that has ended was idle for half a minute before, and is not counted.
 */
export function between(before: ProcessorTime, after: ProcessorTime): { service: number; database: number } {
  const used = [...after.database].map(([pid, now]) => Math.max(now - (before.database.get(pid) ?? 0), 0));
  return { service: after.service - before.service, database: used.reduce((sum, one) => sum + one, 0) };
}

/** Time during which a process's main thread waited for a processor, milliseconds: schedstat's second number. */
export function waitedMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}

/**
 * The first number of each thread's schedstat: nanoseconds on a processor, where /proc/<pid>/stat counts ticks of 10 ms.
 *
 * @returns undefined when the process has just ended
 */
function ofThreads(pid: number): number | undefined {
  const tasks = `/proc/${pid}/task`;
  try {
    return readdirSync(tasks).reduce((sum, thread) => sum + Number(readFileSync(`${tasks}/${thread}/schedstat`, 'utf8').split(' ')[0]), 0);
  } catch {
    return undefined;
  }
}
