import type { Queryable } from '../../database/database.ts';

/** The next check follows soon. */
const TIMEOUT_MS = 2_000;

/** Which of the grants no longer exist. @param grants the users of the grants, by their ids */
export async function selectEndedGrants(db: Queryable, grants: ReadonlyMap<string, string>): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    {
      name: 'ended-grants',
      text: `select asked.id from unnest($1::uuid[], $2::uuid[]) as asked (id, user_id)
               left join grants g on g.id = asked.id and g.user_id = asked.user_id where g.id is null`,
      query_timeout: TIMEOUT_MS,
    },
    [[...grants.keys()], [...grants.values()]],
  );
  return rows.map(({ id }) => id);
}
