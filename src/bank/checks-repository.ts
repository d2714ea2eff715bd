import type { Queryable } from '../database/database.ts';

/** Between two readings of an item that nobody asked for; some earlier, some later, so that they spread. */
const BETWEEN_CHECKS = '6 hours';
/** How long whoever reads an item keeps others from it, and the pause after a reading that failed. */
const LEASE = '15 minutes';

/** Entries that nobody has read for hours, as long as they are leased to the caller. */
export async function leaseDueItems(db: Queryable, limit: number): Promise<{ id: string; userId: string }[]> {
  return db.query<{ id: string; userId: string }>(
    `update bank_items set check_after = now() + $2::interval * (0.75 + random() / 2)
     where id in (select id from bank_items where check_after < now() order by check_after limit $1 for no key update skip locked)
     returning id, user_id as "userId"`,
    [limit, LEASE],
  );
}

/** @param ended the item is gone for good: it isn't read again until it is linked anew */
export async function noteChecked(tx: Queryable, userId: string, id: string, ended: boolean): Promise<void> {
  await tx.query(
    `update bank_items set checks = checks + 1,
       check_after = case when $3 then 'infinity' else now() + $4::interval * (0.75 + random() / 2) end
     where id = $1::uuid and user_id = $2::uuid`,
    [id, userId, ended, BETWEEN_CHECKS],
  );
}
