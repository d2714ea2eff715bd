import type { Queryable } from '../database/database.ts';
import type { SourceSettings } from '../providers/mcp/source-settings.ts';

export interface ProviderStatus {
  connected: boolean;
  needs_attention: number;
}

/** A user's status at each of the providers, and at each source. */
export interface ConnectionStatus {
  providers: Record<string, ProviderStatus>;
  sources: Record<string, ProviderStatus & { label: string }>;
}

const NONE: ProviderStatus = { connected: false, needs_attention: 0 };

/** A user's status, derived from the connected accounts. */
export async function selectStatus(
  db: Queryable,
  userId: string,
  providers: readonly string[],
  sources: ReadonlyMap<string, Pick<SourceSettings, 'label'>>,
): Promise<ConnectionStatus> {
  const rows = await db.query<ProviderStatus & { provider: string; source: string | null }>(
    `select g.provider, a.source, true as connected,
       (count(*) filter (where g.status <> 'active' or a.has_warning))::int as needs_attention
     from connected_accounts a join grants g on g.id = a.grant_id and g.user_id = a.user_id
     where a.user_id = $1::uuid group by g.provider, a.source`,
    [userId],
  );
  const statuses = new Map(rows.map(({ provider, source, ...status }) => [keyOf(provider, source), status]));
  return {
    providers: Object.fromEntries(providers.map((name) => [name, statuses.get(keyOf(name, null)) ?? NONE])),
    sources: Object.fromEntries([...sources].map(([name, { label }]) => [name, { label, ...(statuses.get(keyOf('mcp', name)) ?? NONE) }])),
  };
}

function keyOf(provider: string, source: string | null): string {
  return `${provider} ${source ?? ''}`;
}
