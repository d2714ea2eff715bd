import type { Queryable } from '../database/database.ts';

export interface AccountCounts {
  provider: string;
  accounts: number;
  needsAttention: number;
}

/** How many accounts all users have connected, and how many of them must be authorized again, now or soon; by provider. */
export async function selectAccountCounts(db: Queryable): Promise<AccountCounts[]> {
  return db.query<AccountCounts>(
    `/* all users: counts for operators */ select g.provider, count(*)::int as accounts,
       (count(*) filter (where g.status <> 'active' or a.has_warning))::int as "needsAttention"
     from connected_accounts a join grants g on g.id = a.grant_id and g.user_id = a.user_id group by g.provider`,
  );
}
