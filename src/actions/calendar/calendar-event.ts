import { z } from 'zod';
import { list } from '../../providers/transport/response-list.ts';
import { isPrivate } from '../../providers/workspace/event-audience.ts';
import { multiLine, singleLine } from '../shared/display-text.ts';
import type { Source } from '../shared/labels.ts';
import { dayAfter, dayBefore, properZone } from './zoned-time.ts';

/** Attendees of an event in a list, so that a page of large meetings fits into one result. */
const MAX_LISTED = 15;
/** Characters of what guests see: the provider's own limits, so that a question leaves nothing out. */
export const LIMITS = { title: 1_024, place: 1_024, description: 8_192, link: 2_000 };

const time = z.union([
  z.object({ date: z.iso.date() }),
  z.object({
    dateTime: z.iso.datetime({ offset: true, local: true }),
    // Whether the zone exists is slow to check, so zoneOf checks only the zones that are used.
    timeZone: z
      .string()
      .regex(/^[A-Za-z][\w+/-]{0,59}$/)
      .optional()
      .catch(undefined),
  }),
]);

export type EventTime = z.output<typeof time>;

/** Loose: a changed list is sent back complete, with fields that only the provider uses. */
const attendee = z.looseObject({
  email: singleLine.default(''),
  displayName: singleLine.optional(),
  responseStatus: z.enum(['needsAction', 'declined', 'tentative', 'accepted']).default('needsAction'),
  comment: z.string().optional(),
  optional: z.boolean().optional(),
  organizer: z.boolean().optional(),
  resource: z.boolean().optional(),
  self: z.boolean().optional(),
});

const id = z.string().regex(/^[\x21-\x7e]{1,1100}$/);

/** Fields of the provider's event that are used. */
const shared = {
  id,
  summary: singleLine.default(''),
  description: multiLine.optional(),
  location: multiLine.optional(),
  htmlLink: z.string().max(LIMITS.link).optional(),
  hangoutLink: z.string().max(LIMITS.link).optional(),
  conferenceData: z
    .object({
      entryPoints: list(z.object({ entryPointType: z.string().optional(), uri: z.string().max(LIMITS.link).optional() })).optional(),
      createRequest: z.object({ status: z.object({ statusCode: z.string().optional() }).optional() }).optional(),
    })
    .optional(),
  creator: z.object({ self: z.boolean().optional() }).optional(),
  organizer: z.object({ email: singleLine.optional(), self: z.boolean().optional() }).optional(),
  /** Of what it was made: a mail, a web page. */
  source: z.unknown().optional(),
  attendees: list(attendee).default([]),
  attendeesOmitted: z.boolean().default(false),
  guestsCanSeeOtherGuests: z.boolean().default(true),
  attachments: list(z.object({ title: singleLine.default(''), fileUrl: z.string().max(LIMITS.link).default('') }), 100).default([]),
  // Whole, because they are sent back with a series that moves.
  recurrence: list(singleLine, 1_000).optional(),
  recurringEventId: id.optional(),
  iCalUID: z.string().max(2_000).optional(),
  endTimeUnspecified: z.boolean().default(false),
  transparency: z.string().max(40).default('opaque'),
  visibility: z.string().max(40).default('default'),
  eventType: singleLine.default('default'),
};

const currentEvent = z.object({
  ...shared,
  status: z.enum(['confirmed', 'tentative']).default('confirmed'),
  start: time,
  end: time,
  originalStartTime: time.optional(),
});

export type Attendee = z.output<typeof attendee>;
export type CalendarEvent = z.output<typeof currentEvent>;

/** The provider returns whole days that end on the day on which they start: they take that day, as in its own calendar. */
function withWholeDays<Event extends Record<'start' | 'end', EventTime>>(event: Event): Event {
  const { start, end } = event;
  return 'date' in start && 'date' in end && end.date <= start.date ? { ...event, end: { date: dayAfter(start.date) } } : event;
}

/** An organizer may hide guests from one another: one reads only its own entry, and no sign that there are more. */
function withHiddenGuests(event: CalendarEvent): CalendarEvent {
  const areHidden = !event.guestsCanSeeOtherGuests && event.organizer?.self !== true;
  return areHidden ? { ...event, attendeesOmitted: true } : event;
}

/** A deleted event may lack its times. */
export const anyEvent = z.union([
  z.object({ status: z.literal('cancelled') }),
  currentEvent.overwrite((event) => withHiddenGuests(withWholeDays(event))),
]);

/** A deleted event, as far as the provider keeps its details. */
export const deletedEvent = z.object({
  id,
  status: z.string().max(40).default('confirmed'),
  summary: shared.summary,
  start: time.optional(),
  /** Of an event of a series, which may have no other time. */
  originalStartTime: time.optional(),
  location: shared.location,
  description: shared.description,
  visibility: shared.visibility,
  organizer: shared.organizer,
  attendees: shared.attendees,
  attendeesOmitted: shared.attendeesOmitted,
  attachments: shared.attachments,
});

/** The fields that tell who is busy in an event. */
export const busyEvent = z.union([
  z.object({ status: z.literal('cancelled') }),
  currentEvent
    .pick({
      id: true,
      status: true,
      start: true,
      end: true,
      organizer: true,
      attendees: true,
      transparency: true,
      eventType: true,
    })
    .overwrite(withWholeDays),
]);
export type BusyEvent = Exclude<z.output<typeof busyEvent>, { status: 'cancelled' }>;

/** What guests read of an event of a series that was changed individually; of one that was deleted, nothing. */
export const exceptionTexts = z.object({
  status: z.string().max(40).default('confirmed'),
  summary: shared.summary,
  location: shared.location,
  description: shared.description,
});

/** The fields that identify an event of a series. */
export const seriesPart = z.object({ id, recurringEventId: id.optional() });

const names = ['status', 'start', 'end', 'originalStartTime', ...Object.keys(shared)];
export const EVENT_FIELDS = names.join(',');
/** Lists omit what only makes them larger. */
export const LIST_FIELDS = names.filter((name) => name !== 'description' && name !== 'attachments').join(',');
export const MEETING_FIELDS = 'id,status,start,end,transparency,eventType,organizer(email,self),attendees(email,self,responseStatus)';
export const BUSY_FIELDS = 'id,status,start,end,transparency,eventType,attendees(self,responseStatus)';

export const eventOutput = z.object({
  id: z.string(),
  title: z.string(),
  start: z.string().describe('A time with its offset; for all-day events a date.'),
  end: z.string().describe('A time with its offset; for all-day events the day after the last one.'),
  end_unspecified: z.literal(true).optional().describe('The event has no end; the one given here is the provider’s.'),
  all_day: z.boolean(),
  last_day: z.string().optional().describe('For all-day events: the last day.'),
  zone: z.string().optional(),
  end_zone: z.string().optional().describe('Time zone of the end, if it is another one.'),
  tentative: z.literal(true).optional(),
  location: z.string().optional(),
  description: z.string().optional(),
  organizer: z.string().optional().describe('Present if it is someone other than the user.'),
  imported: z.literal(true).optional().describe('It comes from elsewhere, such as a mail, a file or another service.'),
  attendees: z
    .array(
      z.object({
        email: z.string(),
        name: z.string().optional(),
        answer: z.enum(['none', 'declined', 'tentative', 'accepted']),
        optional: z.literal(true).optional(),
        resource: z.literal(true).optional().describe('A room or a device.'),
      }),
    )
    .optional(),
  attendees_omitted: z
    .literal(true)
    .optional()
    .describe('The event has more attendees, if the organizer doesn’t hide them: of an event in a list, read them with calendar.get.'),
  my_answer: z.enum(['none', 'declined', 'tentative', 'accepted']).optional(),
  series: z.string().optional().describe('Id of the series that the event belongs to.'),
  recurrence: z.array(z.string()).optional().describe('For a series: its rules (RFC 5545).'),
  meeting_link: z.string().optional(),
  meeting_status: z.enum(['pending', 'failed']).optional().describe('Why a requested video meeting has no link.'),
  link: z.string().optional(),
  busy: z.boolean().describe('Whether the event blocks the user’s time.'),
  private: z.literal(true).optional(),
  kind: z.string().optional().describe('For example outOfOffice, focusTime or workingLocation.'),
});

/** Whether the event blocks the user's time. An invitation without a response does. */
export function isBusy({ attendees, transparency, eventType }: Pick<BusyEvent, 'attendees' | 'transparency' | 'eventType'>): boolean {
  const declined = attendees.some(({ self, responseStatus }) => self === true && responseStatus === 'declined');
  return !declined && isOccupied({ transparency, eventType });
}

/** Whether the event blocks the time of those who take part. */
export function isOccupied({ transparency, eventType }: Pick<BusyEvent, 'transparency' | 'eventType'>): boolean {
  return transparency !== 'transparent' && eventType !== 'workingLocation';
}

/** An event as an item of a list. */
export function describeEvent(event: CalendarEvent, maxAttendees = MAX_LISTED): z.input<typeof eventOutput> {
  const { id, summary, status, location, organizer, recurrence, recurringEventId, visibility, eventType } = event;
  const isOthers = organizer?.self !== true && organizer?.email !== undefined;
  return {
    id,
    title: summary,
    ...describeTimes(event),
    ...(status === 'tentative' && { tentative: true as const }),
    location,
    ...(isOthers && { organizer: organizer.email }),
    ...(!isOthers && !isMadeHere(event) && { imported: true as const }),
    ...describeAttendees(event, maxAttendees),
    series: recurringEventId,
    recurrence,
    meeting_link: meetingLink(event),
    meeting_status: meetingStatus(event),
    busy: isBusy(event),
    ...(isPrivate(visibility) && { private: true as const }),
    ...(eventType !== 'default' && { kind: eventType }),
  };
}

/** An event with all its fields, as a result of its own. */
export function describeFully(event: CalendarEvent): z.input<typeof eventOutput> {
  const { description, htmlLink } = event;
  return { ...describeEvent(event, event.attendees.length), description, link: webLink(htmlLink) };
}

/** Kinds of events that only the user writes; others are made by the provider, of mails, contacts or an organisation's places. */
const OWN_KINDS = [undefined, 'focusTime', 'outOfOffice'];

/** Whether the account has made the event in its calendar. An imported one keeps the `iCalUID` that it has elsewhere. */
function isMadeHere({ id, recurringEventId, creator, organizer, source, iCalUID }: CalendarEvent): boolean {
  const isSelf = creator?.self === true && organizer?.self === true;
  return isSelf && source === undefined && iCalUID === `${recurringEventId ?? id}@google.com`;
}

/** An event with guests may have been written by any of them. */
export function eventSource(event: z.output<typeof eventOutput>): Source {
  const { id, title, organizer, imported, attendees, attendees_omitted: omitted, kind } = event;
  const isOwn = [organizer, imported, attendees, omitted].every((one) => one === undefined) && OWN_KINDS.includes(kind);
  const about = { item: id, name: title, ...(organizer !== undefined && { author: organizer }) };
  return isOwn
    ? { ...about, integrity: 'own' }
    : { ...about, integrity: 'others', fields: ['title', 'description', 'location', 'attendees'] };
}

/** The start or end as one string: a date, or a time. */
export function momentOf(time: EventTime): string {
  return 'date' in time ? time.date : time.dateTime;
}

/** @returns undefined also for an unknown zone */
export function zoneOf(time: EventTime): string | undefined {
  return 'date' in time || time.timeZone === undefined ? undefined : properZone(time.timeZone);
}

/** Dates stay dates: converting them to UTC would shift them. */
function describeTimes({ start, end, endTimeUnspecified }: CalendarEvent) {
  const [zone, endZone] = [zoneOf(start), zoneOf(end)];
  return {
    start: momentOf(start),
    end: momentOf(end),
    ...(endTimeUnspecified && { end_unspecified: true as const }),
    all_day: 'date' in start,
    last_day: 'date' in end ? dayBefore(end.date) : undefined,
    ...(zone !== undefined && { zone }),
    ...(endZone !== undefined && endZone !== zone && { end_zone: endZone }),
  };
}

function describeAttendees({ attendees, attendeesOmitted }: CalendarEvent, max: number) {
  const self = attendees.find((one) => one.self === true);
  const shown = attendees.slice(0, max).map(({ email, displayName, responseStatus, optional, resource }) => ({
    email,
    name: displayName,
    answer: shownResponse(responseStatus),
    ...(optional === true && { optional }),
    ...(resource === true && { resource }),
  }));
  return {
    ...(shown.length > 0 && { attendees: shown }),
    ...((attendeesOmitted || attendees.length > max) && { attendees_omitted: true as const }),
    ...(self !== undefined && { my_answer: shownResponse(self.responseStatus) }),
  };
}

export function shownResponse(status: Attendee['responseStatus']): 'none' | 'declined' | 'tentative' | 'accepted' {
  return status === 'needsAction' ? 'none' : status;
}

function meetingLink({ hangoutLink, conferenceData }: CalendarEvent): string | undefined {
  const video = conferenceData?.entryPoints?.find(({ entryPointType }) => entryPointType === 'video');
  return webLink(hangoutLink ?? video?.uri);
}

/** The provider makes video meetings after it has answered (Calendar API, `conferenceData.createRequest.status`). */
function meetingStatus({ conferenceData }: CalendarEvent): 'pending' | 'failed' | undefined {
  const code = conferenceData?.createRequest?.status?.statusCode;
  if (code === 'pending') return code;
  return code === 'failure' ? 'failed' : undefined;
}

/** Web addresses only, so that opening one is safe. */
function webLink(link: string | undefined): string | undefined {
  return link !== undefined && /^https?:\/\/[\x21-\x7e]+$/.test(link) ? link : undefined;
}
