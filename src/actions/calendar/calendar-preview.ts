import { displayAddress, quoted } from '../display-text.ts';
import { type CalendarEvent, momentOf } from './calendar-event.ts';

/** For the approval prompt: `the event “Lunch” on 2026-05-01T12:00:00+02:00 (3964…)`. */
export function nameEvent({ id, summary, start, recurrence }: CalendarEvent): string {
  const what = recurrence === undefined ? 'the event' : 'the whole series';
  return `${what} ${quoted(summary)} ${recurrence === undefined ? 'on' : 'from'} ${momentOf(start)} (${id})`;
}

/** Any beyond are only counted, to keep the prompt readable. */
const MAX_NAMED = 30;

/** Who sees a change, and whether they are notified: `notifying ana@example.org, ben@example.org by e-mail`. */
export function nameGuests(event: CalendarEvent, notify: boolean, added: readonly string[] = []): string {
  const others = event.attendees.filter(({ self }) => self !== true).map(({ email }) => email.toLowerCase());
  const guests = [...new Set([...others, ...added])];
  if (guests.length === 0 && !event.attendeesOmitted) return 'notifying nobody';
  const more = guests.length > MAX_NAMED ? ` and ${guests.length - MAX_NAMED} more` : '';
  const named = `${listed(guests.slice(0, MAX_NAMED))}${more}${event.attendeesOmitted ? ' and others' : ''}`;
  return notify ? `notifying ${named} by e-mail` : `seen by ${named} without an e-mail`;
}

export function listed(addresses: readonly string[]): string {
  return addresses.map(displayAddress).join(', ');
}
