import type { Queryable } from '../../database/database.ts';
import type { ChannelRow } from './channels-repository.ts';

export interface SentLinks {
  toAddress: number;
  ofUser: number;
}

/** How many links were sent since a time, by any user to an address, and by a user to any. */
export async function countLinks(tx: Queryable, userId: string, addressHash: Buffer, since: Date): Promise<SentLinks> {
  const rows = await tx.query<SentLinks>(
    `/* all users: whose address it is receives few links, whoever asks for them */ select
       (select count(*)::int from notification_confirmations where address_hash = $2 and sent_at > $3::timestamptz) as "toAddress",
       (select count(*)::int from notification_confirmations where user_id = $1::uuid and sent_at > $3::timestamptz) as "ofUser"`,
    [userId, addressHash, since],
  );
  return rows[0] as SentLinks;
}

export async function insertLink(tx: Queryable, userId: string, id: string, addressHash: Buffer, at: Date): Promise<void> {
  await tx.query(
    'insert into notification_confirmations (user_id, id, address_hash, sent_at) values ($1::uuid, $2::uuid, $3, $4::timestamptz)',
    [userId, id, addressHash, at],
  );
}

/** Makes this the one link of a channel. */
export async function keepLink(tx: Queryable, userId: string, id: string, hash: Buffer, until: Date): Promise<void> {
  await tx.query(
    `update notification_channels set confirmation_hash = $3, confirmation_until = $4::timestamptz
     where user_id = $1::uuid and id = $2::uuid and confirmed_at is null`,
    [userId, id, hash, until],
  );
}

type Confirmable = Pick<ChannelRow, 'id' | 'destination'>;

/** The channel of a link that can be used. */
export async function selectByLink(db: Queryable, userId: string, hash: Buffer, now: Date): Promise<Confirmable | undefined> {
  const rows = await db.query<Confirmable>(
    `select id, destination from notification_channels
     where user_id = $1::uuid and confirmation_hash = $2 and confirmation_until > $3::timestamptz`,
    [userId, hash, now],
  );
  return rows[0];
}

/** Uses a link, once. @returns the channel that is confirmed now */
export async function useLink(db: Queryable, userId: string, hash: Buffer, now: Date): Promise<Confirmable | undefined> {
  const rows = await db.query<Confirmable>(
    `update notification_channels set confirmed_at = $3::timestamptz, confirmation_hash = null, confirmation_until = null, error = null
     where user_id = $1::uuid and confirmation_hash = $2 and confirmation_until > $3::timestamptz returning id, destination`,
    [userId, hash, now],
  );
  return rows[0];
}
