import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { people } from '../../providers/shared/audience.ts';
import { hashOf } from '../../providers/shared/version-hash.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { assertUnchanged } from '../shared/as-shown.ts';
import { builtIn } from '../shared/built-in.ts';
import { quoted } from '../shared/display-text.ts';
import { isLabelled } from '../shared/labels.ts';
import { anyEvent, describeFully, EVENT_FIELDS, type EventTime, eventOutput } from './calendar-event.ts';
import {
  assertDays,
  attendees,
  description,
  end,
  endZone,
  location,
  notify,
  recurrence,
  sendUpdates,
  start,
  title,
} from './calendar-inputs.ts';
import { listed, shownEndOf, shownTimeOf, showSpan } from './calendar-preview.ts';
import { assertLiving, CALENDAR, calendarZone } from './calendar-session.ts';
import { undoCreation } from './calendar-undo.ts';
import { showSharing, showTexts } from './event-sharing.ts';
import { givenRules } from './recurrence-rules.ts';
import { assertOrder } from './reschedule.ts';
import { assertExists, dayAfter, dayBefore, hasOffset, isDate, zoneName, zonesOfCalendar } from './zoned-time.ts';

const input = z.strictObject({
  title,
  start,
  end: end.optional().describe('Like start; for all-day events the day after the last, by default one day.'),
  zone: zoneName.optional().describe('Time zone, if not the calendar’s.'),
  end_zone: endZone.optional(),
  description: description.optional(),
  location: location.optional(),
  attendees: attendees.optional().describe('Mail addresses of the invitees.'),
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
  // What can't succeed is rejected before the user is asked. The calendar's zone may change meanwhile.
  facts: (input, { session }) => plannedTimes(input, session),
  version: ({ version }) => version,
  exposes: ({ attendees = [] }) => people(attendees),
  summary: (input) => summarise(input, { start: input.zone, end: input.end_zone ?? input.zone }),
  shown: (_input, { start, end }, { taint }) => ({
    span: { start: shownTimeOf(givenTime(start)), end: shownEndOf(givenTime(end)) },
    isPrivate: isLabelled(taint),
  }),
  preview: async (input, { taint }, { start, end }) =>
    `${summarise(input, { start: start.timeZone, end: end.timeZone })}${showTexts({ location: input.location, description: input.description })}${showSharing(isLabelled(taint))}`,
  async run(input, { session, taint, version, undoneBy }) {
    const { title, description, location, attendees = [], meeting, notify } = input;
    const { version: now, ...times } = await plannedTimes(input, session);
    assertUnchanged(version, 'zone', now);
    const requestBody = {
      summary: title,
      ...times,
      ...(description !== undefined && { description }),
      ...(location !== undefined && { location }),
      ...(attendees.length > 0 && { attendees: attendees.map((email) => ({ email })) }),
      ...(isLabelled(taint) && { visibility: 'private' }),
      ...(meeting && { conferenceData: { createRequest: { requestId: randomUUID(), conferenceSolutionKey: { type: 'hangoutsMeet' } } } }),
    };
    const conferenceDataVersion = meeting ? 1 : 0;
    const params = { ...CALENDAR, sendUpdates: sendUpdates(notify), conferenceDataVersion, requestBody, fields: EVENT_FIELDS };
    const event = assertLiving(await session.call('calendar.events.insert', params, anyEvent));
    if (attendees.length === 0) undoneBy(undoCreation(event));
    // What guests call themselves is others' text.
    return describeFully({ ...event, attendees: event.attendees.map((one) => ({ ...one, displayName: undefined })) });
  },
});

/** As the provider takes them. */
interface Times {
  start: { date?: string; dateTime?: string; timeZone?: string };
  end: { date?: string; dateTime?: string; timeZone?: string };
  recurrence?: string[];
}

function givenTime({ date, dateTime = '', timeZone }: Times['start']): EventTime {
  return date === undefined ? { dateTime, timeZone } : { date };
}

/** Its version is what only the calendar tells of the times. @throws AppError like {@link timesOf} */
async function plannedTimes(input: Input, session: WorkspaceSession): Promise<Times & { version: string }> {
  const times = await timesOf(input, session);
  return { ...times, version: hashOf(zonesOfCalendar([times.start, times.end], [input.zone, input.end_zone])) };
}

/**
 * A series needs a zone even if its times have an offset, because the offset changes with daylight saving time.
 *
 * @throws AppError `invalid_request` for times that don't exist or are in the wrong order, and for a rule that ends before them
 */
async function timesOf(input: Input, session: WorkspaceSession): Promise<Times> {
  const { start, end: given, recurrence } = input;
  const end = given ?? nextDay(start);
  assertDays(start, end);
  if (isDate(start)) return { start: { date: start }, end: { date: end }, ...rulesOf(recurrence, start, 'UTC') };
  const zones = await zonesFor({ ...input, end }, session);
  const at = (field: 'start' | 'end', dateTime: string) => {
    const timeZone = zones[field];
    if (timeZone === undefined) return { dateTime };
    assertExists(field, dateTime, timeZone);
    return { dateTime, timeZone };
  };
  const times = { start: at('start', start), end: at('end', end) };
  // What has no zone has an offset, which takes precedence over a zone.
  assertOrder(start, end, { start: zones.start ?? 'UTC', end: zones.end ?? 'UTC' });
  return { ...times, ...rulesOf(recurrence, start, zones.start ?? 'UTC') };
}

function rulesOf(recurrence: string[] | undefined, start: string, zone: string): Pick<Times, 'recurrence'> {
  return recurrence === undefined ? {} : { recurrence: givenRules(recurrence, start, zone) };
}

/** The zones of the times; undefined: a time needs none. */
async function zonesFor(
  { start, end, zone, end_zone: endZone, recurrence }: Input & { end: string },
  session: WorkspaceSession,
): Promise<{ start: string | undefined; end: string | undefined }> {
  const isTimed = hasOffset(start) && (hasOffset(end) || endZone !== undefined) && recurrence === undefined;
  const known = zone ?? (isTimed ? undefined : await calendarZone(session));
  return { start: known, end: endZone ?? known };
}

function nextDay(start: string): string {
  if (!isDate(start)) throw new AppError('invalid_request', 'end: is required when start is a time');
  return dayAfter(start);
}

/** @param zones of the times; undefined: it isn't known */
function summarise(
  { title, start, end, attendees = [], recurrence, meeting, notify }: Input,
  zones: { start: string | undefined; end: string | undefined },
): string {
  const last = isDate(start) ? dayBefore(end ?? nextDay(start)) : end;
  const time = showSpan(start, last ?? start, zones.start, zones.end);
  const guests = attendees.length > 0 ? `, inviting ${listed(attendees)} ${notify ? 'by mail' : 'without a mail'}:` : '';
  const rules = recurrence === undefined ? '' : `, ${recurrence.map(quoted).join(' ')}`;
  return `Create${guests} the event ${quoted(title)} on ${time}${rules}${meeting ? ', with a video meeting' : ''}`;
}
