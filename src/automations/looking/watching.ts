import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../database/database.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import type { UserKeys } from '../../vault/keys/user-keys.ts';
import type { Definition } from '../definition/definition.ts';
import { openDefinition } from '../definition/sealed-definition.ts';
import type { EventTrigger, EventTriggerName } from '../definition/trigger.ts';
import { type NewOccurrence, selectWatching } from './automations-watching-repository.ts';
import { dayOf } from './bank-day.ts';
import type { AccountEvent } from './event-types.ts';
import { matchEvent } from './match-event.ts';
import { mayOnlyRead } from './may-only-read.ts';
import { sealRunEvent } from './run-event.ts';

/** An active automation that waits for events. */
export interface Watching {
  id: string;
  definition: Definition;
  trigger: EventTrigger;
  /** Milliseconds. */
  since: number;
}

/** What happened, and the automation that has to run. */
export interface Start {
  automationId: string;
  event: AccountEvent;
}

/** When events were looked for. */
export interface Moment {
  /** Milliseconds. */
  now: number;
  /** When the look before began; undefined: there was none, or it doesn't matter. */
  lookedAt: number | undefined;
}

/** A bank reports a transaction up to so long after it was made. */
const BANK_LATE_MS = 7 * 24 * 3_600_000;

/** The automations that wait for events of an account. */
export async function readWatching(
  db: Queryable,
  userKeys: UserKeys,
  account: { userId: string; accountId: string },
  events: readonly EventTriggerName[],
): Promise<Watching[]> {
  const { userId, accountId } = account;
  const rows = await selectWatching(db, userId, accountId, events);
  const keyFor = userKeys.forRecords(db, userId);
  const read = rows.map(async ({ id, definition: sealed, watchedSince }): Promise<Watching[]> => {
    const definition = openDefinition(await keyFor(sealed), { userId, id }, sealed);
    const { trigger } = definition;
    return trigger.type === 'schedule' ? [] : [{ id, definition, trigger, since: watchedSince.getTime() }];
  });
  return (await Promise.all(read)).flat();
}

/** The automations that what happened starts. Mail of programs and lists starts those only that change nothing. */
export function startsOf(watching: readonly Watching[], events: readonly AccountEvent[], moment: Moment, catalog: Catalog): Start[] {
  return events.flatMap((event) =>
    watching
      .filter(({ definition, trigger, since }) => {
        if (!matchEvent(trigger, event, moment.now) || isOlder(event, since, moment)) return false;
        return event.event !== 'mail.received' || !event.isAutomated || mayOnlyRead(definition, catalog);
      })
      .map(({ id: automationId }) => ({ automationId, event })),
  );
}

/**
 * Whether it happened before the automation waited for it. What was found since an earlier look did not; else the provider's
 * time decides, where it has one. A bank has days, and reports older transactions when they change.
 */
function isOlder(event: AccountEvent, since: number, { lookedAt }: Moment): boolean {
  if (event.event === 'bank.transaction') {
    const first = dayOf(event.isNew ? since - BANK_LATE_MS : since);
    return event.day === null ? !event.isNew : event.day < first;
  }
  if (lookedAt !== undefined && since <= lookedAt) return false;
  return event.at !== undefined && event.at < since;
}

/** The rows of runs for what happened in an account. */
export async function toOccurrences(
  db: Queryable,
  userKeys: UserKeys,
  { userId, accountId }: { userId: string; accountId: string },
  starts: readonly Start[],
): Promise<NewOccurrence[]> {
  const key = await userKeys.forUser(db, userId);
  return starts.map(({ automationId, event: { event, occurrence, ids } }) => {
    const id = randomUUID();
    const sealed = sealRunEvent(key, { userId, id }, { event, account: accountId, ...ids });
    const [isTainted, isFinancial] = [event !== 'account.status', event === 'bank.transaction'];
    return { id, automationId, occurrence, event: sealed, isTainted, isFinancial };
  });
}
