import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { WorkspaceSession } from '../../providers/workspace-session.ts';
import type { RunContext } from '../action.ts';
import { builtIn } from '../built-in.ts';
import { changedAttendees } from './calendar-attendees.ts';
import { type CalendarEvent, describeWholly, eventOutput, momentOf, zoneOf } from './calendar-event.ts';
import { attendees, description, end, eventId, location, notify, recurrence, scope, sendUpdates, start, title } from './calendar-inputs.ts';
import { nameEvent, nameGuests } from './calendar-preview.ts';
import { calendarZone, findTarget, patchEvent, type Target } from './calendar-session.ts';
import { rescheduleEvent, rescheduleSeries, toPatch } from './reschedule.ts';
import { isDate, zoneName } from './zoned-time.ts';

const input = z.strictObject({
  id: eventId,
  scope,
  title: title.optional(),
  start: start.optional().describe('New start. With scope "series": new start of the event that id names; all others move as far.'),
  end: end.optional().describe('New end; absent = it stays as long as it was.'),
  zone: zoneName.optional().describe('Time zone of the new times; absent = the event’s own.'),
  description: description.optional().describe('Replaces the old one; empty = none.'),
  location: location.optional().describe('Replaces the old one; empty = none.'),
  add_attendees: attendees.optional().describe('E-mail addresses; the others stay invited, and their answers stay.'),
  remove_attendees: attendees.optional(),
  recurrence: recurrence.optional(),
  notify,
});

type Input = z.output<typeof input>;

export const calendarUpdate = builtIn({
  name: 'calendar.update',
  provider: 'workspace',
  effect: 'write',
  description: 'Change an event, or a whole series; what isn’t given stays.',
  scopes: ['calendar.events.owned'],
  input,
  output: eventOutput,
  allow: { attendees: (input) => input.add_attendees ?? [] },
  reaches: ({ add_attendees = [] }) => add_attendees.length > 0,
  summary,
  preview,
  async run(input, { session }) {
    assertChange(input);
    const target = await findTarget(session, input.id, input.scope);
    if (input.recurrence !== undefined && target.event.recurringEventId !== undefined) {
      throw new AppError('invalid_request', 'recurrence: belongs to the whole series: give scope "series"');
    }
    const { title, description, location, add_attendees: add = [], remove_attendees: remove = [], recurrence } = input;
    const requestBody = {
      ...(title !== undefined && { summary: title }),
      ...(await newTimes(input, target, session)),
      ...(description !== undefined && { description }),
      ...(location !== undefined && { location }),
      ...(add.length + remove.length > 0 && { attendees: changedAttendees(target.event, add, remove) }),
      ...(recurrence !== undefined && { recurrence }),
    };
    return describeWholly(await patchEvent(session, target.event.id, requestBody, sendUpdates(input.notify)));
  },
});

function assertChange({ id: _, scope: __, notify: ___, zone, ...changes }: Input): void {
  if (zone !== undefined && changes.start === undefined && changes.end === undefined && changes.recurrence === undefined) {
    throw new AppError('invalid_request', 'zone: goes with a start, an end or a recurrence');
  }
  const given = Object.values(changes).some((value) => value !== undefined);
  if (!given) throw new AppError('invalid_request', 'Nothing to change was given.');
}

async function newTimes(
  { scope, start, end, zone: wanted, recurrence }: Input,
  target: Target,
  session: WorkspaceSession,
): Promise<object> {
  const { event } = target;
  if (start === undefined && end === undefined) return recurrence === undefined ? {} : zonedTimes(event, wanted, session);
  const zone = wanted ?? zoneOf(event.start) ?? (await calendarZone(session));
  if (scope === 'series') return rescheduleSeries(target, { start, end }, zone, recurrence === undefined);
  return rescheduleEvent(event, { start, end }, zone);
}

/** An event that becomes a series needs a zone, even if it did without one, and no answer tells whether it did. */
async function zonedTimes(event: CalendarEvent, wanted: string | undefined, session: WorkspaceSession): Promise<object> {
  const [start, end] = [momentOf(event.start), momentOf(event.end)];
  if (isDate(start) || (event.recurrence !== undefined && wanted === undefined)) return {};
  const zone = wanted ?? zoneOf(event.start) ?? (await calendarZone(session));
  return { start: toPatch(start, zone), end: toPatch(end, zone) };
}

function summary(input: Input): string {
  const what = input.scope === 'series' ? `the whole series of event ${input.id}` : `event ${input.id}`;
  return `Change ${what}: ${describeChanges(input)}; ${input.notify ? 'attendees, if any, are told by e-mail' : 'nobody is told'}`;
}

async function preview(input: Input, { session }: RunContext<'workspace'>): Promise<string> {
  const { event } = await findTarget(session, input.id, input.scope);
  const invited = input.notify && input.add_attendees !== undefined;
  const told = invited ? 'attendees, new ones too, are told by e-mail' : nameGuests(event, input.notify);
  return `Change ${nameEvent(event)}: ${describeChanges(input)}; ${told}`;
}

function describeChanges({ title, start, end, zone, description, location, add_attendees, remove_attendees, recurrence }: Input): string {
  const changes = [
    title !== undefined && `title "${title}"`,
    start !== undefined && `start ${start}`,
    end !== undefined && `end ${end}`,
    zone !== undefined && `zone ${zone}`,
    location !== undefined && `place "${location}"`,
    description !== undefined && `description "${description.replaceAll(/\s+/g, ' ')}"`,
    recurrence?.join(' ') ?? false,
    add_attendees !== undefined && `invite ${add_attendees.join(', ')}`,
    remove_attendees !== undefined && `no longer invite ${remove_attendees.join(', ')}`,
  ];
  return changes.filter((change) => change !== false).join('; ');
}
