import { z } from 'zod';
import { text } from '../../http/validate.ts';
import { builtIn } from '../built-in.ts';
import { ownAnswer } from './calendar-attendees.ts';
import { describeWholly, eventOutput } from './calendar-event.ts';
import { eventId, notify, scope, sendUpdates } from './calendar-inputs.ts';
import { findTarget, patchEvent } from './calendar-session.ts';

export const calendarRespond = builtIn({
  name: 'calendar.respond',
  provider: 'workspace',
  effect: 'write',
  description: 'Answer an invitation.',
  scopes: ['calendar.events.owned'],
  input: z.strictObject({
    id: eventId,
    answer: z.enum(['accepted', 'declined', 'tentative']),
    comment: text(500).optional().describe('A word to the organizer.'),
    scope,
    notify: notify.describe('Tell the organizer by e-mail.'),
  }),
  output: eventOutput,
  summary: ({ id, answer, scope, notify }) =>
    `Answer the invitation ${id}${scope === 'series' ? ' and its whole series' : ''} with "${answer}"; ${notify ? 'the organizer is told by e-mail' : 'nobody is told'}`,
  async run({ id, answer, comment, scope, notify }, { session, account }) {
    const { event } = await findTarget(session, id, scope);
    const body = ownAnswer(event, account.label, answer, comment);
    return describeWholly(await patchEvent(session, event.id, body, sendUpdates(notify)));
  },
});
