import type { Taint } from '../../actions/shared/labels.ts';
import type { Queryable } from '../../database/database.ts';

/** For how long what is written keeps the labels of what had been read before. */
const LABELLED = '30 days';
/** For how long questions tell of other changes. */
const TOLD = '1 day';

/** What a context writes. */
export interface Written {
  /** Hashes of ids. */
  items: readonly Buffer[];
  /** Of what it may repeat: its labels count, too. */
  of: readonly Buffer[];
  /** Labels of the context that are known already. */
  labels: Taint;
  /** By the service's clock, like the provider's times that it is compared with. */
  at: Date;
}

/** An item with the labels of what had been read before it was written. */
export interface LabelledRow extends Taint {
  item: Buffer;
}

/** Remembers what a context writes, with the labels of what was read in it. @param onlyLabelled not what has none */
export async function rememberItems(
  db: Queryable,
  userId: string,
  context: string,
  { items, of, labels: { isTainted, isFinancial }, at }: Written,
  onlyLabelled: boolean,
): Promise<void> {
  await db.query(
    {
      name: 'written-items-remember',
      // In the order of the key, so that two statements don't wait for each other.
      text: `with labels as (
               select coalesce(bool_or(tainted), false) as tainted, coalesce(bool_or(financial), false) as financial from (
                 select c.tainted_until > now() as tainted, c.financial_until > now() as financial
                 from contexts c where c.user_id = $1::uuid and c.name = $2
                 union all
                 select w.is_tainted, w.is_financial
                 from written_items w where w.user_id = $1::uuid and w.item = any($4::bytea[]) and w.until > now()
                 union all
                 values ($5::boolean, $6::boolean)
               ) as known)
             insert into written_items as w (user_id, item, context, is_tainted, is_financial, written_at, until)
             select u.id, i.item, $2, l.tainted, l.financial, $8::timestamptz,
               now() + case when l.tainted or l.financial then interval '${LABELLED}' else interval '${TOLD}' end
             from users u cross join labels l cross join (select distinct unnest($3::bytea[]) as item) i
             where u.id = $1::uuid and (l.tainted or l.financial or not $7::boolean)
             order by i.item
             on conflict (user_id, item) do update set context = excluded.context, written_at = excluded.written_at,
               is_tainted = excluded.is_tainted or (w.is_tainted and w.until > now()),
               is_financial = excluded.is_financial or (w.is_financial and w.until > now()),
               until = greatest(excluded.until, w.until)`,
    },
    [userId, context, items, of, isTainted, isFinancial, onlyLabelled, at],
  );
}

/** Those of the items that have a label. */
export function selectLabelledItems(db: Queryable, userId: string, items: readonly Buffer[]): Promise<LabelledRow[]> {
  return db.query<LabelledRow>(
    {
      name: 'written-items-labelled',
      text: `select item, is_tainted as "isTainted", is_financial as "isFinancial" from written_items
             where user_id = $1::uuid and item = any($2::bytea[]) and until > now() and (is_tainted or is_financial)`,
    },
    [userId, items],
  );
}

/** When a context last wrote one of the items, within a day before `now`. @returns undefined: it didn't */
export async function selectWrittenAt(
  db: Queryable,
  userId: string,
  context: string,
  items: readonly Buffer[],
  now: Date,
): Promise<Date | undefined> {
  const rows = await db.query<{ at: Date | null }>(
    {
      name: 'written-items-by',
      text: `select max(written_at) as at from written_items
             where user_id = $1::uuid and item = any($3::bytea[]) and context = $2 and written_at > $4::timestamptz - interval '${TOLD}'`,
    },
    [userId, context, items, now],
  );
  return rows[0]?.at ?? undefined;
}

/** The labels of all that a user's contexts wrote. */
export async function selectLabels(db: Queryable, userId: string): Promise<Taint> {
  const rows = await db.query<Taint>(
    {
      name: 'written-items-labels',
      text: `select coalesce(bool_or(is_tainted), false) as "isTainted", coalesce(bool_or(is_financial), false) as "isFinancial"
             from written_items where user_id = $1::uuid and until > now() and (is_tainted or is_financial)`,
    },
    [userId],
  );
  return rows[0] as Taint;
}
