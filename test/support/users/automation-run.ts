import { randomUUID } from 'node:crypto';
import { sealRunEvent } from '../../../src/automations/looking/run-event.ts';
import { makeAutomation } from '../scenes/automations.ts';
import type { TestSteward } from '../steward.ts';
import { grantedThread } from './granted-thread.ts';
import type { ConnectedGrant } from './refreshing.ts';

/**
 * Makes a paused automation that waits for mail, with a run that has ended, its conversation, and how far the mail was read.
 *
 * @param name of the automation, which is also its prompt and the title of the conversation
 * @returns the id of the run's conversation
 */
export async function automationRun(
  steward: TestSteward,
  { userId, token, accountId, grantId }: ConnectedGrant,
  name: string,
): Promise<string> {
  const automationId = await makeAutomation(steward, token, {
    name,
    trigger: { type: 'event', event: 'mail.received', account: accountId },
    does: { type: 'prompt', prompt: name },
    accounts: [accountId],
    state: 'paused',
  });
  const id = randomUUID();
  const grant = { actions: ['test.read'], accountIds: [accountId] };
  const threadId = await grantedThread(steward, userId, { ...grant, title: name, automationId, runId: id });
  const { userKeys, db } = steward.context;
  const event = { event: 'mail.received', account: accountId, message: name } as const;
  const sealed = sealRunEvent(await userKeys.forUser(db, userId), { userId, id }, event);
  await steward.sql(
    `insert into automation_runs (id, user_id, automation_id, occurrence, status, thread_id, event, planned_at, started_at, ended_at)
     values ($1, $2, $3, 'mail:one', 'done', $4, $5, now(), now(), now())`,
    [id, userId, automationId, threadId, sealed],
  );
  // Far ahead: nothing looks at it.
  await steward.sql(
    `insert into watches (user_id, account_id, grant_id, kind, position, look_after)
     values ($1, $2, $3, 'mail', '{}', now() + interval '1 year')`,
    [userId, accountId, grantId],
  );
  return threadId;
}
