import { z } from 'zod';
import { asciiDomainAddress, isEmailAddress, MAX_OCTETS } from '../../validation/email-address.ts';
import { nameOf } from '../../validation/text-input.ts';
import { timeZone } from '../../validation/time-zone.ts';
import { uuid } from '../../validation/validate.ts';

const DAY_MINUTES = 1_440;
const MAX_TEXT = 200;
const MAX_AMOUNT = 1_000_000_000_000;
const DRIVE_ID = /^[\w-]{1,200}$/;

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

const time = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 08:00');
const ofSchedule = {
  type: z.literal('schedule'),
  at: time.describe('As clocks in the time zone show it: `08:00`.'),
  time_zone: timeZone.describe('An IANA time zone, such as `Europe/Berlin`.'),
};

const schedule = z.discriminatedUnion('every', [
  z.strictObject({
    ...ofSchedule,
    every: z.literal('hour'),
    at: z
      .string()
      .regex(/^00:[0-5]\d$/, 'must be the minute of an hour such as 00:15')
      .describe('The minute: `00:15` is a quarter past each hour.'),
  }),
  z.strictObject({ ...ofSchedule, every: z.literal('day') }),
  z.strictObject({ ...ofSchedule, every: z.literal('weekday').describe('Monday to Friday.') }),
  z.strictObject({ ...ofSchedule, every: z.literal('week'), on: z.enum(WEEKDAYS) }),
  z.strictObject({
    ...ofSchedule,
    every: z.literal('month'),
    on: z.int().min(1).max(31).describe('The day. In a month that has fewer, the last one.'),
  }),
]);

const words = nameOf(MAX_TEXT);
const correspondent = z
  .string()
  .max(MAX_OCTETS, `must have at most ${MAX_OCTETS} characters`)
  .trim()
  .overwrite(asciiDomainAddress)
  .refine(
    (value) => isEmailAddress(value.startsWith('@') ? `any${value}` : value),
    'must be a mail address, or a domain such as @example.com',
  );
const title = words.optional().describe('Words that the title has, in any case.');

const ofEvent = { type: z.literal('event'), account: uuid.describe('Whose events.') };

const event = z.discriminatedUnion('event', [
  z.strictObject({
    ...ofEvent,
    event: z.literal('mail.received'),
    filter: z
      .strictObject({
        from: correspondent.optional().describe('An address, or all of a domain: `@example.com`.'),
        to: correspondent.optional(),
        subject: words.optional().describe('Words that the subject has, in any case.'),
        has_attachment: z.boolean().optional(),
      })
      .default({}),
  }),
  z.strictObject({ ...ofEvent, event: z.literal('calendar.changed'), filter: z.strictObject({ title }).default({}) }),
  z.strictObject({
    ...ofEvent,
    event: z.literal('calendar.starting'),
    minutes_before: z.int().min(1).max(DAY_MINUTES),
    filter: z.strictObject({ title }).default({}),
  }),
  z.strictObject({
    ...ofEvent,
    event: z.literal('drive.changed'),
    filter: z
      .strictObject({
        name: words.optional().describe('Words that the name has, in any case.'),
        folder: z.string().regex(DRIVE_ID, 'must be the id of a folder').optional().describe('The id of the folder that it is in.'),
      })
      .default({}),
  }),
  z.strictObject({
    ...ofEvent,
    event: z.literal('bank.transaction'),
    filter: z
      .strictObject({
        amount_over: z.number().min(0).max(MAX_AMOUNT).optional().describe('In the currency of the bank’s account.'),
        direction: z.enum(['out', 'in', 'any']).default('out').describe('`out`: money that leaves the account.'),
        merchant: words.optional().describe('Words that the merchant’s name has, in any case.'),
        category: words.optional().describe('Words that the category’s name has, in any case.'),
      })
      .default({ direction: 'out' }),
  }),
  z.strictObject({
    ...ofEvent,
    event: z.literal('account.status'),
    account: uuid.nullable().default(null).describe('Whose status; null: of any account.'),
  }),
]);

/** What starts an automation. */
export const triggerSchema = z.discriminatedUnion('type', [schedule, event]);

export type Schedule = z.output<typeof schedule>;
export type EventTrigger = z.output<typeof event>;
export type EventTriggerName = EventTrigger['event'];
export type Trigger = z.output<typeof triggerSchema>;

/** The provider whose accounts have an event; undefined: any. */
export const PROVIDER_OF_EVENT: Readonly<Record<EventTriggerName, 'workspace' | 'bank' | undefined>> = {
  'mail.received': 'workspace',
  'calendar.changed': 'workspace',
  'calendar.starting': 'workspace',
  'drive.changed': 'workspace',
  'bank.transaction': 'bank',
  'account.status': undefined,
};

/** The column `kind` of an automation. */
export type AutomationKind = 'schedule' | EventTriggerName;

export function kindOf(trigger: Trigger): AutomationKind {
  return trigger.type === 'schedule' ? 'schedule' : trigger.event;
}

/** The account whose events start it; null: a schedule, or the events of all accounts. */
export function triggerAccount(trigger: Trigger): string | null {
  return trigger.type === 'schedule' ? null : trigger.account;
}
