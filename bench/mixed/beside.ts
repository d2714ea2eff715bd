import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '../../src/database/database.ts';
import { countStarted, insertAuditRows } from '../../src/executor/audit/audit-repository.ts';
import { createLogger } from '../../src/observability/logger.ts';
import { selectAuditEntries } from '../../src/users/audit-entries-repository.ts';
import { auditRow } from './rows.ts';
import type { TimedStatement } from './timed-statements.ts';

const BEFORE_MS = 5_000;
const PAUSE_MS = 1;
const PAGE = 51;
const BATCH = 16;
const DAY_MS = 86_400_000;

/** A change of the audit log's tables, and how long others waited at most, milliseconds. */
export interface ChangeFigure {
  change: string;
  took: number;
  /** Its longest statement; undefined: they were not timed. */
  slowest: TimedStatement | undefined;
  /** In some seconds before the change. */
  before: number;
  meanwhile: number;
}

/**
 * Clients insert rows, and read pages and rates of a user, one statement after the other, before the change and during it.
 *
 * @param work the change; returns its statements
 */
export async function changeBeside(
  databaseUrl: string,
  userId: string,
  change: string,
  work: () => Promise<readonly TimedStatement[]>,
): Promise<ChangeFigure> {
  const db = new Database({ connectionString: databaseUrl }, 3, createLogger('silent'));
  const longest = { before: 0, meanwhile: 0 };
  let phase: keyof typeof longest = 'before';
  let isOver = false;
  const client = async (statement: () => Promise<unknown>) => {
    // The first one connects.
    await statement();
    while (!isOver) {
      const start = performance.now();
      await statement();
      longest[phase] = Math.max(longest[phase], performance.now() - start);
      await sleep(PAUSE_MS);
    }
  };
  const rows = Array.from({ length: BATCH }, () => auditRow(userId));
  const clients = Promise.all([
    client(() => insertAuditRows(db, rows)),
    client(() => selectAuditEntries(db, userId, PAGE, null)),
    client(() => countStarted(db, userId, ['mail.send'], DAY_MS)),
  ]);
  await sleep(BEFORE_MS);
  phase = 'meanwhile';
  const start = performance.now();
  const statements = await work();
  const took = performance.now() - start;
  isOver = true;
  await clients;
  await db.close();
  return { change, took, slowest: statements.toSorted((a, b) => b.ms - a.ms)[0], ...longest };
}
