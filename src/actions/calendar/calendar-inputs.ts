import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { emailAddress, text } from '../../validation/validate.ts';
import { isDate, moment } from './zoned-time.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b-\u001f\u007f]/;
const MAX_ATTENDEES = 100;

/** Ids are base32hex, those of a series' events with the original start behind a `_`; other calendars' servers take more. */
export const eventId = z
  .string()
  .regex(/^(?!\.+$)[\w.@:-]{1,1024}$/, 'must be an event’s id')
  .describe('Id of the event.');

export const title = text(1_024);
export const location = z
  .string()
  .max(1_024)
  .pipe(z.union([text(1_024), z.literal('')]));
export const description = z
  .string()
  .max(8_192)
  .refine((value) => !CONTROL_BUT_LINES.test(value), 'must not hold control characters');

export const attendees = z
  .array(emailAddress)
  .max(MAX_ATTENDEES)
  .transform((emails) => [...new Set(emails.map((email) => email.toLowerCase()))]);

export const recurrence = z
  .array(text(1_000).regex(/^(RRULE:FREQ=|EXDATE[:;]|RDATE[:;])[\x21-\x7e]+$/, 'must be RRULE:FREQ=…, EXDATE… or RDATE…'))
  .min(1)
  .max(10)
  .refine((lines) => lines.filter((line) => line.startsWith('RRULE:')).length === 1, 'must hold one RRULE')
  .describe('Rules of RFC 5545: ["RRULE:FREQ=WEEKLY;BYDAY=TU"]. UNTIL of timed events is in UTC.');

export const start = moment.describe('A date for whole days (2026-05-01), else a time (2026-05-01T09:00, with or without an offset).');
export const end = moment.describe('As start. Of whole days it is the day after the last one.');

export const scope = z.enum(['this', 'series']).default('this').describe('Of a recurring event: only this one, or the whole series.');

export const notify = z.boolean().default(true).describe('Tell the attendees by e-mail.');

/** Of a change that runs unasked unless it tells somebody: it does so only where that is said. */
export const notifyOnRequest = z
  .boolean()
  .default(false)
  .describe('Tell the attendees by e-mail; the user is asked first. Without it they see the change in their calendars only.');

/** For `sendUpdates`: its default differs from method to method, so it is always sent. */
export function sendUpdates(notify: boolean): 'all' | 'none' {
  return notify ? 'all' : 'none';
}

/** @throws AppError `invalid_request` for an end before its start, or one of another kind */
export function assertDays(start: string, end: string): void {
  const [startIsDay, endIsDay] = [isDate(start), isDate(end)];
  if (startIsDay !== endIsDay)
    throw new AppError('invalid_request', 'end: must be a date where start is one, and a time where start is one');
  if (startIsDay && end <= start) throw new AppError('invalid_request', 'end: must be the day after the last one, so later than start');
}
