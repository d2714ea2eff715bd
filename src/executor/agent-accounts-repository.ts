import type { Queryable } from '../database/database.ts';
import type { GrantStatus, Provider } from '../vault/grants-repository.ts';
import { REFRESH_COLUMNS, type RefreshRow } from '../vault/refresh/refresh-repository.ts';

/** A connected account of either provider, as far as choosing one needs it. */
export interface AgentAccountRow {
  id: string;
  grantId: string;
  provider: Provider;
  /** E-mail address, or the bank's name. */
  label: string;
  /** Of a bank's entry: the last digits of its accounts' numbers, which tell it from another entry of the same bank. */
  masks: string[];
  isDefault: boolean;
  status: GrantStatus;
  scopes: string[];
}

type Row = RefreshRow & Pick<AgentAccountRow, 'label' | 'masks' | 'isDefault' | 'scopes'> & { accountId: string };

/**
 * All accounts of each user, connected longest first, and what using them takes: whoever asks for the accounts is about
 * to use one. Read user by user: for many at once, the planner would begin parallel workers.
 */
export async function selectAgentAccounts(
  db: Queryable,
  userIds: readonly string[],
): Promise<{ accounts: AgentAccountRow[][]; grants: RefreshRow[] }> {
  const rows = await db.query<Row>(
    {
      name: 'agent-accounts',
      text: `select a.id as "accountId", a.label, a.masks, a.is_default as "isDefault", g.scopes, ${REFRESH_COLUMNS}
             from unnest($1::uuid[]) as asked (user_id)
               cross join lateral (
                 select id, grant_id, email as label, '[]'::jsonb as masks, is_default, connected_at
                 from workspace_accounts where user_id = asked.user_id
                 union all
                 select id, grant_id, bank_name, jsonb_path_query_array(accounts, '$[0 to 9].mask ? (@ != null && @ != "")'), false, connected_at
                 from bank_items where user_id = asked.user_id
               ) a join grants g on g.id = a.grant_id left join user_keys k on k.user_id = g.user_id
             order by a.connected_at, a.id`,
    },
    [[...new Set(userIds)]],
  );
  const ofUser = new Map<string, AgentAccountRow[]>();
  for (const row of rows) {
    const own = ofUser.get(row.userId);
    if (own === undefined) ofUser.set(row.userId, [accountOf(row)]);
    else own.push(accountOf(row));
  }
  return { accounts: userIds.map((userId) => ofUser.get(userId) ?? []), grants: rows.filter(({ keyId }) => keyId !== null) };
}

/** Whether the user still has the account: for good, until the transaction ends, once it has locked the user. */
export async function isConnected(tx: Queryable, userId: string, accountId: string): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from workspace_accounts where id = $1::uuid and user_id = $2::uuid
     union all
     select 1 from bank_items where id = $1::uuid and user_id = $2::uuid`,
    [accountId, userId],
  );
  return rows.length > 0;
}

function accountOf({ accountId, id, provider, label, masks, isDefault, status, scopes }: Row): AgentAccountRow {
  return { id: accountId, grantId: id, provider, label, masks, isDefault, status, scopes };
}
