import { randomUUID } from 'node:crypto';
import { insertAutomation } from '../../src/automations/automations-repository.ts';
import { newAutomation } from '../../src/automations/definition/definition.ts';
import { sealDefinition } from '../../src/automations/definition/sealed-definition.ts';
import { updateWatchedSince, upsertNeededWatches } from '../../src/automations/looking/watches-repository.ts';
import { openVault, type Person } from '../mixed/people.ts';
import type { Stage } from '../stage.ts';

const DAILY = { type: 'schedule', every: 'day', at: '08:00', time_zone: 'UTC' };
const MINUTE_MS = 60_000;

/** An automation of each person for what arrives in the mailbox; their first looks are spread over a minute. */
export async function insertMailAutomations(stage: Stage, people: readonly Person[]): Promise<void> {
  await using vault = open(stage);
  for (const [index, { userId }] of people.entries()) {
    const [account] = await vault.db.query<{ id: string }>(
      `select a.id from connected_accounts a join grants g on g.user_id = a.user_id and g.id = a.grant_id
       where a.user_id = $1::uuid and g.provider = 'workspace'`,
      [userId],
    );
    const trigger = { type: 'event', event: 'mail.received', account: account?.id };
    await vault.insert(userId, { name: 'Mail', trigger, does: { type: 'notify' } }, null);
    await updateWatchedSince(vault.db, userId, new Date());
    await upsertNeededWatches(vault.db, userId, new Date(Date.now() + (index / people.length) * MINUTE_MS));
  }
}

/** A daily prompt of each person, all for the same moment. */
export async function insertSchedules(stage: Stage, people: readonly Person[], dueAt: Date): Promise<void> {
  await using vault = open(stage);
  for (const { userId } of people)
    await vault.insert(userId, { name: 'Brief', trigger: DAILY, does: { type: 'prompt', prompt: 'Brief me.' } }, dueAt);
}

function open(stage: Stage) {
  const { db, userKeys } = openVault(stage);
  return {
    db,
    async insert(userId: string, given: object, dueAt: Date | null): Promise<void> {
      const { state, ...definition } = newAutomation.parse(given);
      const { trigger } = definition;
      const id = randomUUID();
      const accountId = trigger.type === 'schedule' ? null : trigger.account;
      await insertAutomation(db, userId, {
        id,
        state,
        pausedBy: null,
        kind: trigger.type === 'schedule' ? 'schedule' : trigger.event,
        accountId,
        namedAccounts: accountId === null ? [] : [accountId],
        definition: sealDefinition(await userKeys.forUser(db, userId), { userId, id }, definition),
        dueAt,
        failures: 0,
      });
    },
    [Symbol.asyncDispose]: () => db.close(),
  };
}
