import { z } from 'zod';
import { type Audience, UNKNOWN, union } from '../../providers/shared/audience.ts';
import { unchecked } from '../../providers/transport/response-list.ts';
import { checked, responseReader } from '../../providers/transport/responses.ts';
import { eventAudience, eventGuests } from '../../providers/workspace/event-audience.ts';
import { MAX_EXCEPTIONS, SEEN_FIELDS, versionOf } from '../../providers/workspace/event-version.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { type CalendarEvent, exceptionTexts, seriesPart } from './calendar-event.ts';
import { CALENDAR } from './calendar-session.ts';

/** An event of a series that was changed or deleted individually. */
interface Exception extends z.output<typeof exceptionTexts> {
  id: string;
  /** Who sees it besides the account. */
  audience: Audience;
  version: string;
}

const page = z.object({ items: unchecked.default([]), nextPageToken: z.unknown().optional() });

/** The exceptions of a series. */
export const exceptionPage = responseReader(import.meta.url, 'exceptionPage', (response, { series }: { series: string }) => {
  const { items, nextPageToken } = checked(page, response);
  const exceptions = items.flatMap((item): Exception[] => {
    const { id, recurringEventId } = checked(seriesPart, item);
    if (recurringEventId !== series) return [];
    return [{ id, ...checked(exceptionTexts, item), audience: eventAudience(checked(eventGuests, item)), version: versionOf(item) }];
  });
  return { exceptions, isComplete: nextPageToken === undefined };
});

/** The exceptions of a series, and who sees them; an event that is no series has none. */
export async function readExceptions(
  session: WorkspaceSession,
  { id, iCalUID, recurrence }: CalendarEvent,
): Promise<{ exceptions: readonly Exception[]; audience: Audience }> {
  if (recurrence === undefined) return { exceptions: [], audience: [] };
  if (iCalUID === undefined) return { exceptions: [], audience: UNKNOWN };
  // All parts of a series have its iCalUID (RFC 5545, 3.8.4.4); other instances are not stored.
  const params = { ...CALENDAR, iCalUID, maxResults: MAX_EXCEPTIONS, fields: `nextPageToken,items(recurringEventId,${SEEN_FIELDS})` };
  const { exceptions, isComplete } = await session.call('calendar.events.list', params, exceptionPage, { series: id });
  return { exceptions, audience: union(...exceptions.map(({ audience }) => audience), isComplete ? [] : UNKNOWN) };
}

/**
 * How many of these exceptions a change of the series reset: the provider identifies exceptions by their original times.
 *
 * @param before the exceptions before the change
 */
export async function lostExceptions(
  session: WorkspaceSession,
  series: CalendarEvent,
  before: readonly Pick<Exception, 'id'>[],
): Promise<number> {
  if (before.length === 0) return 0;
  // The change is done: if they can't be read, all are reported as reset.
  const { exceptions } = await readExceptions(session, series).catch(() => ({ exceptions: [] }));
  const left = new Set(exceptions.map(({ id }) => id));
  return before.filter(({ id }) => !left.has(id)).length;
}
