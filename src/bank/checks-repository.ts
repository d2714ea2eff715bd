import type { Queryable } from '../database/database.ts';

/** Interval of scheduled checks of an item, with jitter of a quarter. */
const BETWEEN_CHECKS = '6 hours';
/** How long a replica has an item to itself, and the pause after a failed check. */
const LEASE = '15 minutes';

/** Leases items to the caller that were not checked for hours. */
export async function leaseDueItems(db: Queryable, limit: number): Promise<{ id: string; userId: string }[]> {
  return db.query<{ id: string; userId: string }>(
    `update bank_items set check_after = now() + $2::interval * (0.75 + random() / 2)
     where id in (select id from bank_items where check_after < now() order by check_after limit $1 for no key update skip locked)
     returning id, user_id as "userId"`,
    [limit, LEASE],
  );
}

/** @param ended the item no longer exists at the aggregator: it is not checked again until it is relinked */
export async function noteChecked(tx: Queryable, userId: string, id: string, ended: boolean): Promise<void> {
  await tx.query(
    `update bank_items set checks = checks + 1,
       check_after = case when $3 then 'infinity' else now() + $4::interval * (0.75 + random() / 2) end
     where id = $1::uuid and user_id = $2::uuid`,
    [id, userId, ended, BETWEEN_CHECKS],
  );
}
