import type { Queryable } from '../database/database.ts';
import type { GrantStatus, Provider } from '../vault/grants-repository.ts';

/** A connected account of either provider, as far as choosing one needs it. */
export interface AgentAccountRow {
  id: string;
  grantId: string;
  provider: Provider;
  /** E-mail address, or the bank's name. */
  label: string;
  isDefault: boolean;
  status: GrantStatus;
  scopes: string[];
}

/** All accounts of each user, connected longest first. */
export async function selectAgentAccounts(db: Queryable, userIds: readonly string[]): Promise<AgentAccountRow[][]> {
  const rows = await db.query<AgentAccountRow & { userId: string }>(
    {
      name: 'agent-accounts',
      text: `select a.user_id as "userId", a.id, a.grant_id as "grantId", 'workspace' as provider, a.email as label, a.is_default as "isDefault", g.status, g.scopes, a.connected_at as "connectedAt"
             from workspace_accounts a join grants g on g.id = a.grant_id where a.user_id = any($1::uuid[])
             union all
             select i.user_id, i.id, i.grant_id, 'bank', i.bank_name, false, g.status, g.scopes, i.connected_at
             from bank_items i join grants g on g.id = i.grant_id where i.user_id = any($1::uuid[])
             order by "connectedAt", id`,
    },
    [[...new Set(userIds)]],
  );
  const ofUser = Map.groupBy(rows, ({ userId }) => userId);
  return userIds.map((userId) => ofUser.get(userId) ?? []);
}
