import type { Queryable } from '../database/database.ts';

export interface ProviderStatus {
  connected: boolean;
  needs_attention: number;
}

/** Derived from what is connected, never stored beside it. */
export async function selectStatus(db: Queryable, userId: string): Promise<{ workspace: ProviderStatus; bank: ProviderStatus }> {
  const rows = await db.query<ProviderStatus & { provider: string }>(
    `select provider, true as connected, (count(*) filter (where status <> 'active'))::int as needs_attention
     from grants where user_id = $1::uuid group by provider`,
    [userId],
  );
  const none: ProviderStatus = { connected: false, needs_attention: 0 };
  const of = (provider: string) => rows.find((row) => row.provider === provider) ?? none;
  return { workspace: of('workspace'), bank: of('bank') };
}
