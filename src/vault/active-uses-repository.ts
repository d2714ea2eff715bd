import type { Queryable } from '../database/database.ts';

/** The next check follows soon. */
const TIMEOUT_MS = 2_000;

/** Which of the grants no longer exist. */
export async function selectEndedGrants(db: Queryable, grantIds: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    {
      name: 'ended-grants',
      text: 'select asked.id from unnest($1::uuid[]) as asked (id) left join grants g on g.id = asked.id where g.id is null',
      query_timeout: TIMEOUT_MS,
    },
    [grantIds],
  );
  return rows.map(({ id }) => id);
}
