import type { Database } from '../../src/database/database.ts';
import { UNMEASURED } from '../../src/observability/telemetry.ts';

/** A statement, and how long it took as the client sees it, milliseconds. */
export interface TimedStatement {
  sql: string;
  ms: number;
}

const SHOWN = 60;

/** Notes every statement from now on, until the next call. */
export function timeStatements(db: Database): TimedStatement[] {
  const took: TimedStatement[] = [];
  db.observe({
    ...UNMEASURED,
    statement: async (sql, run) => {
      const start = performance.now();
      const result = await run();
      took.push({ sql, ms: performance.now() - start });
      return result;
    },
  });
  return took;
}

/** Its beginning, in one line. */
export function shown({ sql }: TimedStatement): string {
  return sql.replaceAll(/\s+/g, ' ').trim().slice(0, SHOWN);
}
