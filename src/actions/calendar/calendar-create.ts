import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { people } from '../../providers/audience.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { builtIn } from '../built-in.ts';
import { quoted } from '../display-text.ts';
import { anyEvent, describeFully, EVENT_FIELDS, eventOutput } from './calendar-event.ts';
import { assertDays, attendees, description, end, location, notify, recurrence, sendUpdates, start, title } from './calendar-inputs.ts';
import { listed } from './calendar-preview.ts';
import { assertLiving, CALENDAR, calendarZone } from './calendar-session.ts';
import { assertOrder } from './reschedule.ts';
import { assertExists, formatDate, hasOffset, isDate, toLocal, zoneName } from './zoned-time.ts';

const input = z.strictObject({
  title,
  start,
  end: end.optional().describe('Like start; for all-day events the day after the last, by default one day.'),
  zone: zoneName.optional().describe('Time zone, if not the calendar’s.'),
  description: description.optional(),
  location: location.optional(),
  attendees: attendees.optional().describe('E-mail addresses of the invitees.'),
  recurrence: recurrence.optional(),
  meeting: z.boolean().default(false).describe('Add a video meeting.'),
  notify,
});

type Input = z.output<typeof input>;

export const calendarCreate = builtIn('workspace', {
  name: 'calendar.create',
  effect: 'write',
  description: 'Create an event and invite people to it.',
  scopes: ['calendar.events.owned'],
  integrity: 'own',
  input,
  output: eventOutput,
  writes: (_input, output) => (output === undefined ? [] : [output.id]),
  allow: { attendees: (input) => input.attendees ?? [] },
  exposes: ({ attendees = [] }) => people(attendees),
  summary,
  async run(input, { session }) {
    const { title, description, location, attendees = [], recurrence, meeting, notify } = input;
    const requestBody = {
      summary: title,
      ...(await times(input, session)),
      ...(description !== undefined && { description }),
      ...(location !== undefined && { location }),
      ...(attendees.length > 0 && { attendees: attendees.map((email) => ({ email })) }),
      ...(recurrence !== undefined && { recurrence }),
      ...(meeting && { conferenceData: { createRequest: { requestId: randomUUID(), conferenceSolutionKey: { type: 'hangoutsMeet' } } } }),
    };
    const conferenceDataVersion = meeting ? 1 : 0;
    const params = { ...CALENDAR, sendUpdates: sendUpdates(notify), conferenceDataVersion, requestBody, fields: EVENT_FIELDS };
    return describeFully(assertLiving(await session.call('calendar.events.insert', params, anyEvent)));
  },
});

/** A series needs a zone even if its times have an offset, because the offset changes with daylight saving time. */
async function times({ start, end: given, zone, recurrence }: Input, session: WorkspaceSession): Promise<object> {
  const end = given ?? nextDay(start);
  assertDays(start, end);
  if (isDate(start)) return { start: { date: start }, end: { date: end } };
  const needsZone = recurrence !== undefined || !hasOffset(start) || !hasOffset(end);
  const timeZone = zone ?? (needsZone ? await calendarZone(session) : undefined);
  const at = (field: string, dateTime: string) => {
    if (timeZone === undefined) return { dateTime };
    assertExists(field, dateTime, timeZone);
    return { dateTime, timeZone };
  };
  const times = { start: at('start', start), end: at('end', end) };
  // Without a zone both have an offset, which takes precedence over a zone.
  assertOrder(start, end, timeZone ?? 'UTC');
  return times;
}

function nextDay(start: string): string {
  if (!isDate(start)) throw new AppError('invalid_request', 'end: is required when start is a time');
  return formatDate(toLocal(start, 'UTC').add({ days: 1 }));
}

function summary({ title, start, end, zone, attendees = [], recurrence, meeting, notify }: Input): string {
  const last = isDate(start) ? formatDate(toLocal(end ?? nextDay(start), 'UTC').subtract({ days: 1 })) : end;
  const time = `${start}${last !== undefined && last !== start ? ` to ${last}` : ''}${zone === undefined ? '' : ` (${zone})`}`;
  const guests = attendees.length > 0 ? `, inviting ${listed(attendees)} ${notify ? 'by e-mail' : 'without an e-mail'}:` : '';
  const rules = recurrence === undefined ? '' : `, ${recurrence.map(quoted).join(' ')}`;
  return `Create${guests} the event ${quoted(title)} on ${time}${rules}${meeting ? ', with a video meeting' : ''}`;
}
