import { randomUUID } from 'node:crypto';
import { insertThreadGrant, type ThreadGrant } from '../../../src/executor/call/thread-grants-repository.ts';
import type { TestSteward } from '../steward.ts';
import { newThread } from './new-thread.ts';

/** Begins the conversation of an automation's run. @returns its id */
export async function grantedThread(
  steward: TestSteward,
  userId: string,
  {
    actions = ['*'],
    accountIds = null,
    whenAsked = 'wait',
    automationId = randomUUID(),
  }: Partial<ThreadGrant> & { automationId?: string } = {},
): Promise<string> {
  const id = await newThread(steward, userId, { id: `auto-${randomUUID().replaceAll('-', '')}` });
  await steward.context.db.transaction(async (tx) => {
    await tx.query('update threads set automation_id = $3::uuid where user_id = $1::uuid and id = $2', [userId, id, automationId]);
    await insertThreadGrant(tx, userId, id, { actions, accountIds, whenAsked });
  }, userId);
  return id;
}
