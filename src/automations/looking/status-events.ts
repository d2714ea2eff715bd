import { randomUUID } from 'node:crypto';
import type { Clock } from '../../clock/clock.ts';
import type { Queryable } from '../../database/database.ts';
import type { EventData } from '../../events/event-data.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import type { UserKeys } from '../../vault/keys/user-keys.ts';
import { insertOccurrences } from './automations-watching-repository.ts';
import { lookAgain } from './ensure-watches.ts';
import type { AccountEvent } from './event-types.ts';
import { readWatching, startsOf, toOccurrences } from './watching.ts';

export interface StatusDeps {
  clock: Clock;
  userKeys: UserKeys;
  catalog: () => Catalog;
}

/**
 * Starts the automations that wait for the status of an account, in the transaction that changes it: each transition is one
 * occurrence. An account that works again is looked at.
 *
 * @returns the number of runs
 */
export async function startOnStatus(
  { clock, userKeys, catalog }: StatusDeps,
  tx: Queryable,
  userId: string,
  { account: accountId, status }: Pick<EventData['account.status'], 'account' | 'status'>,
): Promise<number> {
  const account = { userId, accountId };
  if (status === 'active') await lookAgain(tx, userId, accountId, clock);
  const watching = await readWatching(tx, userKeys, account, ['account.status']);
  if (watching.length === 0) return 0;
  const occurrence = `status:${accountId}:${status}:${randomUUID()}`;
  const event: AccountEvent = { event: 'account.status', occurrence, ids: { status }, at: undefined };
  const now = clock.now();
  const starts = startsOf(watching, [event], { now, lookedAt: undefined }, catalog());
  return insertOccurrences(tx, userId, new Date(now), await toOccurrences(tx, userKeys, account, starts));
}
