import { z } from 'zod';
import { builtIn } from '../built-in.ts';
import { eventId, notify, scope, sendUpdates } from './calendar-inputs.ts';
import { nameEvent, nameGuests } from './calendar-preview.ts';
import { CALENDAR, findTarget } from './calendar-session.ts';

export const calendarDelete = builtIn('workspace', {
  name: 'calendar.delete',
  effect: 'destructive',
  description: 'Delete an event or a whole series.',
  scopes: ['calendar.events.owned'],
  input: z.strictObject({ id: eventId, scope, notify }),
  output: z.object({ deleted: z.string().describe('Id of the event or the series.') }),
  summary: ({ id, scope, notify }) =>
    `Delete, notifying ${notify ? 'any attendees by e-mail' : 'nobody'}: ${scope === 'series' ? 'the whole series of event' : 'event'} ${id}`,
  async preview({ id, scope, notify }, { session }) {
    const { event } = await findTarget(session, id, scope);
    return `Delete, ${nameGuests(event, notify)}: ${nameEvent(event)}`;
  },
  async run({ id, scope, notify }, { session }) {
    const { event } = await findTarget(session, id, scope);
    await session.call('calendar.events.delete', { ...CALENDAR, eventId: event.id, sendUpdates: sendUpdates(notify) }, z.object({}));
    return { deleted: event.id };
  },
});
