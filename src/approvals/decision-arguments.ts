import { AppError } from '../errors.ts';
import { isObject } from '../validation/is-object.ts';
import { excessIn, LARGE_BYTES, parseLargeJson } from '../validation/json-budget.ts';
import { changedInput, type FormField } from './change-form.ts';
import type { DecisionForm } from './decision-form.ts';

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
