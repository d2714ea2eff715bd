import type { Queryable } from '../database/database.ts';

/** A service that runs. */
export interface ReplicaRow {
  id: string;
  /** Master keys that it holds; the first one wraps. */
  keyIds: string[];
  startedAt: Date;
  /** Since it was last heard of. */
  silentSeconds: number;
}

/** Three missed reports. */
const LIVE = '30 seconds';
const FORGOTTEN = '10 minutes';
/** A connection that died without a word must not keep the report for long. */
const TIMEOUT_MS = 2_000;

/** Says that the replica runs and which keys it holds. */
export async function upsertReplica(db: Queryable, id: string, keyIds: readonly string[]): Promise<void> {
  const text = `insert into replicas (id, key_ids) values ($1::uuid, $2::text[])
                on conflict (id) do update set key_ids = excluded.key_ids, seen_at = now()`;
  await db.query({ name: 'replica-report', text, query_timeout: TIMEOUT_MS }, [id, keyIds]);
}

export async function deleteReplica(db: Queryable, id: string): Promise<void> {
  await db.query({ name: 'replica-end', text: 'delete from replicas where id = $1::uuid', query_timeout: TIMEOUT_MS }, [id]);
}

/** Those that ended without a word. */
export async function deleteForgottenReplicas(db: Queryable): Promise<void> {
  await db.query(`delete from replicas where seen_at < now() - interval '${FORGOTTEN}'`);
}

/** Those that run, the oldest first. */
export async function selectLiveReplicas(db: Queryable): Promise<ReplicaRow[]> {
  return db.query<ReplicaRow>(
    `select id, key_ids as "keyIds", started_at as "startedAt", extract(epoch from now() - seen_at)::float8 as "silentSeconds"
     from replicas where seen_at > now() - interval '${LIVE}' order by started_at, id`,
  );
}
