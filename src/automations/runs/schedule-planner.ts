import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock/clock.ts';
import type { Database } from '../../database/database.ts';
import { ignoreUserDeleted } from '../../database/database-errors.ts';
import { lockExistingUser } from '../../database/user-lock.ts';
import type { UserKeys } from '../../vault/keys/user-keys.ts';
import { catchUp } from '../definition/schedule.ts';
import { openDefinition } from '../definition/sealed-definition.ts';
import { claimDue, type DueAutomation, planNext } from './planning-repository.ts';
import { insertRun } from './runs-repository.ts';

export interface PlannerDeps {
  db: Database;
  clock: Clock;
  userKeys: UserKeys;
}

/** Schedules of one claim, and how long a claim lasts if its replica ends. */
const BATCH = 50;
const LEASE_MS = 60_000;

/** Plans the runs of schedules whose time has come. @param failed one that can't be planned, and is tried again after its lease */
export async function planDue(deps: PlannerDeps, failed: (error: unknown) => void): Promise<void> {
  for (let claimed = BATCH; claimed === BATCH; ) {
    const now = deps.clock.now();
    const due = await claimDue(deps.db, { now: new Date(now), until: new Date(now + LEASE_MS), limit: BATCH });
    for (const automation of due) await plan(deps, automation, now).catch(failed);
    claimed = due.length;
  }
}

async function plan({ db, userKeys }: PlannerDeps, automation: DueAutomation, now: number): Promise<void> {
  const { userId, id, definition, dueAt } = automation;
  // Outside the transaction, because the key service may be slow.
  const { trigger } = openDefinition(await userKeys.toOpen(db, userId, definition), { userId, id }, definition);
  if (trigger.type !== 'schedule') return;
  const { plannedAt, late, next } = catchUp(trigger, dueAt.getTime(), now);
  const planned = new Date(plannedAt);
  const run = { id: randomUUID(), automationId: id, occurrence: `schedule:${planned.toISOString()}`, plannedAt: planned, late };
  await db
    .transaction(async (tx) => {
      await lockExistingUser(tx, userId);
      // First, because a run must not be there without its schedule having moved on.
      if (!(await planNext(tx, automation, new Date(next)))) return;
      await insertRun(tx, userId, { ...run, event: null, isTainted: false, isFinancial: false }, new Date(now));
    }, userId)
    .catch(ignoreUserDeleted);
}
