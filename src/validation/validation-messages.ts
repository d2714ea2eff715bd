import { z } from 'zod';
import { shortened } from './cut-text.ts';
import { nearestName } from './nearest-name.ts';

type Issue = z.core.$ZodIssue;
type RawIssue<Code extends Issue['code']> = Extract<z.core.$ZodRawIssue, { code: Code }>;

/** Unknown names come from outside: long ones are truncated, and invisible characters replaced. */
const SHOWN = 60;
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};
const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID',
  email: 'must be a mail address',
  url: 'must be a web address',
  date: 'must be a date such as 2027-01-31',
  datetime: 'must be a date and time such as 2027-01-31T09:00:00Z',
  time: 'must be a time such as 09:00:00',
};
/** Omitted after the first of several alternatives. */
const MUST_BE = 'must be ';

/** For zod's `error` option: says what a field must be. A message of the schema takes precedence. */
export function validationMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue);
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : oneOf(issue.values);
    case 'too_big':
      return bound(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most');
    case 'too_small':
      return bound(issue, issue.minimum, issue.inclusive === false ? 'more than' : 'at least');
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'has an invalid format';
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return unknownKey(issue);
    case 'invalid_key':
      return `its name ${issue.issues[0]?.message ?? 'is not valid'}`;
    // Described by its alternatives, or by the values of the discriminator.
    case 'invalid_union':
      return issue.errors.length > 0 ? '' : oneOf((issue.options ?? []) as z.core.util.Primitive[]);
    default:
      return 'is not valid';
  }
}

/** The first problem with its field: `max: must be at most 25`. An unknown field that resembles a known one comes first. */
export function describeIssues(issues: readonly Issue[]): string {
  const issue = issues.find((one) => one.code === 'unrecognized_keys' && one.message.includes('did you mean')) ?? issues[0];
  return issue === undefined ? 'The request is not valid.' : describe(issue, []);
}

/** A name from outside as a message shows it. */
export function shownName(name: string): string {
  return shortened(name, SHOWN + 1).replace(/\p{C}/gu, '�');
}

function describe(issue: Issue, above: readonly PropertyKey[]): string {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union' && issue.message === '') return describeAlternatives(issue.errors, path);
  const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  const field = [...path, ...(unknown === undefined ? [] : [unknown])].map((part) => shownName(String(part))).join('.');
  return field === '' ? issue.message : `${field}: ${issue.message}`;
}

/** The problem of the alternative that the value resembles most; all alternatives if it resembles none. */
function describeAlternatives(alternatives: readonly (readonly Issue[])[], path: readonly PropertyKey[]): string {
  const inside = alternatives.filter((issues) => issues.some((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys'));
  const [likeliest] = inside.toSorted((one, other) => one.length - other.length);
  if (likeliest?.[0] !== undefined) return describe(likeliest[0], path);
  const [first = 'is not valid', ...others] = new Set(alternatives.flatMap((issues) => issues[0]?.message || []));
  const reason = [first, ...others.map((other) => (other.startsWith(MUST_BE) ? other.slice(MUST_BE.length) : other))].join(' or ');
  return path.length === 0 ? reason : `${path.map((part) => shownName(String(part))).join('.')}: ${reason}`;
}

function wrongType({ input, expected }: RawIssue<'invalid_type'>): string {
  if (input === undefined) return 'is required';
  // For example a query parameter that is given twice.
  if (Array.isArray(input) && (expected === 'string' || expected === 'number')) return `must be a single ${expected}`;
  return MUST_BE + (TYPES[expected] ?? expected);
}

function oneOf(values: readonly z.core.util.Primitive[]): string {
  const shown = values.map(String).join(', ');
  return values.length === 1 ? MUST_BE + shown : `must be one of ${shown}`;
}

/** @param words how `limit` bounds it: `at most` */
function bound({ origin, exact }: { origin: string; exact?: boolean }, limit: number | bigint, words: string): string {
  const unit = origin === 'string' ? 'character' : origin === 'array' || origin === 'set' || origin === 'map' ? 'entry' : undefined;
  if (unit === undefined) return `must be ${words} ${limit}`;
  if (words === 'at least' && Number(limit) === 1 && exact !== true) return 'must not be empty';
  const units = Number(limit) === 1 ? unit : unit === 'entry' ? 'entries' : 'characters';
  return `must have ${exact === true ? 'exactly' : words} ${limit} ${units}`;
}

function unknownKey({ keys, input, inst }: RawIssue<'unrecognized_keys'>): string {
  const known = inst instanceof z.ZodObject ? Object.keys(inst.shape) : [];
  const nearest = nearestName(
    keys[0] ?? '',
    known.filter((name) => !Object.hasOwn(input as object, name)),
  );
  return nearest === undefined ? 'is unknown' : `is unknown (did you mean ${nearest}?)`;
}
