import type { Queryable } from '../../database/database.ts';

/** A part of what a run has sent. */
export interface ChunkRow {
  userId: string;
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
      text: `with given as (
               select * from unnest($1::uuid[], $2::int[], $3::bytea[], $4::uuid[]) as part (run_id, sequence, chunks, user_id)),
             live as (select runs.id, runs.user_id from runs join users on users.id = runs.user_id
               where runs.id = any($1::uuid[]) and runs.user_id = any($4::uuid[]) and status = 'running'),
             added as (insert into run_chunks (user_id, run_id, sequence, chunks)
               select given.user_id, run_id, sequence, chunks from given join live on id = run_id and live.user_id = given.user_id
               on conflict (user_id, run_id, sequence) do update set chunks = excluded.chunks where length(excluded.chunks) > length(run_chunks.chunks))
             select id as "runId" from live`,
    },
    [
      parts.map(({ runId }) => runId),
      parts.map(({ sequence }) => sequence),
      parts.map(({ chunks }) => chunks),
      parts.map(({ userId }) => userId),
    ],
  );
  return new Set(rows.map(({ runId }) => runId));
}

/** What a run has sent, in order. @param from the first sequence that is wanted; the first part may begin before it */
export function selectChunks(db: Queryable, userId: string, runId: string, from: number): Promise<Omit<ChunkRow, 'userId'>[]> {
  return db.query<Omit<ChunkRow, 'userId'>>(
    `select run_id as "runId", sequence, chunks from run_chunks where user_id = $1::uuid and run_id = $2::uuid
       and sequence >= coalesce((
         select max(sequence) from run_chunks where user_id = $1::uuid and run_id = $2::uuid and sequence <= $3::int
       ), 0) order by sequence`,
    [userId, runId, from],
  );
}

/** Deletes what a run has sent. */
export async function deleteChunks(tx: Queryable, userId: string, runId: string): Promise<void> {
  await tx.query('delete from run_chunks where user_id = $1::uuid and run_id = $2::uuid', [userId, runId]);
}
