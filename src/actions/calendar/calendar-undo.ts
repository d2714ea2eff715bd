import { english } from '../../../public/language/english.js';
import { addressKey } from '../../validation/email-address.ts';
import type { Undo } from '../shared/action.ts';
import { quoted } from '../shared/display-text.ts';
import { type CalendarEvent, momentOf, zoneOf } from './calendar-event.ts';
import { type UpdateInput, updateInput } from './calendar-inputs.ts';
import { givenRules } from './recurrence-rules.ts';

/** What is put back, as people call it; the others are called like their fields. */
const FIELD_NAMES: Readonly<Record<string, string>> = {
  zone: 'the time zone',
  end_zone: 'the time zone of the end',
  start: 'the start',
  end: 'the end',
  title: 'the title',
  location: 'the place',
  description: 'the description',
  recurrence: 'the repetition',
  add_attendees: 'the former guests',
  remove_attendees: 'the guest list',
};

const SENT = '; what was sent by mail stays sent';

/** Deletes an event to which no one was invited. */
export function undoCreation(event: CalendarEvent): Undo {
  const input = { ...idOf(event), notify: false };
  return { action: 'calendar.delete', input, summary: `Delete ${named(event)}` };
}

/**
 * Restores the former values of what a change changed.
 *
 * @param event before the change
 * @param becamePrivate whether the change made it private, which it stays
 * @returns undefined where they can't be restored: an event doesn't stop being a series, none loses its title, and the provider
 *   keeps rules that a change may not give
 */
export function undoUpdate(changes: UpdateInput, event: CalendarEvent, becamePrivate: boolean): Undo | undefined {
  const input = {
    ...idOf(event),
    ...formerTexts(changes, event),
    ...formerTimes(changes, event),
    ...formerGuests(changes, event),
    notify: false,
  };
  const becameSeries = changes.recurrence !== undefined && event.recurrence === undefined;
  if (becameSeries || !updateInput.safeParse(input).success || !canBeGiven(input.recurrence, event)) return undefined;
  const fields = Object.keys(input).filter((field) => !['id', 'scope', 'notify'].includes(field));
  if (fields.length === 0) return undefined;
  const names = english.list(fields.map((field) => FIELD_NAMES[field] ?? field));
  return {
    action: 'calendar.update',
    input,
    summary: `Put back ${names} of ${named(event)}${changes.notify ? SENT : ''}${becamePrivate ? '; it stays private' : ''}`,
  };
}

/** Restores the account's former response. @returns undefined where it is the same */
export function undoResponse(event: CalendarEvent, former: string, answer: string, isTold: boolean): Undo | undefined {
  if (former === answer) return undefined;
  const input = { ...idOf(event), answer: former };
  return { action: 'calendar.respond', input, summary: `Set the response to ${named(event)} back to ${former}${isTold ? SENT : ''}` };
}

/** Restores a deleted event. The provider keeps the details of deleted events for their organizers only. */
export function undoDeletion(event: CalendarEvent, notify: boolean): Undo | undefined {
  if (event.organizer?.self !== true) return undefined;
  const lost = event.recurrence === undefined ? '' : ', without the individual changes to its events';
  const isTold = notify && event.attendees.some(({ self }) => self !== true);
  return { action: 'calendar.restore', input: { id: event.id }, summary: `Restore ${named(event)}${lost}${isTold ? SENT : ''}` };
}

function named({ summary, recurrence }: CalendarEvent): string {
  return `the ${recurrence === undefined ? 'event' : 'series'} ${quoted(summary)}`;
}

function idOf({ id, recurrence }: CalendarEvent): Pick<UpdateInput, 'id' | 'scope'> {
  return { id, scope: recurrence === undefined ? 'this' : 'series' };
}

function formerTexts({ title, description, location }: UpdateInput, event: CalendarEvent) {
  return {
    ...(title !== undefined && { title: event.summary }),
    ...(description !== undefined && { description: event.description ?? '' }),
    ...(location !== undefined && { location: event.location ?? '' }),
  };
}

function formerTimes(changes: UpdateInput, { start: from, end: to, recurrence: rules }: CalendarEvent) {
  const { start, end, zone, end_zone: endZone, recurrence } = changes;
  const isMoved = [start, end, zone, endZone].some((value) => value !== undefined);
  const [formerZone, formerEndZone] = [zoneOf(from), zoneOf(to)];
  return {
    ...(isMoved && { start: momentOf(from), end: momentOf(to) }),
    ...(isMoved && formerZone !== undefined && { zone: formerZone }),
    ...(isMoved && formerEndZone !== undefined && formerEndZone !== formerZone && { end_zone: formerEndZone }),
    // As they were: a move back may not have the same rules.
    ...((isMoved || recurrence !== undefined) && rules !== undefined && { recurrence: rules }),
  };
}

/** Whether the rules that an event had are ones that a change may give it. */
function canBeGiven(rules: readonly string[] | undefined, { start }: CalendarEvent): boolean {
  try {
    givenRules(rules ?? [], momentOf(start), zoneOf(start) ?? 'UTC');
    return true;
  } catch {
    return false;
  }
}

function formerGuests({ add_attendees: added = [], remove_attendees: removed = [] }: UpdateInput, { attendees }: CalendarEvent) {
  const invited = attendees.map(({ email }) => addressKey(email));
  const again = removed.filter((email) => invited.includes(email));
  const gone = added.filter((email) => !invited.includes(email));
  return { ...(again.length > 0 && { add_attendees: again }), ...(gone.length > 0 && { remove_attendees: gone }) };
}
