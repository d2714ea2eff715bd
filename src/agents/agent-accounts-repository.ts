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
      text: `select a.user_id as "userId", a.id, a.grant_id as "grantId", a.provider, a.label, a.is_default as "isDefault", g.status, g.scopes
             from (
               select user_id, id, grant_id, 'workspace' as provider, email as label, is_default, connected_at
               from workspace_accounts where user_id = any($1::uuid[])
               union all
               select user_id, id, grant_id, 'bank', bank_name, false, connected_at
               from bank_items where user_id = any($1::uuid[])
             ) a join grants g on g.id = a.grant_id
             order by a.connected_at, a.id`,
    },
    [[...new Set(userIds)]],
  );
  const ofUser = Map.groupBy(rows, ({ userId }) => userId);
  return userIds.map((userId) => ofUser.get(userId) ?? []);
}
