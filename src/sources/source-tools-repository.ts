import type { Queryable } from '../database/database.ts';
import type { AccountRow } from './accounts-repository.ts';
import type { ToolPin } from './pinned-tool.ts';

/** The stored tools of an account, by name. */
export async function selectPins(db: Queryable, userId: string, accountId: string): Promise<ToolPin[]> {
  return db.query<ToolPin>(
    {
      name: 'source-tool-pins',
      text: `select tool, approved_hash as "approvedHash", listed_hash as "listedHash", problem, is_blocked as "isBlocked"
             from source_tools where user_id = $1::uuid and account_id = $2::uuid order by tool`,
    },
    [userId, accountId],
  );
}

/** Those of all accounts of a user. */
export async function selectPinsOfUser(db: Queryable, userId: string): Promise<(ToolPin & { accountId: string })[]> {
  return db.query<ToolPin & { accountId: string }>(
    `select account_id as "accountId", tool, approved_hash as "approvedHash", listed_hash as "listedHash", problem, is_blocked as "isBlocked"
     from source_tools where user_id = $1::uuid`,
    [userId],
  );
}

/** Encrypted definitions of a tool, with their hashes. */
export interface SealedTool {
  tool: string;
  approvedHash: string | null;
  approved: Buffer | null;
  listedHash: string | null;
  listed: Buffer | null;
}

/** The definitions of those of an account's tools that have one of the hashes. */
export async function selectDefinitions(db: Queryable, userId: string, accountId: string, hashes: string[]): Promise<SealedTool[]> {
  return db.query<SealedTool>(
    `select tool, approved_hash as "approvedHash", listed_hash as "listedHash",
       case when approved_hash = any($3::text[]) then approved end as approved,
       case when listed_hash = any($3::text[]) then listed end as listed
     from source_tools
     where user_id = $1::uuid and account_id = $2::uuid and (approved_hash = any($3::text[]) or listed_hash = any($3::text[]))`,
    [userId, accountId, hashes],
  );
}

/** What a server lists of a tool: the definition encrypted, and its hash; null: it lists it no more. */
export interface Listed {
  tool: string;
  hash: string | null;
  definition: Buffer | null;
  /** The same, encrypted to be stored as approved; null: what was approved before stays. */
  approved: Buffer | null;
  /** Why what the server lists can't be used. */
  problem: string | null;
}

export async function upsertListed(
  tx: Queryable,
  { userId, id, source }: Pick<AccountRow, 'id' | 'userId' | 'source'>,
  listed: readonly Listed[],
): Promise<void> {
  await tx.query(
    `insert into source_tools (user_id, account_id, source, tool, listed_hash, listed, approved_hash, approved, problem)
     select $1::uuid, $2::uuid, $7, tool, hash, definition, case when approved is not null then hash end, approved, problem
     from unnest($3::text[], $4::text[], $5::bytea[], $6::bytea[], $8::text[]) as given (tool, hash, definition, approved, problem)
     on conflict (user_id, account_id, tool) do update set listed_hash = excluded.listed_hash, listed = excluded.listed,
       problem = excluded.problem,
       approved_hash = coalesce(excluded.approved_hash, source_tools.approved_hash),
       approved = coalesce(excluded.approved, source_tools.approved), changed_at = now()`,
    [
      userId,
      id,
      listed.map(({ tool }) => tool),
      listed.map(({ hash }) => hash),
      listed.map(({ definition }) => definition),
      listed.map(({ approved }) => approved),
      source,
      listed.map(({ problem }) => problem),
    ],
  );
}

/** A user's decision. @param approved the listed definition, encrypted as approved; null: what was approved before stays */
export async function updateDecision(
  tx: Queryable,
  userId: string,
  accountId: string,
  { tool, isBlocked, approved }: { tool: string; isBlocked: boolean; approved: Buffer | null },
): Promise<void> {
  await tx.query(
    `update source_tools set is_blocked = $4, changed_at = now(),
       approved_hash = case when $5::bytea is null then approved_hash else listed_hash end, approved = coalesce($5::bytea, approved)
     where user_id = $1::uuid and account_id = $2::uuid and tool = $3`,
    [userId, accountId, tool, isBlocked, approved],
  );
}
