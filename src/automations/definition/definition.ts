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

const budgetFields = {
  steps: z.int().min(1).max(50).describe('Of the assistant, in one run.'),
  tokens: z.int().min(1_000).max(2_000_000).describe('Of the model, in one run.'),
  cost: z
    .number()
    .positive()
    .max(1_000)
    .nullable()
    .describe('Of one run, in the currency of the operator’s prices; null: no bound of its own.'),
  runs_per_hour: z.int().min(1).max(60),
  runs_per_day: z.int().min(1).max(500),
};
const DEFAULT_BUDGET = { steps: 12, tokens: 200_000, cost: null, runs_per_hour: 12, runs_per_day: 100 };

const fields = {
  name: nameOf(MAX_NAME)
    .refine((name) => !resemblesOwnName(name), 'must not be, or look like, the name of this service')
    .describe('What the user knows it by.'),
  trigger: triggerSchema.meta({ id: 'AutomationTrigger' }),
  does: does.meta({ id: 'AutomationDoes' }),
  actions: z
    .array(z.string().regex(PATTERN, 'must be *, all actions of an agent (mail.*) or one action (calendar.list)'))
    .max(MAX_LISTED)
    .describe('What its runs may do: `*`, `mail.*` or `calendar.list`.'),
  accounts: z
    .array(uuid)
    .min(1)
    .max(MAX_LISTED)
    .nullable()
    .describe('Ids of the accounts that its runs may use; null: all, also later ones.'),
  when_asked: z
    .enum(['wait', 'skip', 'draft'])
    .describe('What a run does where a call needs the user’s approval: wait for it, leave the call out, or write a mail as a draft.'),
  state: z.enum(['active', 'paused']),
};

const newFields = {
  ...fields,
  actions: fields.actions.default([]),
  accounts: fields.accounts.default(null),
  when_asked: fields.when_asked.default('wait'),
  budget: z
    .strictObject({
      steps: budgetFields.steps.default(DEFAULT_BUDGET.steps),
      tokens: budgetFields.tokens.default(DEFAULT_BUDGET.tokens),
      cost: budgetFields.cost.default(DEFAULT_BUDGET.cost),
      runs_per_hour: budgetFields.runs_per_hour.default(DEFAULT_BUDGET.runs_per_hour),
      runs_per_day: budgetFields.runs_per_day.default(DEFAULT_BUDGET.runs_per_day),
    })
    .default(DEFAULT_BUDGET),
  state: fields.state.default('active'),
};

/** What is sent to make an automation. */
export const newAutomation = z.strictObject(newFields).meta({ id: 'NewAutomation' });

/** What is sent to change one: what it leaves out stays; of the budget, too. */
export const automationPatch = z
  .strictObject({ ...optional(fields), budget: z.strictObject(optional(budgetFields)).exactOptional() })
  .meta({ id: 'AutomationPatch' });

/** How one is returned. */
export const shownDefinition = { ...fields, budget: z.object(budgetFields) };

export type NewAutomation = z.output<typeof newAutomation>;
export type AutomationPatch = z.output<typeof automationPatch>;
/** What is stored, encrypted, of an automation. */
export type Definition = Omit<NewAutomation, 'state'>;
export type Does = Definition['does'];

type Optional<Shape extends z.ZodRawShape> = { [Field in keyof Shape]: z.ZodExactOptional<Shape[Field]> };

function optional<Shape extends z.ZodRawShape>(shape: Shape): Optional<Shape> {
  return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, z.exactOptional(field)])) as Optional<Shape>;
}

/** What the runs of an automation may do. */
export function grantOf({ actions, accounts, when_asked: whenAsked }: Definition) {
  return { actions, accountIds: accounts, whenAsked };
}
