import type { Queryable } from '../../database/database.ts';
import { hashesOf, namesOf } from '../../executor/taint/written-items.ts';
import { selectWrittenTimes } from './automations-watching-repository.ts';
import type { AccountEvent } from './event-types.ts';
import type { Moment, Start } from './watching.ts';

/** The provider's clock and the service's may differ by this much. */
const CLOCKS_MS = 3_000;
/** How long a write may take from its effect at the provider to its row here. */
const RECENT_MS = 5_000;
/** A change is waited for that long at most, also if the item is changed all the time. */
const MAX_HELD_MS = 90_000;

/**
 * Without what was last written through this service: a mail, an event or a file that a run, the assistant or a client wrote
 * starts nothing. When a person changes it later, that does.
 */
export async function withoutOwnWrites(db: Queryable, userId: string, starts: readonly Start[], moment: Moment): Promise<Start[]> {
  const namesOfEvent = ({ item }: AccountEvent) => (item === undefined ? [] : hashesOf(namesOf(item.id)));
  const names = starts.flatMap(({ event }) => namesOfEvent(event));
  if (names.length === 0) return [...starts];
  const rows = await selectWrittenTimes(db, userId, names);
  const times = new Map(rows.map(({ item, writtenAt }) => [item.toString('hex'), writtenAt.getTime()]));
  return starts.filter(({ event }) => {
    const written = namesOfEvent(event).flatMap((name) => times.get(name.toString('hex')) ?? []);
    return !written.some((at) => isOf(at, event, moment));
  });
}

/** Whether a change that was found is the one that was written then. Nobody changes a mail. */
function isOf(writtenAt: number, { event, item }: AccountEvent, { lookedAt }: Moment): boolean {
  if (event === 'mail.received') return true;
  const changedAt = item?.writtenAt ?? lookedAt ?? 0;
  return changedAt <= writtenAt + CLOCKS_MS;
}

/**
 * Whether something was changed so recently that it may have been written through this service, and its row is still to come:
 * the look has to be repeated.
 */
export function mayBeOwn(starts: readonly Start[], { now, lookedAt }: Moment): boolean {
  if (lookedAt === undefined || now - lookedAt > MAX_HELD_MS) return false;
  return starts.some(({ event: { item } }) => item?.writtenAt !== undefined && now - item.writtenAt < RECENT_MS);
}
