import type { Queryable } from '../../database/database.ts';
import type { GrantStatus } from '../../vault/grants/grants-repository.ts';
import type { EventTriggerName } from '../definition/trigger.ts';
import type { WatchKind } from './event-types.ts';

/** An account whose changes have to be read. */
export interface WatchRow {
  userId: string;
  accountId: string;
  kind: WatchKind;
  grantId: string;
  /** The provider's own id of the account or bank item. */
  subject: string;
  provider: string;
  status: GrantStatus;
  scopes: readonly string[];
  /** As the kind's reader has returned it; null: none yet. */
  position: unknown;
  revision: number;
  /** When the last look began that was stored. */
  lookedAt: Date | null;
  failures: number;
  /** Those that active automations wait for. */
  events: readonly EventTriggerName[];
}

export interface WatchName {
  userId: string;
  accountId: string;
  kind: WatchKind;
}

const KINDS = `(values ('mail.received', 'mail'), ('calendar.changed', 'calendar'), ('calendar.starting', 'calendar'),
  ('drive.changed', 'drive'), ('bank.transaction', 'bank')) as k (event, kind)`;

/** Notes since when each automation waits for events. */
export async function updateWatchedSince(tx: Queryable, userId: string, now: Date): Promise<void> {
  await tx.query(
    {
      name: 'automations-watched-since',
      text: `update automations set watched_since = case when state = 'active' then $2::timestamptz end
             where user_id = $1::uuid and kind <> 'schedule' and (state = 'active') = (watched_since is null)`,
    },
    [userId, now],
  );
}

/** Deletes the watches that no active automation needs. */
export async function deleteUnneededWatches(tx: Queryable, userId: string): Promise<void> {
  await tx.query(
    {
      name: 'watches-unneeded',
      text: `delete from watches w where w.user_id = $1::uuid and not exists (
               select 1 from automations a join ${KINDS} on k.event = a.kind
               where a.user_id = $1::uuid and a.account_id = w.account_id and a.state = 'active' and k.kind = w.kind)`,
    },
    [userId],
  );
}

/** Adds the watches that active automations need; those that there are have to be looked at anew. */
export async function upsertNeededWatches(tx: Queryable, userId: string, now: Date): Promise<void> {
  await tx.query(
    {
      name: 'watches-needed',
      text: `insert into watches as w (user_id, account_id, kind, grant_id, look_after)
             select distinct a.user_id, a.account_id, k.kind, c.grant_id, $2::timestamptz
             from automations a join ${KINDS} on k.event = a.kind
               join connected_accounts c on c.user_id = a.user_id and c.id = a.account_id
             where a.user_id = $1::uuid and a.state = 'active'
             order by a.account_id, k.kind
             on conflict (user_id, account_id, kind) do update
               set grant_id = excluded.grant_id, revision = w.revision + 1, look_after = least(w.look_after, excluded.look_after)`,
    },
    [userId, now],
  );
}

/** Makes the account be looked at now, whatever its last looks have found. */
export async function wakeWatches(tx: Queryable, userId: string, accountId: string, now: Date): Promise<void> {
  await tx.query(
    {
      name: 'watches-wake',
      text: `update watches set look_after = least(look_after, $3::timestamptz) where user_id = $1::uuid and account_id = $2::uuid`,
    },
    [userId, accountId, now],
  );
}

/** Leases watches to the caller that have to be looked at. */
export function leaseDueWatches(db: Queryable, now: Date, leaseUntil: Date, limit: number): Promise<WatchRow[]> {
  return db.query<WatchRow>(
    {
      name: 'watches-lease',
      text: `/* all users: what is due next */ update watches w set look_after = $2::timestamptz from grants g
             where (w.user_id, w.account_id, w.kind) in (
               select user_id, account_id, kind from watches where look_after <= $1::timestamptz order by look_after limit $3
               for no key update skip locked)
               and g.user_id = w.user_id and g.id = w.grant_id
             returning w.user_id as "userId", w.account_id as "accountId", w.kind, w.grant_id as "grantId", g.subject, g.provider,
               g.status, g.scopes, w.position, w.revision, w.looked_at as "lookedAt", w.failures,
               array(select distinct a.kind from automations a
                 where a.user_id = w.user_id and a.account_id = w.account_id and a.kind <> 'schedule' and a.state = 'active') as events`,
    },
    [now, leaseUntil, limit],
  );
}

/** What a look has found. */
export interface StoredLook {
  position: unknown;
  /** When it began. */
  lookedAt: Date;
  lookAfter: Date;
}

/**
 * Stores how far a look has read.
 *
 * @param revision of the watch as the look has read it
 * @returns false when the watch is gone, or was looked at or changed since: what the look has found does not count
 */
export async function advanceWatch(
  db: Queryable,
  { userId, accountId, kind }: WatchName,
  revision: number,
  { position, lookedAt, lookAfter }: StoredLook,
): Promise<boolean> {
  const rows = await db.query(
    {
      name: 'watches-advance',
      text: `update watches set position = $5::jsonb, revision = revision + 1, looked_at = $6::timestamptz, look_after = $7::timestamptz,
               failures = 0, error = null
             where user_id = $1::uuid and account_id = $2::uuid and kind = $3 and revision = $4 returning 1`,
    },
    [userId, accountId, kind, revision, JSON.stringify(position), lookedAt, lookAfter],
  );
  return rows.length > 0;
}

/** Makes a watch be looked at later, unless it was changed since. */
export async function delayWatch(db: Queryable, { userId, accountId, kind }: WatchName, revision: number, until: Date): Promise<void> {
  await db.query(
    {
      name: 'watches-delay',
      text: `update watches set look_after = $5::timestamptz where user_id = $1::uuid and account_id = $2::uuid and kind = $3 and revision = $4`,
    },
    [userId, accountId, kind, revision, until],
  );
}

/** Stores that a look has failed, unless the watch was changed since. @param error a code of errors */
export async function noteFailedLook(
  db: Queryable,
  { userId, accountId, kind }: WatchName,
  revision: number,
  { error, lookAfter }: { error: string; lookAfter: Date },
): Promise<void> {
  await db.query(
    {
      name: 'watches-failed',
      text: `update watches set failures = failures + 1, error = $5, look_after = $6::timestamptz
             where user_id = $1::uuid and account_id = $2::uuid and kind = $3 and revision = $4`,
    },
    [userId, accountId, kind, revision, error, lookAfter],
  );
}
