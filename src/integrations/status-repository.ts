import type { Queryable } from '../database/database.ts';

export interface ProviderStatus {
  connected: boolean;
  needs_attention: number;
}

/** A user's status at each of the providers, derived from the connected accounts. */
export async function selectStatus(db: Queryable, userId: string, providers: readonly string[]): Promise<Record<string, ProviderStatus>> {
  const rows = await db.query<ProviderStatus & { provider: string }>(
    `select g.provider, true as connected, (count(*) filter (where g.status <> 'active' or a.has_warning))::int as needs_attention
     from connected_accounts a join grants g on g.id = a.grant_id and g.user_id = a.user_id where a.user_id = $1::uuid group by g.provider`,
    [userId],
  );
  const statuses = new Map(rows.map(({ provider, ...status }) => [provider, status]));
  return Object.fromEntries(providers.map((name) => [name, statuses.get(name) ?? { connected: false, needs_attention: 0 }]));
}
