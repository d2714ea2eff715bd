import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { people, UNKNOWN, union } from '../../providers/shared/audience.ts';
import { hashOf } from '../../providers/shared/version-hash.ts';
import { isPrivate } from '../../providers/workspace/event-audience.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import type { RunContext } from '../shared/action.ts';
import { assertUnchanged } from '../shared/as-shown.ts';
import { builtIn } from '../shared/built-in.ts';
import { quoted } from '../shared/display-text.ts';
import { isLabelled, type Taint } from '../shared/labels.ts';
import type { Shown, ShownText } from '../shared/shown.ts';
import { changedAttendees } from './calendar-attendees.ts';
import { type CalendarEvent, describeFully, type EventTime, eventOutput, momentOf, zoneOf } from './calendar-event.ts';
import { idsOf, type SeenTarget, seenTarget, writtenIn } from './calendar-facts.ts';
import { sendUpdates, type UpdateInput, updateInput } from './calendar-inputs.ts';
import { listed, nameEvent, nameGuests, showEnd, showMoment, shownEndOf, shownEvent, shownTimeOf, told } from './calendar-preview.ts';
import { calendarZone, patchEvent, type Target } from './calendar-session.ts';
import { undoUpdate } from './calendar-undo.ts';
import { type GuestTexts, guestTexts, ownTexts, showOwnTexts, showSharing, showTexts, turnsPrivate } from './event-sharing.ts';
import { givenRules } from './recurrence-rules.ts';
import { rescheduleEvent, rescheduleSeries, type Times, toPatch, type Zones } from './reschedule.ts';
import { lostExceptions } from './series-exceptions.ts';
import { isDate, zonesOfCalendar } from './zoned-time.ts';

export const calendarUpdate = builtIn('workspace', {
  name: 'calendar.update',
  effect: 'write',
  description: 'Change an event or a whole series: only the fields that are given.',
  scopes: ['calendar.events.owned'],
  input: updateInput,
  output: eventOutput.extend({
    exceptions_reset: z
      .int()
      .optional()
      .describe(
        'For a series: the number of its events whose individual changes or deletions were reset, so that they follow the series again.',
      ),
  }),
  allow: { attendees: (input) => input.add_attendees ?? [] },
  // What can't succeed is rejected before the user is asked.
  facts: (input, { session }) => plannedChange(input, session),
  version: ({ version }) => version,
  about: (_input, target) => idsOf(target),
  // Guests see the change in their calendars, whether they are notified or not; those who are removed see that, too.
  exposes: (input, { audience, event }, taint) =>
    union(
      people(input.add_attendees ?? []),
      audience,
      // The user has made it public: it doesn't become private.
      writesText(input) && isLabelled(taint) && event.visibility === 'public' ? UNKNOWN : [],
    ),
  shown: (input, target, { taint }) => shownChange(input, target, taint),
  // The series, if it is changed through one of its events.
  writes: ({ id }, output) => writtenIn(id, output),
  summary,
  preview,
  async run(input, { session, version, taint, undoneBy }) {
    const target = await plannedChange(input, session);
    assertUnchanged(version, 'id', target.version);
    const exceptions = movesSeries(input) ? target.exceptions : [];
    const becomesHidden = mayTurnPrivate(input, target, taint);
    const requestBody = { ...target.changes, ...(becomesHidden && { visibility: 'private' }) };
    const event = await patchEvent(session, target.event, requestBody, sendUpdates(input.notify));
    const lost = await lostExceptions(session, target.event, exceptions);
    // A reset exception can't be made again.
    const undo = lost === 0 ? undoUpdate(input, target.event, becomesHidden) : undefined;
    if (undo !== undefined) undoneBy(undo);
    return { ...describeFully(event), ...(lost > 0 && { exceptions_reset: lost }) };
  },
});

/** The object of a change, and its new values. */
interface Planned extends SeenTarget {
  changes: Partial<Times>;
}

/** Its version changes with the calendar's zone, too, where new times are in it. @throws AppError `not_found`, `invalid_request` */
async function plannedChange(input: UpdateInput, session: WorkspaceSession): Promise<Planned> {
  assertChange(input);
  const target = await seenTarget(session, input.id, input.scope);
  const changes = await changesOf(input, target, session);
  const { start, end } = target.event;
  const zones = zonesOfCalendar([changes.start, changes.end], [input.zone, input.end_zone, zoneOf(start), zoneOf(end)]);
  return { ...target, changes, version: hashOf([target.version, ...zones]) };
}

/** The fields to change, as the provider takes them. @throws AppError `invalid_request` */
async function changesOf(input: UpdateInput, target: Target, session: WorkspaceSession): Promise<Partial<Times>> {
  const { title, description, location, add_attendees: add = [], remove_attendees: remove = [], recurrence } = input;
  const { event } = target;
  if (recurrence !== undefined && event.recurringEventId !== undefined) {
    throw new AppError('invalid_request', 'recurrence: applies to a whole series; give scope "series"');
  }
  const times = await newTimes(input, target, session);
  return {
    ...(title !== undefined && { summary: title }),
    ...times,
    ...(description !== undefined && { description }),
    ...(location !== undefined && { location }),
    ...(add.length + remove.length > 0 && { attendees: changedAttendees(event, add, remove) }),
    ...(recurrence !== undefined && { recurrence: givenRules(recurrence, ...beginning(event, times)) }),
  };
}

function assertChange({ id: _, scope: __, notify: ___, zone, end_zone: endZone, ...changes }: UpdateInput): void {
  if (changes.start === undefined && changes.end === undefined && changes.recurrence === undefined) {
    const field = zone === undefined ? 'end_zone' : 'zone';
    if ((zone ?? endZone) !== undefined) throw new AppError('invalid_request', `${field}: requires a start, an end or a recurrence`);
  }
  const given = Object.values(changes).some((value) => value !== undefined);
  if (!given) throw new AppError('invalid_request', 'Give at least one change.');
}

function writesText({ title, description, location }: UpdateInput): boolean {
  return [title, description, location].some((text) => text !== undefined);
}

function mayTurnPrivate(input: UpdateInput, { event, audience }: SeenTarget, taint: Taint): boolean {
  return writesText(input) && turnsPrivate(event, union(audience, people(input.add_attendees ?? [])), taint);
}

/** Whether the change moves the events of a series, which resets exceptions. */
function movesSeries({ scope, start, end, zone, end_zone: endZone, recurrence }: UpdateInput): boolean {
  return scope === 'series' && [start, end, zone, endZone, recurrence].some((value) => value !== undefined);
}

async function newTimes(input: UpdateInput, target: Target, session: WorkspaceSession): Promise<Partial<Times>> {
  const { scope, start, end, recurrence } = input;
  const { event } = target;
  if (start === undefined && end === undefined) return recurrence === undefined ? {} : zonedTimes(input, event, session);
  const zones = await zonesOf(input, event, session);
  if (scope === 'series') return rescheduleSeries(target, { start, end }, zones, recurrence === undefined);
  return rescheduleEvent(event, { start, end }, zones);
}

/** An event that becomes a series needs a zone, which it may lack; responses don't show whether it does. */
async function zonedTimes(input: UpdateInput, event: CalendarEvent, session: WorkspaceSession): Promise<Partial<Times>> {
  const [start, end] = [momentOf(event.start), momentOf(event.end)];
  const isZoned = event.recurrence !== undefined && (input.zone ?? input.end_zone) === undefined;
  if (isDate(start) || isZoned) return {};
  const zones = await zonesOf(input, event, session);
  return { start: toPatch(start, zones.start), end: toPatch(end, zones.end) };
}

/** Zones after a change: a time that isn't given keeps its own. An end in the zone of the start stays in it. */
async function zonesOf(
  { start, end, zone, end_zone: endZone }: UpdateInput,
  { start: from, end: to }: CalendarEvent,
  session: WorkspaceSession,
): Promise<Zones> {
  const former = zoneOf(from) ?? zone ?? (await calendarZone(session));
  const formerEnd = zoneOf(to) ?? former;
  const isEndOnly = start === undefined && end !== undefined;
  const next = isEndOnly ? former : (zone ?? former);
  const followed = formerEnd === former ? next : formerEnd;
  return { start: next, end: endZone ?? (end === undefined ? followed : (zone ?? followed)) };
}

/** When a series begins after a change, and its zone. */
function beginning({ start: before }: CalendarEvent, { start }: Partial<Times>): [start: string, zone: string] {
  return [start?.date ?? start?.dateTime ?? momentOf(before), start?.timeZone ?? zoneOf(before) ?? 'UTC'];
}

function summary(input: UpdateInput): string {
  const what = input.scope === 'series' ? `the whole series of event ${input.id}` : `event ${input.id}`;
  const zones = { start: input.zone, end: input.end_zone ?? input.zone, unknown: 'the event’s time zone' };
  return summarise(input, zones, input.notify ? 'notifying any attendees by mail' : '', what);
}

async function preview(input: UpdateInput, { taint }: RunContext<'workspace'>, target: Planned): Promise<string> {
  const { event, others, exceptions, changes } = target;
  const lost =
    !movesSeries(input) || exceptions.length === 0 ? '' : `individual changes to ${exceptions.length} of its events may be reset`;
  const zones = { start: changes.start?.timeZone ?? undefined, end: changes.end?.timeZone ?? undefined };
  const guests = nameGuests(event, input.notify, [...others, ...(input.add_attendees ?? [])]);
  const isHidden = isPrivate(event.visibility) || mayTurnPrivate(input, target, taint);
  return `${summarise(input, zones, guests, nameEvent(event), lost)}${newlySeen(input, target)}${showSharing(isHidden)}`;
}

/** For a question's list. */
function shownChange(input: UpdateInput, target: Planned, taint: Taint): Shown {
  const { event, others, exceptions, changes } = target;
  const start = changes.start === undefined ? event.start : timeOf(changes.start);
  const end = changes.end === undefined ? event.end : timeOf(changes.end);
  return {
    event: shownEvent(event, others),
    span: { start: shownTimeOf(start), end: shownEndOf(end) },
    resets: movesSeries(input) ? exceptions.length : 0,
    reads: readByInvited(input, target),
    isPrivate: isPrivate(event.visibility) || mayTurnPrivate(input, target, taint),
  };
}

function readByInvited(input: UpdateInput, { event, exceptions }: Planned): ShownText[] {
  if ((input.add_attendees ?? []).length === 0) return [];
  const { location, description } = input;
  const own = exceptions.filter(({ status }) => status !== 'cancelled');
  return [...guestTexts(keptTexts({ location, description }, event)), ...ownTexts(event, own)];
}

/** What those who are invited see besides what changes. */
function newlySeen(input: UpdateInput, { event, exceptions, changes }: Planned): string {
  if ((input.add_attendees ?? []).length === 0) return '';
  const kept = keptTexts(input, event);
  const own = exceptions.filter(({ status }) => status !== 'cancelled');
  return `; ${showEnd(changes.end === undefined ? event.end : timeOf(changes.end))}${showTexts(kept)}${showOwnTexts(event, own)}`;
}

function keptTexts({ location, description }: Pick<UpdateInput, 'location' | 'description'>, event: CalendarEvent): GuestTexts {
  return {
    attachments: event.attachments,
    attendees: event.attendees,
    ...(location === undefined && { location: event.location }),
    ...(description === undefined && { description: event.description }),
  };
}

function timeOf({ date, dateTime, timeZone }: Times['end']): EventTime {
  return date === null ? { dateTime, timeZone } : { date };
}

/** The zones of new times. */
interface ShownZones {
  start: string | undefined;
  end: string | undefined;
  /** What to say of a time without an offset if its zone isn't known. */
  unknown?: string;
}

/** The people affected come before any text that others wrote. */
function summarise(input: UpdateInput, zones: ShownZones, notified: string, what: string, lost = ''): string {
  const { add_attendees: add = [], remove_attendees: remove = [] } = input;
  const people = [
    ...(add.length > 0 ? [`inviting ${listed(add)}`] : []),
    ...(remove.length > 0 ? [`no longer inviting ${listed(remove)}`] : []),
    notified,
  ];
  return told(
    'Change',
    people.filter((part) => part !== '').join(', '),
    [what, ...describeChanges(input, zones), lost].filter((part) => part !== '').join('; '),
  );
}

function describeChanges(
  { title, start, end, zone, end_zone: endZone, description, location, recurrence }: UpdateInput,
  zones: ShownZones,
): string[] {
  const changes: (string | false)[] = [
    title !== undefined && `title ${quoted(title)}`,
    start !== undefined && `start ${showMoment(start, zones.start, zones.unknown)}`,
    end !== undefined && `end ${showMoment(end, zones.end, zones.unknown)}`,
    zone !== undefined && `zone ${zone}`,
    endZone !== undefined && `end zone ${endZone}`,
    location !== undefined && `location ${quoted(location)}`,
    description !== undefined && `description ${quoted(description)}`,
    ...(recurrence ?? []).map(quoted),
  ];
  return changes.filter((change) => change !== false);
}
