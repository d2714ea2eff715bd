import { z } from 'zod';
import { rememberDays } from '../executor/policy/remember-days.ts';
import { text } from '../validation/validate.ts';

/** Before the name of an argument in what a form sends. */
export const FIELD = 'field.';

/** What decides on a question: as JSON, or from the forms of its page. */
export const decisionForm = z
  .looseObject({
    approved: z.union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')]),
    input: z.looseObject({}).optional().describe('The arguments that the user puts in place of those shown.'),
    input_json: z.string().optional().describe('From the page’s form: `input` as JSON.'),
    remember_for: z
      .preprocess(daysOfForm, rememberDays.optional())
      .optional()
      .describe('Days for which calls like this one are allowed in advance, 1 to 30.'),
    shown: text(100).optional().describe('Of the question: another one than the one shown is not decided. Required with a session.'),
    csrf: text(100).optional().describe('From the page’s form.'),
    changed: z.literal('yes').optional().describe('From the page’s form: `input` as fields, each `field.` and the argument’s name.'),
  })
  .check(({ value, issues }) => {
    const keys = Object.keys(value).filter((name) => !NAMES.has(name) && !(value.changed === 'yes' && name.startsWith(FIELD)));
    if (keys.length > 0) issues.push({ code: 'unrecognized_keys', keys, input: value });
  })
  .meta({ id: 'Decision' });

const NAMES = new Set(['approved', 'input', 'input_json', 'remember_for', 'shown', 'csrf', 'changed']);

export type DecisionForm = z.output<typeof decisionForm>;

/** A form posts text, and an empty one where nothing is chosen. Anything else is left to the schema. */
function daysOfForm(value: unknown): unknown {
  if (value === '') return undefined;
  return typeof value === 'string' && /^[1-9]\d?$/.test(value) ? Number(value) : value;
}
