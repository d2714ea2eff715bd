import type { ErrorObject } from 'ajv';
import { cutText } from '../../validation/cut-text.ts';
import { didYouMean } from '../../validation/nearest-name.ts';

const LONGEST_NAME = 100;
/** The compiler's own position in its messages, which is removed. */
const PLACE = /(?: ignored)? (?:in schema )?(?:at|from) (?:path |id )?"?#/;
const FORMATS: Readonly<Record<string, string>> = {
  date: 'a date such as 2026-05-04',
  time: 'a time such as 09:00:00+02:00',
  'date-time': 'a date and time such as 2026-05-04T09:00:00+02:00',
  email: 'a mail address',
  uri: 'a web address such as https://example.com/page',
  uuid: 'a UUID',
};

/** The path of a value that violates its JSON Schema, including a missing or unknown property. */
export function placeOf({ instancePath, keyword, params }: ErrorObject): string[] {
  const path = pointer(instancePath);
  if (keyword === 'required') path.push(params.missingProperty);
  if (keyword === 'additionalProperties') path.push(cutText(String(params.additionalProperty), LONGEST_NAME));
  return path;
}

/** How it breaks it, in plain words. */
export function reasonOf({ keyword, params, message, data }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not known';
    case 'enum':
      return `must be one of ${params.allowedValues.map(String).join(', ')}${typeof data === 'string' ? didYouMean(data, params.allowedValues.map(String)) : ''}`;
    case 'format':
      return `must be ${FORMATS[params.format] ?? `of the format ${params.format}`}`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'minLength':
      return bounded('at least', params.limit, 'character', 'characters');
    case 'maxLength':
      return bounded('at most', params.limit, 'character', 'characters');
    case 'minItems':
      return bounded('at least', params.limit, 'entry', 'entries');
    case 'maxItems':
      return bounded('at most', params.limit, 'entry', 'entries');
    default:
      return message ?? 'is not valid';
  }
}

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list, such as [a, b]',
  object: 'names with values (name: value)',
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
  boolean: 'true or false',
};

/** How a schema breaks the rules for schemas, in plain words. */
export function schemaReasonOf(error: ErrorObject): string {
  const { keyword, params, data, instancePath } = error;
  if (keyword === 'uniqueItems') return 'must not contain duplicates';
  if (keyword !== 'type') return reasonOf(error);
  if (instancePath.endsWith('/required') && typeof data === 'boolean') {
    return 'must be a list of names, beside properties: required: [a, b]';
  }
  const kinds = [params.type].flat().map((type: string) => KINDS[type] ?? type);
  return `must be ${kinds.join(' or ')}`;
}

/**
 * The schema compiler's message, without its own position, and with the solution if there is one.
 *
 * @param formats names of all formats
 */
export function compilerReason(message: string, formats: readonly string[]): string {
  const whole = message.replace(/^strict mode: /, '');
  const place = whole.search(PLACE);
  const reason = place === -1 ? whole : whole.slice(0, place);
  const [, format] = /^unknown format "(.*)"$/.exec(reason) ?? [];
  if (format !== undefined) return `${reason}${didYouMean(format, formats)}`;
  const [, type, keyword] = /^missing type "([^"]*)" for keyword "([^"]*)"$/.exec(reason) ?? [];
  if (type !== undefined) return `${reason}: ${keyword} is for ${type.replaceAll(',', ' or ')} only`;
  if (reason.startsWith('default is ignored')) return 'a default is supported only beside a property’s type, not within anyOf or oneOf';
  return reason;
}

/** A name that may be used in place of one that may not; undefined: none that resembles it. */
export function plainName(name: string): string | undefined {
  const plain = name.replace(/[^A-Za-z0-9_]+/g, '_').slice(0, 60);
  return /^[A-Za-z_]/.test(plain) && /[A-Za-z0-9]/.test(plain) ? plain : undefined;
}

/** RFC 6901. */
export function pointer(text: string): string[] {
  const parts = text.split('/').slice(1);
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function bounded(words: string, limit: number, one: string, more: string): string {
  return words === 'at least' && limit === 1 ? 'must not be empty' : `must have ${words} ${limit} ${limit === 1 ? one : more}`;
}
