import type { Queryable } from '../database/database.ts';

export interface ProviderStatus {
  connected: boolean;
  needs_attention: number;
}

/** Derived from what is connected, never stored beside it. */
export async function selectStatus(db: Queryable, userId: string): Promise<{ workspace: ProviderStatus; bank: ProviderStatus }> {
  const rows = await db.query<ProviderStatus & { provider: string }>(
    `select g.provider, true as connected, (count(*) filter (where g.status <> 'active' or i.warning is not null))::int as needs_attention
     from grants g left join bank_items i on i.grant_id = g.id where g.user_id = $1::uuid group by g.provider`,
    [userId],
  );
  const none: ProviderStatus = { connected: false, needs_attention: 0 };
  const of = (provider: string) => rows.find((row) => row.provider === provider) ?? none;
  return { workspace: of('workspace'), bank: of('bank') };
}
