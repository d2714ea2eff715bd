import { z } from 'zod';
import { eventAudience } from '../../providers/workspace/event-audience.ts';
import { builtIn } from '../built-in.ts';
import { eventId, notify, scope, sendUpdates } from './calendar-inputs.ts';
import { nameEvent, nameGuests } from './calendar-preview.ts';
import { CALENDAR, findTarget } from './calendar-session.ts';

export const calendarDelete = builtIn('workspace', {
  name: 'calendar.delete',
  effect: 'destructive',
  description: 'Delete an event or a whole series.',
  scopes: ['calendar.events.owned'],
  integrity: 'own',
  input: z.strictObject({ id: eventId, scope, notify }),
  output: z.object({ deleted: z.string().describe('Id of the event or the series.') }),
  facts: ({ id, scope }, { session }) => findTarget(session, id, scope),
  exposes: (_input, { event }) => eventAudience(event),
  summary: ({ id, scope, notify }) =>
    `Delete, notifying ${notify ? 'any attendees by e-mail' : 'nobody'}: ${scope === 'series' ? 'the whole series of event' : 'event'} ${id}`,
  preview: async ({ notify }, _context, { event }) => `Delete, ${nameGuests(event, notify)}: ${nameEvent(event)}`,
  async run({ id, scope, notify }, { session }) {
    const { event } = await findTarget(session, id, scope);
    await session.call('calendar.events.delete', { ...CALENDAR, eventId: event.id, sendUpdates: sendUpdates(notify) }, z.object({}));
    return { deleted: event.id };
  },
});
