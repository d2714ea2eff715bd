import { z } from 'zod';
import { AppError, type ErrorCode } from '../errors.ts';
import { asciiDomainAddress, isEmailAddress, MAX_OCTETS } from './email-address.ts';
import { CONTROL, LINE_BREAK, notEmpty } from './text-input.ts';
import { describeIssues, shownName, validationMessage } from './validation-messages.ts';
import { halfProblem, textProblem } from './well-formed.ts';

const MESSAGES = { error: validationMessage };

/** A text field of one line, `min` to `max` characters. */
export function text(max: number, min: 0 | 1 = 1): z.ZodString {
  return notEmpty(z.string(), min)
    .max(max, `must have at most ${max} characters`)
    .refine((value) => !LINE_BREAK.test(value), { error: 'must be one line, without line breaks', abort: true })
    .refine((value) => !CONTROL.test(value), 'must not contain control characters') as z.ZodString;
}

/** An id. Postgres ignores its case; in lower case, comparisons here do, too. */
export const uuid = z.uuid().toLowerCase();

/** A mail address, without surrounding spaces: one of any script, with its domain in ASCII (RFC 5890, RFC 6531). */
export const emailAddress = z
  .string()
  .max(MAX_OCTETS, `must have at most ${MAX_OCTETS} characters`)
  .refine((value) => !CONTROL.test(value), 'must not contain control characters')
  .trim()
  .overwrite(asciiDomainAddress)
  .refine(isEmailAddress, 'must be a mail address')
  .meta({ format: 'email', examples: ['demo@example.com'] });

/** Checks a value from outside. @returns the parsed value, whose texts are well-formed, or the first problem in plain words */
export function check<S extends z.ZodType>(schema: S, value: unknown): { value: z.output<S> } | { problem: string } {
  const result = schema.safeParse(value, MESSAGES);
  if (!result.success) return { problem: describeIssues(result.error.issues) };
  const found = textProblem(result.data, halfProblem);
  return found === undefined ? { value: result.data } : { problem: `${shownPath(found.path)}${found.problem}` };
}

/** `to.0: `; '' for the value itself. */
export function shownPath(path: readonly string[]): string {
  return path.length === 0 ? '' : `${path.map(shownName).join('.')}: `;
}

/**
 * Validates a value from outside.
 *
 * @throws AppError `code`, with a message that names the first invalid field
 */
export function validate<S extends z.ZodType>(schema: S, value: unknown, code: ErrorCode = 'invalid_request'): z.output<S> {
  const checked = check(schema, value);
  if ('value' in checked) return checked.value;
  throw new AppError(code, code === 'not_found' ? 'There is no object with this id.' : checked.problem);
}
