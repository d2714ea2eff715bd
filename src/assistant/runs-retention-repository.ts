import type { Database } from '../database/database.ts';
import { deleteExpired } from '../database/retention.ts';

/** Longer than the month whose budgets and costs an operator may ask about. */
const RUNS_KEPT = '40 days';
/** For readers that come back. */
const CHUNKS_KEPT = '10 minutes';

/** Deletes runs that ended long ago. */
export function deleteOldRuns(db: Database): Promise<void> {
  return deleteExpired(db, 'runs', `status <> 'running' and ended_at < now() - interval '${RUNS_KEPT}'`);
}

/** Deletes what runs have sent that ended a while ago. */
export function deleteOldChunks(db: Database): Promise<void> {
  const isOver = `select 1 from runs r where r.id = run_chunks.run_id and r.ended_at < now() - interval '${CHUNKS_KEPT}'`;
  return deleteExpired(db, 'run_chunks', `created_at < now() - interval '${CHUNKS_KEPT}' and exists (${isOver})`);
}
