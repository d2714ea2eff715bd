import { quoted } from '../shown-text.ts';
import { type CalendarEvent, momentOf } from './calendar-event.ts';

/** For whoever approves: `the event “Lunch” on 2026-05-01T12:00:00+02:00 (3964…)`. */
export function nameEvent({ id, summary, start, recurrence }: CalendarEvent): string {
  const what = recurrence === undefined ? 'the event' : 'the whole series';
  return `${what} ${quoted(summary)} ${recurrence === undefined ? 'on' : 'from'} ${momentOf(start)} (${id})`;
}

/** Who else is told of a change. */
export function nameGuests({ attendees, attendeesOmitted }: CalendarEvent, notify: boolean): string {
  const others = attendees.filter(({ self }) => self !== true).length;
  if (!notify || (others === 0 && !attendeesOmitted)) return 'nobody is told';
  return attendeesOmitted ? 'its attendees are told by e-mail' : `its attendees (${others}) are told by e-mail`;
}
