import type { Queryable } from '../../database/database.ts';
import type { Notice, NoticeData, NoticeKind, NoticeType } from './notice.ts';

/** Something that waits to be told on a channel. */
export interface Delivery {
  id: string;
  kind: NoticeKind;
  type: NoticeType;
  data: NoticeData;
  automationId: string | null;
  /** The conversation that it is about. */
  threadId: string | null;
  path: string;
  happenedAt: Date;
  until: Date | null;
  /** Of the message with which it was sent before, without success. */
  messageId: string | null;
  /** It needs nothing of the user any more. */
  isOutdated: boolean;
}

/** More wait for the next message. */
const MOST = 200;

/**
 * Inserts what is to be told for each channel that is for it, and has the channels looked at. The channels are locked, so
 * that none is deleted meanwhile. Of approvals, those are told that were asked by apps and runs of automations: who asked in
 * a conversation sees it there.
 *
 * @returns the number of channels
 */
export async function insertDeliveries(tx: Queryable, userId: string, notice: Notice, at: Date): Promise<number> {
  const { kind, type, key, path, data, until } = notice;
  const rows = await tx.query(
    {
      name: 'notify',
      text: `with channels as (
               select id from notification_channels
               where user_id = $1::uuid and state = 'active' and confirmed_at is not null and $2 = any(kinds)
                 and ($10::uuid is null or exists (
                   select from approvals where user_id = $1::uuid and id = $10::uuid and (client_id is not null or thread_id like 'auto-%')))
               for no key update),
             told as (
               insert into notification_deliveries (id, user_id, channel_id, key, kind, type, data, automation_id, path, happened_at, until)
               select gen_random_uuid(), $1::uuid, id, $3, $2, $4, $5::jsonb, $6::uuid, $7, $8::timestamptz, $9::timestamptz from channels
               on conflict (user_id, channel_id, key) do nothing returning channel_id)
             update notification_channels set due_at = least(due_at, $8::timestamptz)
             where user_id = $1::uuid and id in (select channel_id from told) returning id`,
    },
    [userId, kind, key, type, JSON.stringify(data), data.automation ?? null, path, at, until ?? null, data.approval ?? null],
  );
  return rows.length;
}

/**
 * What waits on a channel, oldest first.
 *
 * @param at what was to be told until then is outdated, as are approvals that were decided, accounts that are connected
 * again, and automations that run again
 */
export async function selectWaiting(db: Queryable, userId: string, channelId: string, at: Date): Promise<Delivery[]> {
  return db.query<Delivery>(
    `select d.id, d.kind, d.type, d.data, coalesce(d.automation_id, t.automation_id) as "automationId",
       coalesce(d.data->>'thread', a.thread_id) as "threadId", d.path,
       d.happened_at as "happenedAt", d.until, d.message_id as "messageId",
       d.until <= $3::timestamptz is true or case d.type
         when 'approval.requested' then (a.status in ('preparing', 'pending')) is not true
         when 'account.status' then not exists (
           select from connected_accounts c join grants g on g.user_id = $1::uuid and g.id = c.grant_id
           where c.user_id = $1::uuid and c.id = (d.data->>'account')::uuid and g.status <> 'active')
         when 'automation.paused' then not exists (
           select from automations a where a.user_id = $1::uuid and a.id = d.automation_id and a.state = 'paused')
         else false end as "isOutdated"
     from notification_deliveries d
       left join approvals a on a.user_id = $1::uuid and a.id = (d.data->>'approval')::uuid
       left join threads t on t.user_id = $1::uuid and t.id = coalesce(d.data->>'thread', a.thread_id)
     where d.user_id = $1::uuid and d.channel_id = $2::uuid and d.ended_at is null
     order by d.happened_at, d.id limit ${MOST}`,
    [userId, channelId, at],
  );
}

/** Notes with which message these are sent: repeated, it is the same. */
export async function joinMessage(db: Queryable, userId: string, ids: readonly string[], messageId: string): Promise<void> {
  await db.query('update notification_deliveries set message_id = $3::uuid where user_id = $1::uuid and id = any($2::uuid[])', [
    userId,
    ids,
    messageId,
  ]);
}

export async function endDeliveries(
  db: Queryable,
  userId: string,
  ids: readonly string[],
  outcome: 'sent' | 'outdated',
  at: Date,
): Promise<void> {
  await db.query(
    `update notification_deliveries set outcome = $3, ended_at = $4::timestamptz
     where user_id = $1::uuid and id = any($2::uuid[]) and ended_at is null`,
    [userId, ids, outcome, at],
  );
}

/** Ends what waits on a channel that is off. */
export async function failWaiting(tx: Queryable, userId: string, channelId: string, at: Date): Promise<void> {
  await tx.query(
    `update notification_deliveries set outcome = 'failed', ended_at = $3::timestamptz
     where user_id = $1::uuid and channel_id = $2::uuid and ended_at is null`,
    [userId, channelId, at],
  );
}
