import type { Queryable } from '../database/database.ts';
import type { EventDetails, ReceivedEvent, WebhookEvent } from './webhook-events.ts';

export interface WebhookRow {
  id: string;
  userId: string;
  grantId: string;
  /** The bank item of the grant. */
  itemId: string;
  /** The aggregator's id of the item that the event is about. */
  subject: string;
  event: WebhookEvent;
  details: EventDetails;
  /** Received too long ago to have an effect. */
  overdue: boolean;
}

const OVERDUE = '24 hours';
/** Longer than the longest pause between two attempts of a job. */
const LOST_AFTER = '2 hours';

/**
 * Stores an event for every grant of the item.
 *
 * @returns ids of the new rows: none if there is no such grant, or the event is already stored
 */
export async function insertWebhook(db: Queryable, { itemId, event, details, digest }: ReceivedEvent): Promise<string[]> {
  // The lock: a concurrent disconnection either ends before this, or deletes the row with its grant.
  const rows = await db.query<{ id: string }>(
    `/* all users: found by an account at the provider */ insert into bank_webhooks (id, user_id, grant_id, item_id, event, details, digest)
     select gen_random_uuid(), user_id, id, subject, $2, $3::jsonb, $4 from grants where provider = 'bank' and subject = $1 for key share
     on conflict (user_id, grant_id, digest) do nothing returning id`,
    [itemId, event, JSON.stringify(details), digest],
  );
  return rows.map(({ id }) => id);
}

export async function selectWebhook(db: Queryable, id: string): Promise<WebhookRow | undefined> {
  const rows = await db.query<WebhookRow>(
    `/* all users: found by the id of its job */ select w.id, w.user_id as "userId", w.grant_id as "grantId", i.id as "itemId", w.item_id as subject, w.event, w.details,
            w.received_at < now() - $2::interval as overdue
     from bank_webhooks w join bank_items i on i.user_id = w.user_id and i.grant_id = w.grant_id
     where w.id = $1::uuid and w.handled_at is null`,
    [id, OVERDUE],
  );
  return rows[0];
}

/** @returns false when it was already handled or deleted */
export async function markHandled(tx: Queryable, id: string): Promise<boolean> {
  const rows = await tx.query(
    '/* all users: found by the id of its job */ update bank_webhooks set handled_at = now() where id = $1::uuid and handled_at is null returning id',
    [id],
  );
  return rows.length > 0;
}

/** Rows without a job, or whose job was lost. */
export async function selectUnqueuedWebhooks(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `/* all users: what is due next */ select id from bank_webhooks where handled_at is null and coalesce(queued_at, '-infinity') < now() - $2::interval
     order by received_at limit $1`,
    [limit, LOST_AFTER],
  );
  return rows.map(({ id }) => id);
}

export async function markWebhookQueued(db: Queryable, id: string): Promise<void> {
  await db.query('/* all users: found by the id of its job */ update bank_webhooks set queued_at = now() where id = $1::uuid', [id]);
}
