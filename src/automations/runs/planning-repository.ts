import type { Queryable } from '../../database/database.ts';

/** An active automation, as far as its runs need it. */
export interface PlannedAutomation {
  id: string;
  userId: string;
  /** Sealed. */
  definition: Buffer;
  state: 'active' | 'paused';
  /** Raised by every change of its definition or state. */
  revision: number;
}

/** One whose planned time has come. */
export interface DueAutomation extends PlannedAutomation {
  dueAt: Date;
}

const COLUMNS = `a.id, a.user_id as "userId", a.definition, a.state, a.revision`;

/** Claims schedules whose time has come, those that wait longest first. @param until the lease's end */
export function claimDue(db: Queryable, { now, until, limit }: { now: Date; until: Date; limit: number }): Promise<DueAutomation[]> {
  return db.query<DueAutomation>(
    `/* all users: what is due next */ update automations a set planning_until = $2::timestamptz
     from (select user_id, id from automations where due_at <= $1::timestamptz and (planning_until is null or planning_until <= $1::timestamptz)
       order by due_at limit $3::int for update skip locked) as due
     where a.user_id = due.user_id and a.id = due.id returning ${COLUMNS}, a.due_at as "dueAt"`,
    [now, until, limit],
  );
}

/** Moves a schedule to its next time. @returns false when it was changed, paused or planned meanwhile */
export async function planNext(tx: Queryable, { userId, id, dueAt }: DueAutomation, next: Date): Promise<boolean> {
  const rows = await tx.query(
    `update automations set due_at = $4::timestamptz, planning_until = null
     where user_id = $1::uuid and id = $2::uuid and due_at = $3::timestamptz and state = 'active' returning id`,
    [userId, id, dueAt, next],
  );
  return rows.length > 0;
}

export async function selectPlanned(db: Queryable, userId: string, id: string): Promise<PlannedAutomation | undefined> {
  const rows = await db.query<PlannedAutomation>(`select ${COLUMNS} from automations a where a.user_id = $1::uuid and a.id = $2::uuid`, [
    userId,
    id,
  ]);
  return rows[0];
}

/** Counts how runs end in a row. @returns the number of failures; undefined when there is no such automation */
export async function countFailure(tx: Queryable, userId: string, id: string, failed: boolean): Promise<number | undefined> {
  const rows = await tx.query<{ failures: number }>(
    `update automations set failures = case when $3 then failures + 1 else 0 end
     where user_id = $1::uuid and id = $2::uuid and ($3 or failures > 0) returning failures`,
    [userId, id, failed],
  );
  return rows[0]?.failures;
}

/** Pauses an active automation whose runs fail. @returns false when it isn't active */
export async function pauseFailing(tx: Queryable, userId: string, id: string): Promise<boolean> {
  const rows = await tx.query(
    `update automations set state = 'paused', paused_by = 'failures', due_at = null, revision = revision + 1, updated_at = now()
     where user_id = $1::uuid and id = $2::uuid and state = 'active' returning id`,
    [userId, id],
  );
  return rows.length > 0;
}
