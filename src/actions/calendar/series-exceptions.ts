import { z } from 'zod';
import { list } from '../../providers/response-list.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { type CalendarEvent, seriesPart } from './calendar-event.ts';
import { CALENDAR } from './calendar-session.ts';

/** Largest page of the provider's; a series with more exceptions is told of with so many. */
const MAX_EXCEPTIONS = 2_500;

/** Ids of those events of a series that were moved, changed or deleted one by one. */
export async function exceptionsOf(session: WorkspaceSession, { id, iCalUID }: CalendarEvent): Promise<string[]> {
  if (iCalUID === undefined) return [];
  // All parts of a series have its iCalUID (RFC 5545, 3.8.4.4); those without an exception are not stored.
  const params = { ...CALENDAR, iCalUID, maxResults: MAX_EXCEPTIONS, fields: 'items(id,recurringEventId)' };
  const { items } = await session.call('calendar.events.list', params, z.object({ items: list(seriesPart).default([]) }));
  return items.filter(({ recurringEventId }) => recurringEventId === id).map((one) => one.id);
}

/**
 * How many of these exceptions a change of the series did away with: the provider knows exceptions by the times at
 * which they would have stood.
 *
 * @param before ids of the exceptions as they were
 */
export async function lostExceptions(session: WorkspaceSession, series: CalendarEvent, before: readonly string[]): Promise<number> {
  if (before.length === 0) return 0;
  // The change is made: who can't be told exactly looks after all of them.
  const left = new Set(await exceptionsOf(session, series).catch(() => []));
  return before.filter((id) => !left.has(id)).length;
}
