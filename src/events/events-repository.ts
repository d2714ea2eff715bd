import type { Queryable } from '../database/database.ts';

/** An event of one user, numbered consecutively by `seq`. */
export interface UserEvent {
  seq: number;
  event: string;
  data: Record<string, unknown>;
  /** The client that receives it beside the user's own front ends; null: none does. */
  clientId: string | null;
  /** When it was recorded, by the database’s clock. */
  at: Date;
}

/** An event as replicas poll it: `id` is that of all users, with gaps, and may be committed out of order. */
export interface PolledEvent extends UserEvent {
  id: number;
  userId: string;
}

/** A user's current number, and some of the events before it. */
export interface Position {
  head: number;
  events: UserEvent[];
}

/** Ids from `first` to `last`, both included. */
export interface IdRange {
  first: number;
  last: number;
}

type Row<Event> = { [Key in keyof Event]: Event[Key] extends number ? string : Event[Key] };

/** Inserts an event with the user's next number. The user's row stays locked, so that numbers are committed in order. */
export async function insertEvent(tx: Queryable, userId: string, event: string, data: object, clientId: string | null): Promise<void> {
  await tx.query(
    `with head as (update users set event_seq = event_seq + 1 where id = $1::uuid returning id, event_seq)
     insert into events (user_id, seq, event, data, client_id) select id, event_seq, $2, $3::jsonb, $4::uuid from head`,
    [userId, event, JSON.stringify(data), clientId],
  );
}

/**
 * Inserts the same event for many users, except those whose row is locked.
 *
 * @returns the users of the inserted events
 */
export async function insertEventForMany(db: Queryable, userIds: readonly string[], event: string, data: object): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `with chosen as (select id from users where id = any($1::uuid[]) for no key update skip locked),
          heads as (update users u set event_seq = u.event_seq + 1 from chosen where u.id = chosen.id returning u.id, u.event_seq),
          told as (insert into events (user_id, seq, event, data) select id, event_seq, $2, $3::jsonb from heads)
     select id from heads`,
    [userIds, event, JSON.stringify(data)],
  );
  return rows.map(({ id }) => id);
}

/**
 * Events after `cursor`, and events that have appeared in the ranges below it, by id. Each part has its own limit:
 * otherwise the planner would expect to read all events, and start parallel workers at every poll.
 */
export async function selectNewEvents(db: Queryable, cursor: number, gaps: readonly IdRange[], limit: number): Promise<PolledEvent[]> {
  const rows = await db.query<Row<PolledEvent>>(
    {
      name: 'new-events',
      text: `/* all users: a replica’s poll */ select * from (
               (select id, user_id as "userId", seq, event, data, client_id as "clientId", created_at as at from events where id > $1::bigint order by id limit $4)
               union all
               select e.id, e.user_id, e.seq, e.event, e.data, e.client_id, e.created_at
               from unnest($2::bigint[], $3::bigint[]) as gap (first, last)
                 cross join lateral (select * from events where id between gap.first and gap.last order by id limit $4) e
             ) as found order by id limit $4`,
    },
    [cursor, gaps.map(({ first }) => first), gaps.map(({ last }) => last), limit],
  );
  return rows.map((row) => ({ ...row, id: Number(row.id), seq: Number(row.seq) }));
}

/** The newest event that is older than any running transaction: later ids may still appear. */
export async function selectSettledId(db: Queryable): Promise<number> {
  const rows = await db.query<{ id: string }>(
    `/* all users: a replica’s poll */ select id from events where created_at < now() - interval '30 seconds' order by created_at desc limit 1`,
  );
  return Number(rows[0]?.id ?? 0);
}

/** The current numbers of users, in their order; undefined for a deleted user. */
export async function selectHeads(db: Queryable, userIds: readonly string[]): Promise<(number | undefined)[]> {
  const rows = await db.query<{ id: string; head: string }>(
    { name: 'event-heads', text: 'select id, event_seq as head from users where id = any($1::uuid[])' },
    [[...new Set(userIds)]],
  );
  const heads = new Map(rows.map(({ id, head }) => [id, Number(head)]));
  return userIds.map((id) => heads.get(id));
}

/**
 * The user's current number and the events after `since`, in one snapshot.
 *
 * @param limit at most one more event is read
 * @returns undefined when the user was deleted
 */
export async function selectEventsSince(db: Queryable, userId: string, since: number, limit: number): Promise<Position | undefined> {
  const rows = await db.query<{ head: string; seq: string | null } & Omit<UserEvent, 'seq'>>(
    {
      name: 'events-since',
      text: `select u.event_seq as head, e.seq, e.event, e.data, e.client_id as "clientId", e.created_at as at
             from users u left join lateral (
               select seq, event, data, client_id, created_at from events where user_id = u.id and seq > $2::bigint order by seq limit $3
             ) e on true
             where u.id = $1::uuid order by e.seq`,
    },
    [userId, since, limit + 1],
  );
  if (rows.length === 0) return undefined;
  const events = rows.filter(({ seq }) => seq !== null).map(({ head: _, ...event }) => ({ ...event, seq: Number(event.seq) }));
  return { head: Number(rows[0]?.head ?? 0), events };
}

/** The account of a grant, if it still exists. */
export async function selectAccountId(tx: Queryable, userId: string, grantId: string): Promise<string | undefined> {
  const rows = await tx.query<{ id: string }>('select id from connected_accounts where user_id = $1::uuid and grant_id = $2::uuid', [
    userId,
    grantId,
  ]);
  return rows[0]?.id;
}
