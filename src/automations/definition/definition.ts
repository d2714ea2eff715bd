import { z } from 'zod';
import { resemblesOwnName } from '../../executor/taint/own-name.ts';
import { nameOf, severalLines } from '../../validation/text-input.ts';
import { uuid } from '../../validation/validate.ts';
import { triggerSchema } from './trigger.ts';

const MAX_NAME = 100;
const MAX_PROMPT = 4_000;
const MAX_LISTED = 50;
const PATTERN = /^(?:\*|[a-z0-9_-]{1,60}\.(?:\*|[a-z0-9_-]{1,60}))$/;
const ACTION = /^[a-z0-9_-]{1,60}\.[a-z0-9_-]{1,60}$/;

const does = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('prompt'), prompt: severalLines(MAX_PROMPT).describe('What the assistant is asked each time.') }),
  z.strictObject({
    type: z.literal('action'),
    action: z.string().regex(ACTION, 'must be the name of an action such as mail.send'),
    account: uuid.nullable().default(null).describe('Null: the default account of the action’s provider.'),
    input: z.looseObject({}).describe('Its arguments. Nothing of what happened is put into them.'),
  }),
  z.strictObject({ type: z.literal('notify').describe('The user is told, and nothing else is done.') }),
]);

const budget = z.strictObject({
  steps: z.int().min(1).max(50).default(12).describe('Of the assistant, in one run.'),
  tokens: z.int().min(1_000).max(2_000_000).default(200_000).describe('Of the model, in one run.'),
  cost: z
    .number()
    .positive()
    .max(1_000)
    .nullable()
    .default(null)
    .describe('Of one run, in the currency of the operator’s prices; null: no bound of its own.'),
  runs_per_hour: z.int().min(1).max(60).default(12),
  runs_per_day: z.int().min(1).max(500).default(100),
});

const BUDGET = budget.parse({});

/** What an automation is, as its user writes it. */
export const definitionSchema = z.strictObject({
  name: nameOf(MAX_NAME)
    .refine((name) => !resemblesOwnName(name), 'must not be, or look like, the name of this service')
    .describe('What the user knows it by.'),
  trigger: triggerSchema,
  does,
  actions: z
    .array(z.string().regex(PATTERN, 'must be *, all actions of an agent (mail.*) or one action (calendar.list)'))
    .max(MAX_LISTED)
    .default([])
    .describe('What its runs may do: `*`, `mail.*` or `calendar.list`.'),
  accounts: z
    .array(uuid)
    .min(1)
    .max(MAX_LISTED)
    .nullable()
    .default(null)
    .describe('Ids of the accounts that its runs may use; null: all, also later ones.'),
  when_asked: z
    .enum(['wait', 'skip', 'draft'])
    .default('wait')
    .describe('What a run does where a call needs the user’s approval: wait for it, leave the call out, or write a mail as a draft.'),
  budget: budget.default(BUDGET),
});

/** What is stored, encrypted, of an automation. */
export type Definition = z.output<typeof definitionSchema>;
export type Does = Definition['does'];
export type Budget = Definition['budget'];
