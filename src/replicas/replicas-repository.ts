import type { Queryable } from '../database/database.ts';

/** A running replica. */
export interface ReplicaRow {
  id: string;
  /** Its master keys; the first one wraps. */
  keyIds: string[];
  startedAt: Date;
  /** Since its last report. */
  silentSeconds: number;
}

/** Three missed reports. */
const LIVE = '30 seconds';
/** A lost connection must not delay the next report for long. */
const TIMEOUT_MS = 2_000;

/** Records that the replica runs, and with which keys. */
export async function upsertReplica(db: Queryable, id: string, keyIds: readonly string[]): Promise<void> {
  const text = `insert into replicas (id, key_ids) values ($1::uuid, $2::text[])
                on conflict (id) do update set key_ids = excluded.key_ids, seen_at = now()`;
  await db.query({ name: 'replica-report', text, query_timeout: TIMEOUT_MS }, [id, keyIds]);
}

export async function deleteReplica(db: Queryable, id: string): Promise<void> {
  await db.query({ name: 'replica-end', text: 'delete from replicas where id = $1::uuid', query_timeout: TIMEOUT_MS }, [id]);
}

/** Running replicas, the oldest first. */
export async function selectLiveReplicas(db: Queryable): Promise<ReplicaRow[]> {
  return db.query<ReplicaRow>(
    `select id, key_ids as "keyIds", started_at as "startedAt", extract(epoch from now() - seen_at)::float8 as "silentSeconds"
     from replicas where seen_at > now() - interval '${LIVE}' order by started_at, id`,
  );
}
