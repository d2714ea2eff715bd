import type { Queryable } from '../../database/database.ts';
import type { NoticeKind } from '../notices/notice.ts';
import type { ChannelType } from '../senders/destination.ts';

export interface ChannelRow {
  id: string;
  type: ChannelType;
  /** Encrypted: `Destination`. */
  destination: Buffer;
  kinds: NoticeKind[];
  summaries: boolean;
  state: 'active' | 'off';
  error: string | null;
  confirmedAt: Date | null;
  createdAt: Date;
  lastSentAt: Date | null;
}

/** A channel of which this process has something to send. */
export interface Claim extends ChannelRow {
  userId: string;
  failures: number;
  /** Until when no other process sends there; it tells this claim from later ones. */
  claimedUntil: Date;
}

/** How a claim ends. */
export interface ClaimEnd {
  /** When to look again; undefined: once there is something. */
  dueAt?: Date | undefined;
  /** Nothing is sent until then. */
  heldUntil?: Date | undefined;
  /** undefined: nothing was sent. */
  sentAt?: Date | undefined;
  failures: number;
  error: string | null;
  state: 'active' | 'off';
}

export interface NewChannel extends Pick<ChannelRow, 'id' | 'type' | 'destination' | 'kinds' | 'summaries'> {
  userId: string;
  confirmedAt: Date | null;
}

const COLUMNS = `id, type, destination, kinds, summaries, state, error, confirmed_at as "confirmedAt", created_at as "createdAt",
  last_sent_at as "lastSentAt"`;

/** A user's channels, newest first. */
export async function selectChannels(db: Queryable, userId: string): Promise<ChannelRow[]> {
  return db.query<ChannelRow>(`select ${COLUMNS} from notification_channels where user_id = $1::uuid order by created_at desc, id`, [
    userId,
  ]);
}

export async function selectChannel(db: Queryable, userId: string, id: string): Promise<ChannelRow | undefined> {
  const rows = await db.query<ChannelRow>(`select ${COLUMNS} from notification_channels where user_id = $1::uuid and id = $2::uuid`, [
    userId,
    id,
  ]);
  return rows[0];
}

export async function insertChannel(tx: Queryable, channel: NewChannel): Promise<ChannelRow> {
  const { userId, id, type, destination, kinds, summaries, confirmedAt } = channel;
  const rows = await tx.query<ChannelRow>(
    `insert into notification_channels (user_id, id, type, destination, kinds, summaries, confirmed_at)
     values ($1::uuid, $2::uuid, $3, $4, $5, $6, $7::timestamptz) returning ${COLUMNS}`,
    [userId, id, type, destination, kinds, summaries, confirmedAt],
  );
  return rows[0] as ChannelRow;
}

/** @returns false when there is none */
export async function deleteChannel(tx: Queryable, userId: string, id: string): Promise<boolean> {
  const rows = await tx.query('delete from notification_channels where user_id = $1::uuid and id = $2::uuid returning id', [userId, id]);
  return rows.length > 0;
}

/** Notes how a message ended that the user asked for. */
export async function noteError(db: Queryable, userId: string, id: string, error: string | null): Promise<void> {
  await db.query('update notification_channels set error = $3 where user_id = $1::uuid and id = $2::uuid', [userId, id, error]);
}

/**
 * Takes channels that have something to send, those first that wait longest. Of a process that ends meanwhile, they are
 * taken again after `until`.
 */
export async function claimChannels(db: Queryable, now: Date, until: Date, most: number): Promise<Claim[]> {
  return db.query<Claim>(
    {
      name: 'claim-channels',
      text: `/* all users: the poll */ with due as (
               select user_id, id from notification_channels
               where due_at <= $1::timestamptz and (held_until is null or held_until <= $1::timestamptz)
               order by due_at limit $3 for no key update skip locked)
             update notification_channels c set held_until = $2::timestamptz, due_at = $2::timestamptz from due
             where c.user_id = due.user_id and c.id = due.id
             returning c.user_id as "userId", c.id, type, destination, kinds, summaries, state, error, failures,
               confirmed_at as "confirmedAt", created_at as "createdAt", last_sent_at as "lastSentAt", held_until as "claimedUntil"`,
    },
    [now, until, most],
  );
}

/** Ends a claim, unless another process has taken the channel since. What was to be told meanwhile is looked at again. */
export async function endClaim(db: Queryable, { userId, id, claimedUntil }: Claim, end: ClaimEnd): Promise<void> {
  await db.query(
    `update notification_channels set
       due_at = case when due_at = $3::timestamptz then $4::timestamptz else due_at end,
       held_until = $5::timestamptz,
       last_sent_at = coalesce($6::timestamptz, last_sent_at),
       failures = $7, error = $8, state = $9
     where user_id = $1::uuid and id = $2::uuid and held_until = $3::timestamptz`,
    [userId, id, claimedUntil, end.dueAt ?? null, end.heldUntil ?? null, end.sentAt ?? null, end.failures, end.error, end.state],
  );
}
