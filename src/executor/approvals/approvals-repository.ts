import type { Queryable } from '../../database/database.ts';
import { type ClientColumns, clientOf } from '../call/named-client.ts';

export interface ApprovalRow {
  id: string;
  userId: string;
  accountId: string;
  action: string;
  /** Sealed; null before it is shown, and once it is decided or has ended. */
  arguments: Buffer | null;
  /** Hexadecimal digits. */
  argumentsHash: string;
  /** Hash of the arguments with their defaults. */
  normalizedHash: string;
  /** The same two of what the caller asked for, where the user has changed it; null: it is as asked. */
  askedArgumentsHash: string | null;
  askedNormalizedHash: string | null;
  idempotencyKey: string | null;
  /** Revision of the action. */
  revision: string;
  /** Where the call came from. */
  surface: string;
  /** The client that made the call; null: the user's own front end. */
  clientId: string | null;
  /** That client; null also when it is gone. */
  client: ClientColumns | null;
  /** The thread whose assistant made the call; null: a client, or the user's own front end. */
  threadId: string | null;
  /** The user's zone; null: not known. */
  timeZone: string | null;
  /** The user's language; null: not said. */
  language: string | null;
  /** `preparing`: its preview is being read, and the user doesn't see it yet. */
  status: 'preparing' | 'pending' | 'approved' | 'denied' | 'ended';
  createdAt: Date;
  /** Until when a denial holds for equal calls; null: no denial holds. */
  deniedUntil: Date | null;
  expiresAt: Date;
  expired: boolean;
  /** A run of an automation asked: nobody waits for the answer. */
  parked: boolean;
  /** Of a parked one: the automation; null: another one. */
  automationId: string | null;
}

export type NewApproval = Pick<
  ApprovalRow,
  | 'id'
  | 'userId'
  | 'accountId'
  | 'action'
  | 'argumentsHash'
  | 'normalizedHash'
  | 'idempotencyKey'
  | 'revision'
  | 'surface'
  | 'clientId'
  | 'threadId'
  | 'parked'
> & {
  /** Hashes of the ids of what it is about. */
  items: readonly Buffer[];
  /** By the service's clock, which in development may be another time than the database's. */
  askedAt: Date;
};

/** What is known of an approval once it is shown. */
type ShownApproval = Pick<
  ApprovalRow,
  'createdAt' | 'expiresAt' | 'clientId' | 'client' | 'threadId' | 'automationId' | 'timeZone' | 'language'
>;

/** What an approval is bound to. */
export type ApprovalSubject = Omit<NewApproval, 'id' | 'surface' | 'items' | 'parked' | 'askedAt'>;

/** Far longer than a preview needs, and short enough that those of a crashed process expire soon. */
const PREPARING = '1 minute';
const PENDING = '10 minutes';
/** SQL: of one that is decided or ended, the time that others expire at. A parked one is then kept no longer than they are. */
const SETTLED = `least(expires_at, now() + interval '${PENDING}')`;
/** How long a denial holds for equal calls. */
const DENIED = '1 hour';

const ASKER = `thread_id as "threadId", client_id as "clientId", ${clientOf('approvals')} as client,
  case when parked then (select automation_id from threads t where t.user_id = approvals.user_id and t.id = approvals.thread_id) end as "automationId",
  (select time_zone from users where id = approvals.user_id) as "timeZone",
  (select language from users where id = approvals.user_id) as language`;
const COLUMNS = `id, user_id as "userId", account_id as "accountId", action, arguments, encode(arguments_hash, 'hex') as "argumentsHash",
  encode(input_hash, 'hex') as "normalizedHash", encode(asked_arguments_hash, 'hex') as "askedArgumentsHash",
  encode(asked_input_hash, 'hex') as "askedNormalizedHash", idempotency_key as "idempotencyKey", revision, surface, ${ASKER}, status, created_at as "createdAt",
  case when status = 'denied' and decided_at > now() - interval '${DENIED}' then decided_at + interval '${DENIED}' end as "deniedUntil",
  expires_at as "expiresAt", expires_at <= now() as expired, parked`;

/** SQL: whether an approval is about these arguments, as they were asked for or as the user changed them. */
export function isAboutArguments(hash: string): string {
  return `decode(${hash}, 'hex') in (input_hash, asked_input_hash)`;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a caller's text can be the id of an approval. */
export function isApprovalId(text: string): boolean {
  return ID.test(text);
}

/** Inserts an approval, which becomes pending once it is {@link showApproval shown}. */
export async function insertApproval(tx: Queryable, row: NewApproval): Promise<void> {
  await tx.query(
    `insert into approvals (id, user_id, account_id, action, arguments_hash, input_hash, idempotency_key, revision, surface, client_id, thread_id, items, parked, created_at, status, expires_at)
     values ($1::uuid, $2::uuid, $3::uuid, $4, decode($5, 'hex'), decode($6, 'hex'), $7, $8, $9, $10::uuid, $11, $12::bytea[], $13,
       case when $13 then $14::timestamptz else now() end, 'preparing', now() + interval '${PREPARING}')`,
    [
      row.id,
      row.userId,
      row.accountId,
      row.action,
      row.argumentsHash,
      row.normalizedHash,
      row.idempotencyKey,
      row.revision,
      row.surface,
      row.clientId,
      row.threadId,
      row.items,
      row.parked,
      row.askedAt,
    ],
  );
}

/**
 * Makes a prepared approval pending.
 *
 * @param sealed what the user is shown
 * @param parkedUntil until when one that is parked can be decided, by the service's clock
 * @returns when it expires, and who asked; undefined when it has ended meanwhile, or is shown already
 */
export async function showApproval(
  tx: Queryable,
  userId: string,
  id: string,
  sealed: Buffer,
  parkedUntil: Date,
): Promise<ShownApproval | undefined> {
  const rows = await tx.query<ShownApproval>(
    `update approvals set status = 'pending', arguments = $3,
       expires_at = case when parked then $4::timestamptz else now() + interval '${PENDING}' end
     where id = $1::uuid and user_id = $2::uuid and status = 'preparing' and expires_at > now()
     returning created_at as "createdAt", expires_at as "expiresAt", ${ASKER}`,
    [id, userId, sealed, parkedUntil],
  );
  return rows[0];
}

export async function selectApproval(db: Queryable, userId: string, id: string): Promise<ApprovalRow | undefined> {
  const rows = await db.query<ApprovalRow>(`select ${COLUMNS} from approvals where id = $1::uuid and user_id = $2::uuid`, [id, userId]);
  return rows[0];
}

/** Pending approvals of actions with these revisions, oldest first. */
export async function selectPendingApprovals(
  db: Queryable,
  userId: string,
  revisions: Readonly<Record<string, string>>,
): Promise<ApprovalRow[]> {
  return db.query<ApprovalRow>(
    `select ${COLUMNS} from approvals
     where user_id = $1::uuid and revision = $2::jsonb ->> action and status = 'pending' and expires_at > now() order by created_at, id`,
    [userId, JSON.stringify(revisions)],
  );
}

/** Whose approvals are counted. */
type ApprovalAsker = Pick<ApprovalRow, 'userId' | 'clientId' | 'threadId'>;

/** SQL: whether an approval was asked for by the same client or thread, or like this one by the user in person. */
const OF_ASKER = 'client_id is not distinct from $2::uuid and thread_id is not distinct from $3';

/** Numbers of the user's approvals that are pending or being prepared: the asker's, and all that are parked. */
export async function countOpenApprovals(
  tx: Queryable,
  { userId, clientId, threadId }: ApprovalAsker,
): Promise<{ ofAsker: number; parked: number }> {
  const rows = await tx.query<{ ofAsker: number; parked: number }>(
    `select count(*) filter (where ${OF_ASKER})::int as "ofAsker", count(*) filter (where parked)::int as parked from approvals
     where user_id = $1::uuid and status in ('preparing', 'pending') and expires_at > now()`,
    [userId, clientId, threadId],
  );
  return rows[0] ?? { ofAsker: 0, parked: 0 };
}

/** The asker's requests within the last `perMs`, decided or not, and the seconds until the oldest of them no longer counts. */
export async function countAsked(
  tx: Queryable,
  { userId, clientId, threadId, action }: ApprovalAsker & Pick<ApprovalRow, 'action'>,
  perMs: number,
): Promise<{ calls: number; seconds: number }> {
  const rows = await tx.query<{ calls: number; seconds: number | null }>(
    `select count(*)::int as calls, extract(epoch from min(created_at) - now())::float8 + $5::float8 / 1000 as seconds
     from approvals
     where user_id = $1::uuid and ${OF_ASKER} and action = $4 and created_at > now() - $5::float8 * interval '1 millisecond'`,
    [userId, clientId, threadId, action, perMs],
  );
  return { calls: rows[0]?.calls ?? 0, seconds: rows[0]?.seconds ?? 0 };
}

/** What a call has in common with those like it. */
export type ApprovalLike = Pick<ApprovalRow, 'userId' | 'action' | 'normalizedHash' | 'idempotencyKey'>;

/**
 * Of each call, in their order: earlier requests for the same one, or under the same idempotency key, newest first; of parked ones, as
 * long as they are kept. The arrays in arrays hide how many there are, so that Postgres plans once.
 */
export async function selectLikeApprovals(db: Queryable, asked: readonly ApprovalLike[]): Promise<ApprovalRow[][]> {
  const rows = await db.query<ApprovalRow & { place: number }>(
    {
      name: 'approvals-like',
      text: `select asked.place::int - 1 as place, alike.*
             from unnest(array(select unnest($1::uuid[])), array(select unnest($2::text[])), array(select unnest($3::text[])),
                 array(select unnest($4::text[]))) with ordinality as asked (user_id, action, hash, idempotency_key, place)
               cross join lateral (
                 select ${COLUMNS} from approvals
                 where user_id = asked.user_id and action = asked.action
                   and (${isAboutArguments('asked.hash')} or idempotency_key = asked.idempotency_key)
                   and (created_at > now() - interval '24 hours' or parked) offset 0) as alike
             order by asked.place, alike."createdAt" desc, alike.id`,
    },
    [
      asked.map(({ userId }) => userId),
      asked.map(({ action }) => action),
      asked.map(({ normalizedHash }) => normalizedHash),
      asked.map(({ idempotencyKey }) => idempotencyKey),
    ],
  );
  const byPlace = Map.groupBy(rows, ({ place }) => place);
  return asked.map((_, place) => byPlace.get(place) ?? []);
}

/** Replaces what a pending request is about. @returns false when it was decided or has expired meanwhile */
export async function replaceArguments(
  tx: Queryable,
  { userId, id, argumentsHash, normalizedHash, items }: Pick<NewApproval, 'userId' | 'id' | 'argumentsHash' | 'normalizedHash' | 'items'>,
  sealed: Buffer,
): Promise<boolean> {
  const rows = await tx.query(
    `update approvals set arguments = $3, arguments_hash = decode($4, 'hex'), input_hash = decode($5, 'hex'), items = $6::bytea[], edited = true,
       asked_arguments_hash = coalesce(asked_arguments_hash, arguments_hash), asked_input_hash = coalesce(asked_input_hash, input_hash)
     where id = $1::uuid and user_id = $2::uuid and status = 'pending' and expires_at > now() returning id`,
    [id, userId, sealed, argumentsHash, normalizedHash, items],
  );
  return rows.length > 0;
}

/** What is shown of a pending request whose arguments stay. @returns false when it was decided or has expired meanwhile, or has others */
export async function renewPreview(
  tx: Queryable,
  { userId, id, argumentsHash, items }: Pick<NewApproval, 'userId' | 'id' | 'argumentsHash' | 'items'>,
  sealed: Buffer,
): Promise<boolean> {
  const rows = await tx.query(
    `update approvals set arguments = $3, items = $5::bytea[]
     where id = $1::uuid and user_id = $2::uuid and status = 'pending' and expires_at > now() and arguments_hash = decode($4, 'hex') returning id`,
    [id, userId, sealed, argumentsHash, items],
  );
  return rows.length > 0;
}

/**
 * Decides a pending request, once; its arguments are deleted. It is approved with these arguments only.
 *
 * @param runMs approved: the run ends within this time; null: denied
 * @returns whether its arguments were changed; undefined when it was decided or has expired meanwhile, or now has other arguments
 */
export async function decideApproval(
  tx: Queryable,
  { userId, id, argumentsHash }: Pick<ApprovalRow, 'userId' | 'id' | 'argumentsHash'>,
  runMs: number | null,
): Promise<{ edited: boolean } | undefined> {
  const rows = await tx.query<{ edited: boolean }>(
    `update approvals set status = case when $3::float8 is null then 'denied' else 'approved' end, decided_at = now(), arguments = null,
       expires_at = ${SETTLED}, outcome_until = now() + $3::float8 * interval '1 millisecond'
     where id = $1::uuid and user_id = $2::uuid and status = 'pending' and expires_at > now()
       and ($3::float8 is null or arguments_hash = decode($4, 'hex')) returning edited`,
    [id, userId, runMs, argumentsHash],
  );
  return rows[0];
}

/** Why an approval can't be decided any more, and the SQL condition; `$2` is the reason's own value. */
const ENDED = {
  // The time of the service's clock, by which parked ones expire.
  expired: '(expires_at <= now() or (parked and expires_at <= $2::timestamptz))',
  disconnected: 'account_id = $2::uuid',
  reconfigured: '$2::jsonb ->> action is distinct from revision',
  exposed: 'id = $2::uuid',
  revoked: 'client_id = $2::uuid',
  thread_deleted: 'thread_id = $2::text',
  read_only: `account_id = ($2::jsonb ->> 'accountId')::uuid
    and (($2::jsonb ->> 'clientId') is null or client_id = ($2::jsonb ->> 'clientId')::uuid)`,
} as const;

export type EndReason = keyof typeof ENDED;

export interface EndedApproval extends Pick<ApprovalRow, 'id' | 'action' | 'accountId' | 'clientId' | 'threadId'> {
  /** The user has seen it. */
  shown: boolean;
}

/** Users with approvals that have to end, at most `limit`. */
export async function selectUsersToEnd(db: Queryable, reason: EndReason, value: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ userId: string }>(
    `/* all users: a change of the configuration */ select distinct user_id as "userId" from approvals
     where status in ('preparing', 'pending') and ${ENDED[reason]} limit $1::int`,
    [limit, value],
  );
  return rows.map(({ userId }) => userId);
}

/** Ends a user's open approvals for that reason; their arguments are deleted. */
export async function endApprovals(tx: Queryable, userId: string, reason: EndReason, value: string): Promise<EndedApproval[]> {
  return tx.query<EndedApproval>(
    `with ending as (
       select id, status = 'pending' as shown from approvals
       where user_id = $1::uuid and status in ('preparing', 'pending') and ${ENDED[reason]} order by created_at, id for update
     )
     update approvals a set status = 'ended', end_reason = $3, decided_at = now(), arguments = null, expires_at = ${SETTLED} from ending
     where a.user_id = $1::uuid and a.id = ending.id returning a.id, a.action, a.account_id as "accountId", a.client_id as "clientId", a.thread_id as "threadId",
       ending.shown`,
    [userId, value, reason],
  );
}
