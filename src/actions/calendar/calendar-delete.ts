import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { UNKNOWN, union } from '../../providers/shared/audience.ts';
import { eventAudience, isPrivate } from '../../providers/workspace/event-audience.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { assertUnchanged } from '../shared/as-shown.ts';
import { seenBy } from '../shared/audience-text.ts';
import { builtIn } from '../shared/built-in.ts';
import { quoted, quotedUpTo } from '../shared/display-text.ts';
import { describeFully, eventOutput, LIMITS } from './calendar-event.ts';
import { idsOf, seenTarget, unchangedTarget } from './calendar-facts.ts';
import { eventId, notify, notifyOnRequest, scope, sendUpdates } from './calendar-inputs.ts';
import { nameEvent, nameGuests, shownEvent, showTime, told } from './calendar-preview.ts';
import { CALENDAR, patchEvent } from './calendar-session.ts';
import { undoDeletion } from './calendar-undo.ts';
import { guestTexts, showSharing, showTexts } from './event-sharing.ts';
import { VERSIONED_FIELDS, versionedDeletion } from './event-version.ts';

export const calendarDelete = builtIn('workspace', {
  name: 'calendar.delete',
  effect: 'destructive',
  description: 'Delete an event or a whole series.',
  scopes: ['calendar.events.owned'],
  integrity: 'own',
  input: z.strictObject({ id: eventId, scope, notify }),
  output: z.object({ deleted: z.string().describe('Id of the event or the series.') }),
  facts: ({ id, scope }, { session }) => seenTarget(session, id, scope),
  version: ({ version }) => version,
  about: (_input, target) => idsOf(target),
  exposes: (_input, { audience }) => audience,
  summary: ({ id, scope, notify }) =>
    `Delete, notifying ${notify ? 'any attendees by mail' : 'nobody'}: ${scope === 'series' ? 'the whole series of event' : 'event'} ${id}`,
  shown: (_input, { event, others }) => ({ event: shownEvent(event, others) }),
  preview: async ({ notify }, _context, { event, others }) => told('Delete', nameGuests(event, notify, others), nameEvent(event)),
  async run({ id, scope, notify }, { session, version, undoneBy }) {
    const { event } = await unchangedTarget(session, { id, scope }, version);
    const params = { ...CALENDAR, eventId: event.id, ifMatch: event.etag, sendUpdates: sendUpdates(notify) };
    await session.call('calendar.events.delete', params, z.object({}));
    const undo = undoDeletion(event, notify);
    if (undo !== undefined) undoneBy(undo);
    return { deleted: event.id };
  },
});

/** "On the organizer's calendar, cancelled events continue to expose event details … so that they can be restored" (Calendar API v3). */
export const calendarRestore = builtIn('workspace', {
  name: 'calendar.restore',
  effect: 'write',
  description: 'Restore a deleted event. Its attendees are invited again.',
  scopes: ['calendar.events.owned'],
  input: z.strictObject({ id: eventId, notify: notifyOnRequest }),
  output: eventOutput,
  writes: ({ id }) => [id],
  facts: ({ id }, { session }) => findDeleted(session, id),
  version: ({ version }) => version,
  // Of a deleted event of a series, the provider may not say who was invited.
  exposes: (_input, event) => union(eventAudience(event), event.organizer === undefined ? UNKNOWN : []),
  summary: ({ id, notify }) => `Restore the deleted event ${id}${notify ? ', notifying any attendees by mail' : ''}`,
  shown: (_input, event) => ({
    event: shownEvent({ ...event, start: event.start ?? event.originalStartTime }),
    reads: guestTexts({ attachments: event.attachments, attendees: event.attendees }),
    isPrivate: isPrivate(event.visibility),
  }),
  preview: async ({ notify }, _context, event) => {
    const notice = notify ? ', notifying them by mail' : '';
    const start = event.start ?? event.originalStartTime;
    const on = start === undefined ? '' : ` on ${showTime(start)}`;
    const what = `${quotedUpTo(event.summary, LIMITS.title)}${on} (${event.id})${showTexts(event)}`;
    return `Restore the deleted event${seenBy(eventAudience(event))}${notice}: ${what}${showSharing(isPrivate(event.visibility))}`;
  },
  async run({ id, notify }, { session, version, undoneBy }) {
    const deleted = await findDeleted(session, id);
    assertUnchanged(version, 'id', deleted.version);
    const event = await patchEvent(session, deleted, { status: 'confirmed' }, sendUpdates(notify));
    const scope = event.recurrence === undefined ? 'this' : 'series';
    undoneBy({
      action: 'calendar.delete',
      input: { id, scope, notify: false },
      summary: `Delete the event ${quoted(event.summary)} again`,
    });
    return describeFully(event);
  },
});

/** @throws AppError `not_found`, `invalid_request` for an event that isn't deleted */
async function findDeleted(session: WorkspaceSession, eventId: string) {
  const event = await session.call('calendar.events.get', { ...CALENDAR, eventId, fields: VERSIONED_FIELDS }, versionedDeletion);
  if (event.status !== 'cancelled') throw new AppError('invalid_request', 'id: This event isn’t deleted.');
  return event;
}
