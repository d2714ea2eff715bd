import { AppError } from '../../errors.ts';
import { isObject } from '../../validation/is-object.ts';
import { RESERVED_KEYS } from '../../validation/reserved-keys.ts';
import { shownPath } from '../../validation/validate.ts';
import { halfOrNulProblem, textProblem } from '../../validation/well-formed.ts';

const MAX_DEPTH = 20;
const MAX_VALUES = 20_000;
const MAX_CHARACTERS = 1024 * 1024;
/** A question shows names whole, as labels: none may hold what nobody reads there. */
const MAX_NAME = 100;

/**
 * Rejects arguments before schemas are applied: values that are not JSON, texts that are not Unicode, keys that could change
 * prototypes, names that are too long to be shown, and input that is too deep or too large to process.
 *
 * @throws AppError `invalid_request`, `too_large`
 */
export function guardInput(input: unknown): void {
  if (!isObject(input)) throw new AppError('invalid_request', 'input: must be an object.');
  visit(input, 1, { values: 0, characters: 0 });
  const found = textProblem(input, halfOrNulProblem);
  if (found !== undefined) throw new AppError('invalid_request', `${shownPath(found.path)}${found.problem}.`);
}

function visit(value: unknown, depth: number, seen: { values: number; characters: number }): void {
  seen.values += 1;
  if (typeof value === 'string') seen.characters += value.length;
  if (seen.values > MAX_VALUES || seen.characters > MAX_CHARACTERS) throw new AppError('too_large', 'input: is too large.');
  if (typeof value !== 'object' || value === null) {
    if (!isJsonScalar(value)) throw new AppError('invalid_request', 'input: must be JSON.');
    return;
  }
  if (depth > MAX_DEPTH) throw new AppError('invalid_request', `input: must have at most ${MAX_DEPTH} levels.`);
  if (Array.isArray(value)) {
    for (const item of value) visit(item, depth + 1, seen);
    return;
  }
  for (const key of Object.keys(value)) {
    if (RESERVED_KEYS.has(key)) throw new AppError('invalid_request', `input: ${key} is a reserved name.`);
    if (key.length > MAX_NAME) throw new AppError('invalid_request', `input: names must have at most ${MAX_NAME} characters.`);
    seen.characters += key.length;
    visit((value as Record<string, unknown>)[key], depth + 1, seen);
  }
}

function isJsonScalar(value: unknown): boolean {
  return value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}
