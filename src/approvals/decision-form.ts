import { z } from 'zod';
import { AppError } from '../errors.ts';
import { rememberDays } from '../executor/policy/remember-days.ts';
import { isObject } from '../validation/is-object.ts';
import { excessIn, LARGE_BYTES, parseLargeJson } from '../validation/json-budget.ts';
import { text } from '../validation/validate.ts';
import { changedInput, FIELD, type FormField } from './change-form.ts';

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

/**
 * The arguments that the user puts in place of those shown; undefined: none.
 *
 * @param shown the arguments of the question, and the form of its action
 * @throws AppError `invalid_request`, `too_large`
 */
export async function argumentsOf(
  form: DecisionForm,
  shown?: { input: unknown; fields: readonly FormField[] },
): Promise<object | undefined> {
  const { input, input_json: json, changed } = form;
  if (changed !== undefined && shown !== undefined) return changedInput(shown.fields, isObject(shown.input) ? shown.input : {}, form);
  if (json === undefined) return input;
  if (input !== undefined) throw new AppError('invalid_request', 'input: must not be sent beside input_json.');
  const bytes = Buffer.from(json);
  const excess = await excessIn(bytes);
  if (excess !== undefined) throw new AppError(excess.code, `The details have ${excess.reason}.`);
  const value = await parsedJson(bytes);
  if (!isObject(value)) throw new AppError('invalid_request', 'The details must be a JSON object: { … }.');
  return value;
}

/** @throws AppError `invalid_request` */
async function parsedJson(bytes: Buffer): Promise<unknown> {
  try {
    return bytes.length > LARGE_BYTES ? await parseLargeJson(bytes) : JSON.parse(bytes.toString());
  } catch (error) {
    // The rest of the message repeats the text.
    const [place] = /line \d{1,9} column \d{1,9}/.exec((error as SyntaxError).message) ?? [];
    throw new AppError('invalid_request', `The details are not valid JSON${place === undefined ? '' : `: ${place}`}.`);
  }
}
