import { randomUUID } from 'node:crypto';
import { insertThreadGrant, runThreadId, type ThreadGrant } from '../../../src/executor/call/thread-grants-repository.ts';
import type { TestSteward } from '../steward.ts';

export type GivenGrant = Partial<Pick<ThreadGrant, 'actions' | 'accountIds' | 'whenAsked'>> & {
  title?: string;
  automationId?: string;
  runId?: string;
};

/** Begins the conversation of an automation's run. @returns its id */
export async function grantedThread(
  steward: TestSteward,
  userId: string,
  { actions = ['*'], accountIds = null, whenAsked = 'wait', ...of }: GivenGrant = {},
): Promise<string> {
  const { title = 'A run', automationId = randomUUID(), runId = randomUUID() } = of;
  const id = runThreadId(runId);
  const { threads } = steward.context;
  await threads.write(userId, async (tx) => {
    await threads.begin(tx, userId, id, { title, automationId });
    await insertThreadGrant(tx, userId, id, { actions, accountIds, whenAsked });
  });
  return id;
}
