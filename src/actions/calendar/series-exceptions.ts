import { z } from 'zod';
import { list } from '../../providers/response-list.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { type CalendarEvent, seriesPart } from './calendar-event.ts';
import { CALENDAR } from './calendar-session.ts';

/** The provider's largest page; further exceptions are not counted. */
const MAX_EXCEPTIONS = 2_500;

/** Ids of the events of a series that were changed or deleted individually. */
export async function exceptionsOf(session: WorkspaceSession, { id, iCalUID }: CalendarEvent): Promise<string[]> {
  if (iCalUID === undefined) return [];
  // All parts of a series have its iCalUID (RFC 5545, 3.8.4.4); other instances are not stored.
  const params = { ...CALENDAR, iCalUID, maxResults: MAX_EXCEPTIONS, fields: 'items(id,recurringEventId)' };
  const { items } = await session.call('calendar.events.list', params, z.object({ items: list(seriesPart).default([]) }));
  return items.filter(({ recurringEventId }) => recurringEventId === id).map((one) => one.id);
}

/**
 * How many of these exceptions a change of the series reset: the provider identifies exceptions by their original times.
 *
 * @param before ids of the exceptions before the change
 */
export async function lostExceptions(session: WorkspaceSession, series: CalendarEvent, before: readonly string[]): Promise<number> {
  if (before.length === 0) return 0;
  // The change is done: if they can't be read, all are reported as reset.
  const left = new Set(await exceptionsOf(session, series).catch(() => []));
  return before.filter((id) => !left.has(id)).length;
}
