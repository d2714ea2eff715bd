import type { Database, Queryable } from '../../database/database.ts';
import { inChunks } from '../../database/retention.ts';
import { type ApprovalSubject, isAboutArguments } from './approvals-repository.ts';

/** How long the outcome of an approved call is kept for the caller that asked; for a run of an automation, which may go on later. */
const KEPT = '1 hour';
const KEPT_FOR_RUN = '24 hours';
const CHUNK = 1_000;

export interface OutcomeRow {
  action: string;
  accountId: string;
  /** The user changed the arguments. */
  edited: boolean;
  /** `stored`: see `outcome`; `lost`: the process ended before it stored one. */
  state: 'pending' | 'denied' | 'expired' | 'ended' | 'running' | 'stored' | 'lost';
  /** Sealed. */
  outcome: Buffer | null;
}

/** The caller that asked: a client, a thread, or with neither the user in person. */
export type Asker = Pick<ApprovalSubject, 'userId' | 'clientId' | 'threadId'>;

/**
 * How an approval ended.
 *
 * @returns undefined also for another caller's approval, and once the outcome is no longer kept
 */
export async function selectOutcome(db: Queryable, { userId, clientId, threadId }: Asker, id: string): Promise<OutcomeRow | undefined> {
  const rows = await db.query<OutcomeRow>(
    `select action, account_id as "accountId", edited, outcome,
            case when status in ('preparing', 'pending') then case when expires_at > now() then 'pending' else 'expired' end
                 when status = 'ended' and end_reason = 'expired' then 'expired'
                 when status <> 'approved' then status
                 when outcome is not null then 'stored'
                 when outcome_until > now() then 'running'
                 else 'lost' end as state
     from approvals
     where id = $1::uuid and user_id = $2::uuid and client_id is not distinct from $3::uuid and thread_id is not distinct from $4::text
       and (status <> 'approved' or not (${isOver('approvals')}))`,
    [id, userId, clientId, threadId],
  );
  return rows[0];
}

/** For how long after a repeated call has received an outcome further ones count as the same: retries, and those at the same moment. */
const REPEATED = '2 minutes';

/**
 * The newest approved call, asked for with the arguments of this one or run with them, of whose outcome its client or thread
 * hasn't learnt, or has a moment ago.
 *
 * @returns whether its run has ended; undefined: there is none
 */
export async function selectUnreceived(
  db: Queryable,
  { userId, clientId, threadId, action, normalizedHash }: Asker & Pick<ApprovalSubject, 'action' | 'normalizedHash'>,
): Promise<{ id: string; isEnded: boolean } | undefined> {
  const rows = await db.query<{ id: string; isEnded: boolean }>(
    {
      name: 'approval-unreceived',
      text: `select id, outcome is not null or outcome_until <= now() as "isEnded" from approvals
             where user_id = $1::uuid and (client_id = $2::uuid or thread_id = $5::text) and action = $3 and ${isAboutArguments('$4')}
               and status = 'approved' and (repeats_until is null or repeats_until > now())
               and not (${isOver('approvals')})
             order by decided_at desc limit 1`,
    },
    [userId, clientId, action, normalizedHash, threadId],
  );
  return rows[0];
}

/**
 * Records that the asker has received an outcome, unless another transaction has locked the row: then later.
 *
 * @param isRepeat by repeating the call; else it has read the outcome, and another call is a new one
 */
export async function receiveOutcome(db: Queryable, userId: string, id: string, isRepeat: boolean): Promise<void> {
  await db.query(
    {
      name: 'approval-receive',
      text: `update approvals set repeats_until = now() + case when $3::boolean then interval '${REPEATED}' else interval '0' end
             where user_id = $2::uuid and id = any(array(
               select id from approvals where id = $1::uuid and user_id = $2::uuid and (repeats_until is null or not $3::boolean)
               for no key update skip locked))`,
    },
    [id, userId, isRepeat],
  );
}

/** Stores how the run of an approved call ended, unless its account or client is gone meanwhile. */
export async function storeOutcome(db: Queryable, userId: string, id: string, sealed: Buffer): Promise<void> {
  await db.query(
    `update approvals set outcome = $3, outcome_until = now() + case when parked then interval '${KEPT_FOR_RUN}' else interval '${KEPT}' end
     where id = $1::uuid and user_id = $2::uuid and outcome_until is not null`,
    [id, userId, sealed],
  );
}

/** Deletes the outcomes of an account, a client or a thread, also those of runs that have not ended yet. */
export async function deleteOutcomes(
  tx: Queryable,
  userId: string,
  of: 'account_id' | 'client_id' | 'thread_id',
  value: string,
): Promise<void> {
  await tx.query(
    `update approvals set outcome = null, outcome_until = null
     where user_id = $1::uuid and ${of} = $2::${of === 'thread_id' ? 'text' : 'uuid'} and outcome_until is not null`,
    [userId, value],
  );
}

/** Deletes outcomes that are no longer kept; a bounded number per statement. */
export function deleteOldOutcomes(db: Database): Promise<void> {
  return inChunks(db.clock, async () => {
    const rows = await db.query(
      `/* all users: what has expired */ update approvals set outcome = null, outcome_until = null
       where (user_id, id) in (select user_id, id from approvals a where outcome_until is not null and ${isOver('a')} limit ${CHUNK} for update skip locked)
       returning id`,
    );
    return { isFull: rows.length === CHUNK };
  });
}

/** SQL: a stored outcome's time is over; that of a lost run is counted from when the run should have ended. */
function isOver(table: string): string {
  return `coalesce(${table}.outcome_until < now() - case when ${table}.outcome is null then interval '${KEPT}' else interval '0' end, true)`;
}
