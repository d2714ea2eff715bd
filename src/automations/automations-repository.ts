import type { Queryable } from '../database/database.ts';
import type { OwnAccount } from './definition/check-definition.ts';
import type { AutomationKind } from './definition/trigger.ts';

export type AutomationState = 'active' | 'paused';
export type PausedBy = 'user' | 'failures' | 'account';

export interface AutomationRow {
  id: string;
  state: AutomationState;
  /** null: it is active. */
  pausedBy: PausedBy | null;
  kind: AutomationKind;
  /** Whose events start it; null: a schedule, or events of all accounts. */
  accountId: string | null;
  /** Every account that its definition names. */
  namedAccounts: string[];
  /** Encrypted. */
  definition: Buffer;
  /** The planned time of the next run of an active schedule; null: none. */
  dueAt: Date | null;
  failures: number;
  createdAt: Date;
  updatedAt: Date;
  /** Of one that waits for events of an account: when that was last read, and the code of the error with which the last try failed. */
  lookedAt: Date | null;
  lookError: string | null;
}

const SELECT = `select a.id, a.state, a.paused_by as "pausedBy", a.kind, a.account_id as "accountId", a.named_accounts as "namedAccounts",
    a.definition, a.due_at as "dueAt", a.failures, a.created_at as "createdAt", a.updated_at as "updatedAt",
    w.looked_at as "lookedAt", w.error as "lookError"
  from automations a left join watches w
    on w.user_id = a.user_id and w.account_id = a.account_id and w.kind = split_part(a.kind, '.', 1)
  where a.user_id = $1::uuid`;
/** Oldest first. */
export function selectAutomations(db: Queryable, userId: string): Promise<AutomationRow[]> {
  return db.query<AutomationRow>(`${SELECT} order by a.created_at, a.id`, [userId]);
}

export async function selectAutomation(db: Queryable, userId: string, id: string): Promise<AutomationRow | undefined> {
  const rows = await db.query<AutomationRow>(`${SELECT} and a.id = $2::uuid`, [userId, id]);
  return rows[0];
}

/** As {@link selectAutomation}, locked until the transaction ends. */
export async function lockAutomation(tx: Queryable, userId: string, id: string): Promise<AutomationRow | undefined> {
  const rows = await tx.query<AutomationRow>(`${SELECT} and a.id = $2::uuid for no key update of a`, [userId, id]);
  return rows[0];
}

export async function countAutomations(tx: Queryable, userId: string): Promise<number> {
  const rows = await tx.query<{ count: number }>('select count(*)::int as count from automations where user_id = $1::uuid', [userId]);
  return rows[0]?.count ?? 0;
}

/** What is written of an automation. */
export type WrittenAutomation = Omit<AutomationRow, 'createdAt' | 'updatedAt' | 'lookedAt' | 'lookError'>;

export async function insertAutomation(tx: Queryable, userId: string, written: WrittenAutomation): Promise<void> {
  await tx.query(
    `insert into automations (user_id, id, state, paused_by, kind, account_id, named_accounts, definition, due_at, failures)
     values ($1::uuid, $2::uuid, $3, $4, $5, $6::uuid, $7::uuid[], $8, $9, $10)`,
    valuesOf(userId, written),
  );
}

/**
 * Of an automation that the transaction has locked. The lease of the replica that plans its next run ends when that is
 * another one.
 *
 * @param begins what happened before starts nothing
 */
export async function updateAutomation(tx: Queryable, userId: string, written: WrittenAutomation, begins: boolean): Promise<void> {
  await tx.query(
    `update automations set state = $3, paused_by = $4, kind = $5, account_id = $6::uuid, named_accounts = $7::uuid[], definition = $8,
       due_at = $9, failures = $10, revision = revision + 1, updated_at = now(),
       planning_until = case when due_at is not distinct from $9 then planning_until end,
       watched_since = case when not $11 then watched_since end
     where user_id = $1::uuid and id = $2::uuid`,
    [...valuesOf(userId, written), begins],
  );
}

function valuesOf(userId: string, { id, state, pausedBy, kind, accountId, namedAccounts, definition, dueAt, failures }: WrittenAutomation) {
  return [userId, id, state, pausedBy, kind, accountId, namedAccounts, definition, dueAt, failures];
}

/** Deletes an automation with its runs. */
export async function deleteAutomation(tx: Queryable, userId: string, id: string): Promise<void> {
  await tx.query('delete from automations where user_id = $1::uuid and id = $2::uuid', [userId, id]);
}

/** Pauses the active automations that name an account. @returns their ids */
export async function pauseNaming(tx: Queryable, userId: string, accountId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `update automations set state = 'paused', paused_by = 'account', due_at = null, planning_until = null, revision = revision + 1, updated_at = now()
     where user_id = $1::uuid and state = 'active' and $2::uuid = any(named_accounts) returning id`,
    [userId, accountId],
  );
  return rows.map(({ id }) => id);
}

/** Cancels the runs of automations that have not begun. */
export async function cancelDueRuns(tx: Queryable, userId: string, automationIds: readonly string[], now: Date): Promise<void> {
  await tx.query(
    `update automation_runs set status = 'cancelled', act_at = null, ended_at = $3::timestamptz
     where user_id = $1::uuid and automation_id = any($2::uuid[]) and status = 'due'`,
    [userId, automationIds, now],
  );
}

/** The accounts that a user has connected. */
export function selectOwnAccounts(tx: Queryable, userId: string): Promise<OwnAccount[]> {
  return tx.query<OwnAccount>(
    `select a.id, g.provider, a.source from connected_accounts a join grants g on g.id = a.grant_id and g.user_id = a.user_id
     where a.user_id = $1::uuid`,
    [userId],
  );
}

/** Whether a run that the user has asked for has not begun. */
export async function waitsByHand(tx: Queryable, userId: string, automationId: string): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from automation_runs
     where user_id = $1::uuid and automation_id = $2::uuid and status = 'due' and occurrence like 'manual:%' limit 1`,
    [userId, automationId],
  );
  return rows.length > 0;
}
