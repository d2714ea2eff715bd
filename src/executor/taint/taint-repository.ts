import type { Queryable } from '../../database/database.ts';
import { TAINTED } from '../../database/tables.ts';
import type { ClientGrantRow } from '../call/client-grants-repository.ts';
import { contextOf } from '../call/context-name.ts';

export interface ContextRow {
  isTainted: boolean;
  isFinancial: boolean;
}

/** A thread, and the name of its context. */
export interface ThreadContext {
  id: string;
  name: string;
}

/** Something that was read in a context. */
export interface ContextRead {
  id: string;
  sources: Buffer;
}

/** SQL: the threads have no end of their own, because what was read in one stays in its messages. */
const OF_THREADS = `like 'thread:%'`;

/** What is read: as in {@link ContextRow}, and of which accounts. */
export interface ContextAddition extends ContextRow {
  accountIds: readonly string[];
}

export async function taintContext(
  db: Queryable,
  userId: string,
  name: string,
  { isTainted, isFinancial, accountIds }: ContextAddition,
): Promise<void> {
  await db.query(
    {
      name: 'context-taint',
      text: `with tainted as (
               insert into contexts (user_id, name, tainted_until, financial_until)
               select id, $2, now() + interval '${TAINTED}', case when $3::boolean then now() + interval '${TAINTED}' end
               from users where id = $1::uuid and $4::boolean
               on conflict (user_id, name) do update
               set tainted_until = excluded.tainted_until, financial_until = coalesce(excluded.financial_until, contexts.financial_until))
             insert into context_origins (user_id, name, account_id, until)
             select id, $2, unnest($5::uuid[]), now() + interval '${TAINTED}' from users where id = $1::uuid
             on conflict (user_id, name, account_id) do update set until = excluded.until`,
    },
    [userId, name, isFinancial, isTainted, accountIds],
  );
}

/**
 * Remembers without end what a thread reads. The thread is locked until then: once it is deleted, nothing is stored.
 *
 * @returns false when the user has no such thread
 */
export async function taintThread(
  db: Queryable,
  userId: string,
  { id, name }: ThreadContext,
  { isTainted, isFinancial, accountIds }: ContextAddition,
): Promise<boolean> {
  const rows = await db.query(
    {
      name: 'context-taint-thread',
      text: `with thread as (select user_id from threads where user_id = $1::uuid and id = $4 for key share), tainted as (
               insert into contexts (user_id, name, tainted_until, financial_until)
               select user_id, $2, 'infinity', case when $3::boolean then 'infinity'::timestamptz end from thread where $5::boolean
               on conflict (user_id, name) do update
               set tainted_until = excluded.tainted_until, financial_until = coalesce(excluded.financial_until, contexts.financial_until)
               where contexts.financial_until is null and excluded.financial_until is not null),
             origins as (
               insert into context_origins (user_id, name, account_id, until)
               select user_id, $2, unnest($6::uuid[]), 'infinity' from thread
               on conflict (user_id, name, account_id) do nothing)
             select 1 from thread`,
    },
    [userId, name, isFinancial, id, isTainted, accountIds],
  );
  return rows.length > 0;
}

/** A context that isn't a thread's, or a thread's where nothing depends on whether it was deleted. */
export interface ContextName {
  userId: string;
  name: string;
}

/**
 * Whether each context has read another account, or text of others that nothing says the account of, in their order. The arrays in
 * arrays hide how many there are, so that Postgres plans once.
 */
export async function selectReadElsewhere(db: Queryable, asked: readonly (ContextName & { accountId: string })[]): Promise<boolean[]> {
  const rows = await db.query<{ elsewhere: boolean }>(
    {
      name: 'context-read-elsewhere',
      text: `select coalesce(
               (select bool_or(o.account_id <> asked.account_id) from context_origins o
                where o.user_id = asked.user_id and o.name = asked.name and o.until > now()),
               exists (select 1 from contexts c where c.user_id = asked.user_id and c.name = asked.name and c.tainted_until > now())) as elsewhere
             from unnest(array(select unnest($1::uuid[])), array(select unnest($2::text[])), array(select unnest($3::uuid[])))
               with ordinality as asked (user_id, name, account_id, place)
             order by asked.place`,
    },
    [asked.map(({ userId }) => userId), asked.map(({ name }) => name), asked.map(({ accountId }) => accountId)],
  );
  return rows.map(({ elsewhere }) => elsewhere);
}

/** What was read in a thread. @returns undefined when the user has no such thread */
export async function selectThreadContext(db: Queryable, userId: string, { id, name }: ThreadContext): Promise<ContextRow | undefined> {
  const rows = await db.query<ContextRow>(
    {
      name: 'context-select-thread',
      text: `select coalesce(c.tainted_until > now(), false) as "isTainted", coalesce(c.financial_until > now(), false) as "isFinancial"
             from threads t left join contexts c on c.user_id = t.user_id and c.name = $2
             where t.user_id = $1::uuid and t.id = $3`,
    },
    [userId, name, id],
  );
  return rows[0];
}

/** What was read in each context, in their order. The arrays are as in {@link selectReadElsewhere}. */
export function selectContexts(db: Queryable, asked: readonly ContextName[]): Promise<ContextRow[]> {
  return db.query<ContextRow>(
    {
      name: 'context-select',
      text: `select coalesce(c.tainted_until > now(), false) as "isTainted", coalesce(c.financial_until > now(), false) as "isFinancial"
             from unnest(array(select unnest($1::uuid[])), array(select unnest($2::text[]))) with ordinality as asked (user_id, name, place)
               left join contexts c on c.user_id = asked.user_id and c.name = asked.name
             order by asked.place`,
    },
    [asked.map(({ userId }) => userId), asked.map(({ name }) => name)],
  );
}

/** Stores what was read in a context, and deletes what was read before the last `kept` reads. */
export async function insertRead(
  db: Queryable,
  {
    userId,
    context,
    thread,
    id,
    sources,
    kept,
  }: ContextRead & { userId: string; context: string; thread: string | undefined; kept: number },
): Promise<void> {
  // As above: nothing is stored for a user or a thread that is gone.
  const owner = thread === undefined ? 'users where id = $1::uuid' : 'threads where user_id = $1::uuid and id = $6 for key share';
  await db.query(
    {
      name: thread === undefined ? 'context-read' : 'context-read-thread',
      text: `with outdated as (
               delete from context_reads where user_id = $1::uuid and id = any(array(
                 select id from context_reads where user_id = $1::uuid and context = $2
                 order by read_at desc offset $5::int - 1 for update skip locked))
             )
             insert into context_reads (user_id, context, id, sources)
             select $1::uuid, $2, $3::uuid, $4 from ${owner}`,
    },
    [userId, context, id, sources, kept, ...(thread === undefined ? [] : [thread])],
  );
}

/** What was read in a context, newest first. */
export function selectReads(db: Queryable, userId: string, context: string, limit: number): Promise<ContextRead[]> {
  return db.query<ContextRead>(
    `select id, sources from context_reads
     where user_id = $1::uuid and context = $2 and (context ${OF_THREADS} or read_at > now() - interval '${TAINTED}')
     order by read_at desc limit $3::int`,
    [userId, context, limit],
  );
}

/**
 * Begins the context of an app's new grant with the labels of its earlier ones, also those that have ended: it may keep what
 * it has read.
 */
export async function inheritContext(
  tx: Queryable,
  { id, userId, oauthClientId }: Pick<ClientGrantRow, 'id' | 'userId' | 'oauthClientId'>,
): Promise<void> {
  const name = contextOf({ client: { id } });
  await tx.query(
    `insert into contexts (user_id, name, tainted_until, financial_until)
     select c.user_id, $3, max(c.tainted_until), max(c.financial_until)
     from client_grants g join contexts c on c.user_id = g.user_id and c.name = 'client:' || g.id
     where g.user_id = $1::uuid and g.oauth_client_id = $2 group by c.user_id`,
    [userId, oauthClientId, name],
  );
  await tx.query(
    `insert into context_origins (user_id, name, account_id, until)
     select o.user_id, $3, o.account_id, max(o.until)
     from client_grants g join context_origins o on o.user_id = g.user_id and o.name = 'client:' || g.id
     where g.user_id = $1::uuid and g.oauth_client_id = $2 group by o.user_id, o.account_id`,
    [userId, oauthClientId, name],
  );
}

/** Forgets the texts that were read in a context, but not that they were. */
export async function deleteReads(tx: Queryable, userId: string, name: string): Promise<void> {
  await tx.query('delete from context_reads where user_id = $1::uuid and context = $2', [userId, name]);
}

/** Forgets a context that won't be used again. */
export async function deleteContext(tx: Queryable, userId: string, name: string): Promise<void> {
  await deleteReads(tx, userId, name);
  await tx.query('delete from contexts where user_id = $1::uuid and name = $2', [userId, name]);
  await tx.query('delete from context_origins where user_id = $1::uuid and name = $2', [userId, name]);
}
