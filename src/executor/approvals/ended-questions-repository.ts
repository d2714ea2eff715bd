import type { Queryable } from '../../database/database.ts';
import type { EndReason } from './approvals-repository.ts';

export interface EndedRow {
  id: string;
  action: string;
  accountId: string;
  end: 'approved' | 'denied' | 'expired' | 'ended';
  reason: EndReason | null;
  /** When it was decided, or ended. */
  at: Date;
  edited: boolean;
  /** Of an approved call that has ended: `ok`, or the code of its error; `outcome_unknown` too if its process ended before. */
  outcome: string | null;
}

/** Calls that ended within a day have their rows among so many of the user's. */
const NEWEST = 5_000;
/** Of the row that an approved call leaves when it has ended; those of the decision and of the start are there before. */
const ENDED = 'allowed';

/**
 * A user's questions that can't be decided any more, newest first, as long as their rows are kept.
 *
 * @param id only this one; null: all
 */
export async function selectEnded(db: Queryable, userId: string, id: string | null, limit: number): Promise<EndedRow[]> {
  return db.query<EndedRow>(
    `with recent as (select call_id, decision, outcome, id from audit_log where user_id = $1::uuid order by id desc limit ${NEWEST}),
          ended as (select distinct on (call_id) call_id, outcome from recent where decision = '${ENDED}' order by call_id, id desc)
     select a.id, a.action, a.account_id as "accountId", a.edited,
            case when a.status in ('pending', 'preparing') or a.end_reason = 'expired' then 'expired' else a.status end as "end",
            nullif(a.end_reason, 'expired') as reason, coalesce(case when a.end_reason = 'expired' then a.expires_at else a.decided_at end, a.expires_at) as at,
            case when a.status <> 'approved' then null else coalesce(
              ended.outcome,
              case when a.outcome is not null or a.outcome_until > now() then null else 'outcome_unknown' end) end as outcome
     from approvals a left join ended on ended.call_id = a.id
     where a.user_id = $1::uuid and ($2::uuid is null or a.id = $2::uuid)
       and (a.status in ('approved', 'denied', 'ended') or (a.status = 'pending' and a.expires_at <= now()))
     order by at desc, a.id limit $3::int`,
    [userId, id, limit],
  );
}
