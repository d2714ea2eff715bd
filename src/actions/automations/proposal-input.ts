import { z } from 'zod';
import type { ProposedDefinition, ProposedTrigger } from '../../providers/steward/automation-proposals.ts';
import { nameOf, severalLines } from '../../validation/text-input.ts';
import { text } from '../../validation/validate.ts';

const MAX_NAME = 100;
const MAX_PROMPT = 4_000;
const MAX_TEXT = 254;
const MAX_LISTED = 100;

const EVENTS = ['mail.received', 'calendar.changed', 'calendar.starting', 'drive.changed', 'bank.transaction', 'account.status'] as const;
type EventName = (typeof EVENTS)[number];

/** What `words` are of, by the event. */
const WORDS_OF: Readonly<Record<EventName, string>> = {
  'mail.received': 'subject',
  'calendar.changed': 'title',
  'calendar.starting': 'title',
  'drive.changed': 'name',
  'bank.transaction': 'merchant',
  'account.status': 'words',
};

/**
 * An automation as a model or a client proposes it: flat, because models fill in flat arguments best, and people change them one by
 * one. What belongs together is checked where it is made. Its schema is among the tools of every model, so each word counts.
 */
export const proposalInput = z.strictObject({
  name: nameOf(MAX_NAME).describe('A short one.'),
  every: z.enum(['hour', 'day', 'weekday', 'week', 'month']).optional().describe('Of a schedule.'),
  at: text(MAX_TEXT).optional().describe('`08:00`; of each hour `00:15`.'),
  on: text(MAX_TEXT).optional().describe('`monday`, or the day of the month.'),
  time_zone: text(MAX_TEXT).optional().describe('Default: the user’s.'),
  event: z.enum(EVENTS).optional().describe('In place of a schedule.'),
  account: text(MAX_TEXT).optional().describe('Of the event.'),
  minutes_before: z.int().optional().describe('Of calendar.starting.'),
  from: text(MAX_TEXT).optional().describe('Of mail; also `@domain`.'),
  words: text(MAX_TEXT).optional().describe('In its subject, title, name or merchant.'),
  has_attachment: z.boolean().optional().describe('Of mail.'),
  amount_over: z.number().optional().describe('Of a payment.'),
  prompt: severalLines(MAX_PROMPT).optional().describe('For the assistant; without it the user is only told.'),
  actions: z.array(text(MAX_TEXT)).max(MAX_LISTED).optional().describe('It may call: `mail.read`, `calendar.*`.'),
  accounts: z.array(text(MAX_TEXT)).min(1).max(MAX_LISTED).optional().describe('Default: all.'),
  when_asked: z.enum(['wait', 'skip', 'draft']).optional().describe('Where it has to ask.'),
});

export type ProposalInput = z.output<typeof proposalInput>;

/** The same as the API has it, without what nothing was said of. @param zone the user’s own */
export function definitionOf(input: ProposalInput, zone: string | undefined): ProposedDefinition {
  const { name, prompt, actions, accounts, when_asked } = input;
  return {
    name,
    trigger: input.event === undefined ? scheduleOf(input, zone) : eventOf(input, input.event),
    does: prompt === undefined ? { type: 'notify' } : { type: 'prompt', prompt },
    ...given({ actions, accounts, when_asked }),
  };
}

function scheduleOf(
  { every, at, on, time_zone, account, minutes_before, from, words, has_attachment, amount_over }: ProposalInput,
  zone: string | undefined,
): ProposedTrigger {
  // The day of a month is a number. What belongs to an event is kept: the check rejects it.
  const day = every === 'month' ? Number(on) : on?.toLowerCase();
  const ofEvent = given({ account, minutes_before, from, words, has_attachment, amount_over });
  return { type: 'schedule', ...given({ every, at, on: on === undefined ? undefined : day, time_zone: time_zone ?? zone }), ...ofEvent };
}

function eventOf({ every, at, on, account, minutes_before, ...input }: ProposalInput, event: EventName): ProposedTrigger {
  const { from, words, has_attachment, amount_over } = input;
  const filter = given({ from, [WORDS_OF[event]]: words, has_attachment, amount_over });
  const ofSchedule = given({ every, at, on });
  const filtered = Object.keys(filter).length > 0 && { filter };
  return { type: 'event', event, ...given({ account, minutes_before }), ...filtered, ...ofSchedule };
}

/** Without what is undefined. */
function given<Members extends object>(members: Members): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
