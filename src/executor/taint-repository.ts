import type { Queryable } from '../database/database.ts';
import { deleteExpired } from '../database/retention.ts';

/** Longer than an hour by the time for which a process doesn't repeat the statement. */
const TAINTED = '65 minutes';
/** For how long what a tainted context wrote counts as others' text. */
const REMEMBERED = '30 days';

export interface ContextRow {
  isTainted: boolean;
  isFinancial: boolean;
}

/** Something that was read in a context. */
export interface ContextRead {
  id: string;
  sources: Buffer;
}

export async function taintContext(db: Queryable, userId: string, name: string, financial: boolean): Promise<void> {
  await db.query(
    {
      name: 'context-taint',
      text: `insert into contexts (user_id, name, tainted_until, financial_until)
             select id, $2, now() + interval '${TAINTED}', case when $3::boolean then now() + interval '${TAINTED}' end
             from users where id = $1::uuid
             on conflict (user_id, name) do update
             set tainted_until = excluded.tainted_until, financial_until = coalesce(excluded.financial_until, contexts.financial_until)`,
    },
    [userId, name, financial],
  );
}

export async function selectContext(db: Queryable, userId: string, name: string): Promise<ContextRow | undefined> {
  const rows = await db.query<ContextRow>(
    {
      name: 'context-select',
      text: `select tainted_until > now() as "isTainted", coalesce(financial_until > now(), false) as "isFinancial"
             from contexts where user_id = $1::uuid and name = $2`,
    },
    [userId, name],
  );
  return rows[0];
}

/** Stores what was read in a context, and deletes what was read before the last `kept` reads. */
export async function insertRead(
  db: Queryable,
  { userId, context, id, sources, kept }: ContextRead & { userId: string; context: string; kept: number },
): Promise<void> {
  await db.query(
    {
      name: 'context-read',
      text: `with outdated as (
               delete from context_reads where ctid = any(array(
                 select ctid from context_reads where user_id = $1::uuid and context = $2
                 order by read_at desc offset $5::int - 1 for update skip locked))
             )
             insert into context_reads (user_id, context, id, sources)
             select id, $2, $3::uuid, $4 from users where id = $1::uuid`,
    },
    [userId, context, id, sources, kept],
  );
}

/** What was read in a context, newest first. */
export function selectReads(db: Queryable, userId: string, context: string, limit: number): Promise<ContextRead[]> {
  return db.query<ContextRead>(
    `select id, sources from context_reads
     where user_id = $1::uuid and context = $2 and read_at > now() - interval '${TAINTED}' order by read_at desc limit $3::int`,
    [userId, context, limit],
  );
}

/** Remembers what a context writes, if it has read text of others or writes with something `of` what such a context wrote. */
export async function rememberItems(
  db: Queryable,
  userId: string,
  context: string,
  { items, of }: Record<'items' | 'of', readonly Buffer[]>,
): Promise<void> {
  await db.query(
    {
      name: 'tainted-items-remember',
      text: `insert into tainted_items (user_id, item, until)
             select distinct u.id, item, now() + interval '${REMEMBERED}'
             from users u cross join unnest($3::bytea[]) as item
             where u.id = $1::uuid and (
               exists (select 1 from contexts c where c.user_id = u.id and c.name = $2 and c.tainted_until > now())
               or exists (select 1 from tainted_items t where t.user_id = u.id and t.item = any($4::bytea[]) and t.until > now()))
             on conflict (user_id, item) do update set until = excluded.until`,
    },
    [userId, context, items, of],
  );
}

/** Those of the items that a tainted context wrote. */
export async function selectTaintedItems(db: Queryable, userId: string, items: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await db.query<{ item: Buffer }>(
    {
      name: 'tainted-items-among',
      text: `select item from tainted_items where user_id = $1::uuid and item = any($2::bytea[]) and until > now()`,
    },
    [userId, items],
  );
  return rows.map(({ item }) => item);
}

export async function deleteOldContexts(db: Queryable): Promise<void> {
  await deleteExpired(db, 'contexts', 'tainted_until < now()');
  await deleteExpired(db, 'context_reads', `read_at < now() - interval '${TAINTED}'`);
  await deleteExpired(db, 'tainted_items', 'until < now()');
}

/** Forgets what was read in a context that won't be used again. */
export async function deleteContext(tx: Queryable, userId: string, name: string): Promise<void> {
  await tx.query('delete from context_reads where user_id = $1::uuid and context = $2', [userId, name]);
  await tx.query('delete from contexts where user_id = $1::uuid and name = $2', [userId, name]);
}
