import type { Queryable } from '../database/database.ts';
import { deleteExpired } from '../database/retention.ts';
import type { EventDetails, ReceivedEvent, WebhookEvent } from './webhook-events.ts';

export interface WebhookRow {
  id: string;
  userId: string;
  grantId: string;
  /** The bank entry of the grant. */
  entryId: string;
  /** The item that the event is about. */
  itemId: string;
  event: WebhookEvent;
  details: EventDetails;
  /** It has waited for longer than its news can be worth. */
  overdue: boolean;
}

/** Longer than the aggregator tries to deliver an event, which is 24 hours. */
const KEPT = '48 hours';
const OVERDUE = '24 hours';
/** Above the longest pause between two tries of a job. */
const LOST_AFTER = '2 hours';

/**
 * Writes an event down, for whoever has the item.
 *
 * @returns ids of the new rows: none where nobody has it, or where it is written down already
 */
export async function insertWebhook(db: Queryable, { itemId, event, details, digest }: ReceivedEvent): Promise<string[]> {
  // The lock: a disconnect that is under way either is over before, or takes the row along.
  const rows = await db.query<{ id: string }>(
    `insert into bank_webhooks (id, grant_id, item_id, event, details, digest)
     select gen_random_uuid(), id, subject, $2, $3::jsonb, $4 from grants where provider = 'bank' and subject = $1 for key share
     on conflict (grant_id, digest) do nothing returning id`,
    [itemId, event, JSON.stringify(details), digest],
  );
  return rows.map(({ id }) => id);
}

export async function selectWebhook(db: Queryable, id: string): Promise<WebhookRow | undefined> {
  const rows = await db.query<WebhookRow>(
    `select w.id, g.user_id as "userId", w.grant_id as "grantId", i.id as "entryId", w.item_id as "itemId", w.event, w.details,
            w.received_at < now() - $2::interval as overdue
     from bank_webhooks w join grants g on g.id = w.grant_id join bank_items i on i.grant_id = g.id
     where w.id = $1::uuid and w.handled_at is null`,
    [id, OVERDUE],
  );
  return rows[0];
}

/** @returns false when another has handled it meanwhile, or it is gone */
export async function markHandled(tx: Queryable, id: string): Promise<boolean> {
  const rows = await tx.query('update bank_webhooks set handled_at = now() where id = $1::uuid and handled_at is null returning id', [id]);
  return rows.length > 0;
}

/** Rows that have no job, or whose job must have been lost. */
export async function selectUnqueuedWebhooks(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select id from bank_webhooks where handled_at is null and coalesce(queued_at, '-infinity') < now() - $2::interval
     order by received_at limit $1`,
    [limit, LOST_AFTER],
  );
  return rows.map(({ id }) => id);
}

export async function markWebhookQueued(db: Queryable, id: string): Promise<void> {
  await db.query('update bank_webhooks set queued_at = now() where id = $1::uuid', [id]);
}

export function deleteOldWebhooks(db: Queryable): Promise<void> {
  return deleteExpired(db, 'bank_webhooks', `received_at < now() - interval '${KEPT}'`);
}
