import type { ErrorObject } from 'ajv';
import { didYouMean } from '../http/nearest-name.ts';

const LONGEST_NAME = 100;
const FORMATS: Readonly<Record<string, string>> = {
  date: 'a date such as 2026-05-04',
  time: 'a time such as 09:00:00+02:00',
  'date-time': 'a date and time such as 2026-05-04T09:00:00+02:00',
  email: 'an e-mail address',
  uri: 'a web address such as https://example.com/page',
  uuid: 'a UUID',
};

/** Where a value breaks its JSON Schema, as keys from the top: what is missing or too much included. */
export function placeOf({ instancePath, keyword, params }: ErrorObject): string[] {
  const path = pointer(instancePath);
  if (keyword === 'required') path.push(params.missingProperty);
  if (keyword === 'additionalProperties') path.push(String(params.additionalProperty).slice(0, LONGEST_NAME));
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

/** RFC 6901. */
export function pointer(text: string): string[] {
  const parts = text.split('/').slice(1);
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function bounded(words: string, limit: number, one: string, more: string): string {
  return words === 'at least' && limit === 1 ? 'must not be empty' : `must have ${words} ${limit} ${limit === 1 ? one : more}`;
}
