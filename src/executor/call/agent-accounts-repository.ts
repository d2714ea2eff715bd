import type { Clock } from '../../clock/clock.ts';
import type { Queryable } from '../../database/database.ts';
import type { Provider } from '../../providers/shared/provider.ts';
import type { ShownTool } from '../../sources/tool-binding.ts';
import { addressKey } from '../../validation/email-address.ts';
import type { GrantStatus } from '../../vault/grants/grants-repository.ts';
import { GRANT_IN_USE_COLUMNS, type GrantInUse } from '../../vault/refresh/refresh-repository.ts';

/** A connected account, with what selecting one needs. */
export interface AgentAccountRow {
  id: string;
  grantId: string;
  provider: Provider;
  /** Mail address, or the bank's name. */
  label: string;
  /** The last digits of its accounts' numbers, which distinguish several connections to one bank. */
  masks: readonly string[];
  isDefault: boolean;
  status: GrantStatus;
  scopes: readonly string[];
  /** The user has items that were written after others' text, or data of a bank, was read. */
  hasLabelledItems: boolean;
  /** The user is being asked about a call, of whatever account; not by a run of an automation, whose questions wait for days. */
  hasOpenQuestions: boolean;
  /** Clients for which the user has set it to read-only; null among them: for everything. */
  readOnlyFor: readonly (string | null)[];
  /** Name of the source to which it is a connection; null: an account of another provider. */
  source: string | null;
  /** Of a connection to a source: changes with the tools that may be called. */
  toolsVersion: number;
  /** Of a connection to a source, where it is read for a list: the tools that may be called now, by the names of their actions. */
  tools?: ReadonlyMap<string, ShownTool>;
}

/** Whose accounts are read. */
export interface AccountsQuery {
  userId: string;
  /** undefined: the accounts of all providers. */
  provider: Provider | undefined;
}

/** A user's accounts, connected longest first. Concurrent calls of the user share them. */
export interface UserAccounts {
  readonly accounts: readonly AgentAccountRow[];
  /** Their addresses, in lower case. */
  readonly addresses: readonly string[];
  /** What a use of the accounts needs. Accounts of users without a key are omitted. */
  readonly grants: readonly GrantInUse[];
}

type Row = Omit<GrantInUse, 'readAt'> &
  Pick<
    AgentAccountRow,
    'label' | 'masks' | 'isDefault' | 'scopes' | 'hasLabelledItems' | 'hasOpenQuestions' | 'readOnlyFor' | 'source' | 'toolsVersion'
  > & {
    accountId: string;
    place: number;
  };

/**
 * The accounts that each query names, in the queries' order. `offset 0` keeps each grant's account an index scan: joined to
 * the view directly, the planner reads whole tables. The arrays in arrays hide how many there are: otherwise the plan for a
 * few of them looks so much cheaper than the general one that each execution plans again (0.49 ms instead of 0.08 ms for
 * one user).
 */
export async function selectUserAccounts(db: Queryable, clock: Clock, queries: readonly AccountsQuery[]): Promise<UserAccounts[]> {
  const places = new Map<string, number>();
  const asked: AccountsQuery[] = [];
  const placeOf = queries.map((query) => {
    const key = `${query.userId} ${query.provider}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, asked.length);
    return asked.push(query) - 1;
  });
  const readAt = clock.monotonic();
  const rows = await db.query<Row>(
    {
      name: 'user-accounts',
      text: `select asked.place::int - 1 as place, a.id as "accountId", a.label, a.masks, a.is_default as "isDefault", a.source,
               a.tools_version as "toolsVersion", g.scopes,
               exists (select 1 from written_items w where w.user_id = asked.user_id and (w.is_tainted or w.is_financial)) as "hasLabelledItems",
               exists (select 1 from approvals p where p.user_id = asked.user_id and p.status in ('preparing', 'pending')
                 and p.expires_at > now() and not p.parked) as "hasOpenQuestions",
               array(select client_id from read_only_accounts where grant_id = g.id and user_id = asked.user_id) as "readOnlyFor",
               ${GRANT_IN_USE_COLUMNS}
             from unnest(array(select unnest($1::uuid[])), array(select unnest($2::text[])))
                 with ordinality as asked (user_id, provider, place)
               join grants g on g.user_id = asked.user_id and g.provider = coalesce(asked.provider, g.provider)
               cross join lateral (select * from connected_accounts where grant_id = g.id and user_id = asked.user_id offset 0) a
               left join user_keys k on k.user_id = asked.user_id
             order by a.connected_at, a.id`,
    },
    [asked.map(({ userId }) => userId), asked.map(({ provider }) => provider ?? null)],
  );
  const byQuery = Map.groupBy(rows, ({ place }) => place);
  const found = asked.map((_, place) => userAccounts(byQuery.get(place) ?? [], readAt));
  return placeOf.map((place) => found[place] as UserAccounts);
}

/**
 * The user's connection of an account, and whether it is read-only for this client. It stays so until the transaction
 * ends, once it has locked the user.
 *
 * @returns undefined when the user no longer has the account
 */
export async function selectConnection(
  tx: Queryable,
  userId: string,
  accountId: string,
  clientId: string | undefined,
): Promise<{ isReadOnly: boolean } | undefined> {
  const rows = await tx.query<{ isReadOnly: boolean }>(
    `select exists (
       select 1 from read_only_accounts where grant_id = a.grant_id and user_id = $2::uuid and (client_id is null or client_id = $3::uuid)
     ) as "isReadOnly"
     from connected_accounts a where a.id = $1::uuid and a.user_id = $2::uuid`,
    [accountId, userId, clientId ?? null],
  );
  return rows[0];
}

function userAccounts(rows: readonly Row[], readAt: number): UserAccounts {
  const grants: GrantInUse[] = [];
  for (const row of rows) if (row.keyId !== null) grants.push(Object.assign(row, { readAt }));
  return {
    accounts: rows.map(accountOf),
    addresses: rows.map(({ label }) => addressKey(label)),
    grants,
  };
}

function accountOf({
  accountId,
  id,
  provider,
  label,
  masks,
  isDefault,
  status,
  scopes,
  source,
  toolsVersion,
  ...row
}: Row): AgentAccountRow {
  const { hasLabelledItems, hasOpenQuestions, readOnlyFor } = row;
  const marks = { hasLabelledItems, hasOpenQuestions, readOnlyFor };
  return { id: accountId, grantId: id, provider, label, masks, isDefault, status, scopes, source, toolsVersion, ...marks };
}
