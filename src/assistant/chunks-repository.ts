import type { Queryable } from '../database/database.ts';

/** A part of what a run has sent. */
export interface ChunkRow {
  runId: string;
  /** Number of the first chunk in it, from 0. */
  sequence: number;
  /** Sealed. */
  chunks: Buffer;
}

/**
 * Stores parts of runs that are running and whose users exist. A part whose storing had an unknown outcome is sent again with
 * what came after it, so the longer one of two counts.
 *
 * @returns the ids of those runs
 */
export async function insertChunks(db: Queryable, parts: readonly ChunkRow[]): Promise<Set<string>> {
  const rows = await db.query<{ runId: string }>(
    {
      name: 'insert-run-chunks',
      text: `with given as (select * from unnest($1::uuid[], $2::int[], $3::bytea[]) as part (run_id, sequence, chunks)),
             live as (select runs.id, runs.user_id from runs join users on users.id = runs.user_id
               where runs.id = any($1::uuid[]) and status = 'running'),
             added as (insert into run_chunks (user_id, run_id, sequence, chunks)
               select user_id, id, sequence, chunks from given join live on id = run_id
               on conflict (run_id, sequence) do update set chunks = excluded.chunks where length(excluded.chunks) > length(run_chunks.chunks))
             select id as "runId" from live`,
    },
    [parts.map(({ runId }) => runId), parts.map(({ sequence }) => sequence), parts.map(({ chunks }) => chunks)],
  );
  return new Set(rows.map(({ runId }) => runId));
}

/** What a run has sent, in order. @param from the first sequence that is wanted; the first part may begin before it */
export function selectChunks(db: Queryable, runId: string, from: number): Promise<ChunkRow[]> {
  return db.query<ChunkRow>(
    `select run_id as "runId", sequence, chunks from run_chunks where run_id = $1::uuid
       and sequence >= coalesce((select max(sequence) from run_chunks where run_id = $1::uuid and sequence <= $2::int), 0) order by sequence`,
    [runId, from],
  );
}

/** Deletes what a run has sent. */
export async function deleteChunks(tx: Queryable, runId: string): Promise<void> {
  await tx.query('delete from run_chunks where run_id = $1::uuid', [runId]);
}
