import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { addressKey } from '../../validation/email-address.ts';
import { severalLines } from '../../validation/text-input.ts';
import { emailAddress, text } from '../../validation/validate.ts';
import { isRecurrenceRule } from './rule-grammar.ts';
import { isDate, moment, zoneName } from './zoned-time.ts';

const MAX_ATTENDEES = 100;

/** Ids are base32hex; an event of a series has its original start after a `_`; other calendar servers use more characters. */
export const eventId = z
  .string()
  .max(1_024, 'must be the id of an event')
  .regex(/^[\w.@:-]+$/, 'must be the id of an event')
  // In a URL, these would be another path.
  .refine((id) => !/^\.+$/.test(id), 'must be the id of an event')
  .describe('Id of the event.');

export const title = text(1_024).describe('Title.');
// Places that come from other calendars are addresses of several lines.
export const location = severalLines(1_024, 0).describe('Place.');
export const description = severalLines(8_192, 0).describe('Text of the event.');

export const attendees = z
  .array(emailAddress)
  .max(MAX_ATTENDEES)
  .transform((emails) => [...new Set(emails.map(addressKey))]);

const RULE = 'RRULE:';

export const recurrence = z
  .array(
    text(1_000)
      .regex(/^(RRULE:FREQ=|EXDATE[:;]|RDATE[:;])[\x21-\x7e]+$/, 'must be RRULE:FREQ=…, EXDATE… or RDATE…')
      // Refused here, it is corrected in its field; the provider would refuse the call when it runs, after the question.
      .refine(
        (line) => !line.startsWith(RULE) || isRecurrenceRule(line.slice(RULE.length)),
        'must be a rule such as RRULE:FREQ=WEEKLY;BYDAY=TU',
      ),
  )
  .min(1)
  .max(10)
  .refine((lines) => lines.filter((line) => line.startsWith(RULE)).length === 1, 'must contain exactly one RRULE')
  .describe('RFC 5545 rules, e.g. ["RRULE:FREQ=WEEKLY;BYDAY=TU"]; UNTIL of timed events in UTC.');

export const start = moment.describe('2026-05-01 for an all-day event, else 2026-05-01T09:00, with or without an offset.');
export const endZone = zoneName.describe('Time zone of the end, if another, as of a flight.');
export const end = moment.describe('Like start; for all-day events the day after the last.');

export const scope = z.enum(['this', 'series']).default('this').describe('Of a series: this event, or all.');

export const notify = z.boolean().default(true).describe('Tell the attendees by mail.');

/** For changes that need approval only if they notify someone: the default is not to. */
export const notifyOnRequest = z.boolean().default(false).describe('Also tell the attendees by mail; needs the user’s approval.');

/** Input of calendar.update. */
export const updateInput = z.strictObject({
  id: eventId,
  scope,
  title: title.optional(),
  start: start.optional().describe('New start; with scope series all events move by the same amount.'),
  end: end.optional().describe('New end; by default the duration stays.'),
  zone: zoneName.optional().describe('Time zone of the given times, if not the event’s.'),
  end_zone: endZone.optional(),
  description: description.optional().describe('Replaces the old one; empty removes it.'),
  location: location.optional().describe('Replaces the old one; empty removes it.'),
  add_attendees: attendees.optional().describe('Mail addresses to invite as well.'),
  remove_attendees: attendees.optional().describe('Mail addresses to uninvite.'),
  recurrence: recurrence.optional(),
  notify: notifyOnRequest,
});

export type UpdateInput = z.output<typeof updateInput>;

/** Value of `sendUpdates`, which is always sent because its default depends on the method. */
export function sendUpdates(notify: boolean): 'all' | 'none' {
  return notify ? 'all' : 'none';
}

/** @throws AppError `invalid_request` for an end before the start, or a date combined with a time */
export function assertDays(start: string, end: string): void {
  const [startIsDay, endIsDay] = [isDate(start), isDate(end)];
  if (startIsDay !== endIsDay)
    throw new AppError('invalid_request', 'end: must be a date if start is a date, and a time if start is a time');
  if (startIsDay && end <= start) throw new AppError('invalid_request', 'end: must be later than start; it is the day after the last one');
}
