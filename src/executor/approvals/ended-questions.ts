import type { Queryable } from '../../database/database.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import { type EndReason, isApprovalId } from './approvals-repository.ts';
import { type EndedRow, selectEnded } from './ended-questions-repository.ts';

/** A question that was decided, or can't be decided any more. */
export interface EndedQuestion extends Pick<EndedRow, 'id' | 'action' | 'end' | 'at' | 'edited'> {
  /** The built-in action's own name; else the configured one. */
  use: string;
  /** The account's label; undefined: it is disconnected. */
  account: string | undefined;
  /** Why it ended, if the user hasn't decided and its time wasn't up. */
  reason: EndReason | undefined;
  /** `ok`, or the code of an error; undefined: it wasn't approved, or is still running. */
  outcome: string | undefined;
}

const MAX_LISTED = 50;

/** A user's questions of the last day that have ended, newest first. @param id only this one */
export async function endedQuestions(
  db: Queryable,
  catalog: Catalog,
  accounts: readonly { id: string; label: string }[],
  userId: string,
  id?: string,
): Promise<EndedQuestion[]> {
  if (id !== undefined && !isApprovalId(id)) return [];
  const rows = await selectEnded(db, userId, id ?? null, MAX_LISTED);
  return rows.map(({ accountId, reason, outcome, ...row }) => ({
    ...row,
    use: catalog.actions.get(row.action)?.action.name ?? row.action,
    account: accounts.find((account) => account.id === accountId)?.label,
    reason: reason ?? undefined,
    outcome: outcome ?? undefined,
  }));
}
