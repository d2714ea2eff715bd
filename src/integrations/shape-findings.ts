import type { z } from 'zod';
import { validationMessage } from '../validation/validation-messages.ts';
import type { Path, YamlPositions } from './yaml-positions.ts';

/** A diagnostic and where in the source it lies. */
export interface Finding {
  path: Path;
  /** Into the source, in UTF-16 units. */
  offset: number;
  message: string;
  /** Set where a key is not known: what it may have been meant to be is still to be looked for. */
  unknownKey?: string;
}

const MISSING = 'is missing';
const UNKNOWN = 'unknown key';
const TYPES: Readonly<Record<string, string>> = {
  string: 'a text (in quotes where it looks like something else)',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list, such as [a, b]',
  object: 'keys with values (key: value)',
  record: 'names with values (name: value)',
};

/** For zod's `error` option: what a value of the file must be. A schema's own message goes before it. */
export function fileWords(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'unrecognized_keys') return UNKNOWN;
  if (issue.code !== 'invalid_type') return validationMessage(issue);
  if (issue.input === undefined) return MISSING;
  return `must be ${TYPES[issue.expected] ?? issue.expected}`;
}

/** What the schema found, each at its place; made with {@link fileWords}. */
export function shapeFindings(issues: readonly z.core.$ZodIssue[], positions: YamlPositions): Finding[] {
  return issues.flatMap((issue) => findingsOf(issue, positions));
}

function findingsOf(issue: z.core.$ZodIssue, positions: YamlPositions): Finding[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys' && message === UNKNOWN) {
    return issue.keys.map((key) => {
      const keyPath = [...path, key];
      return { path: keyPath, offset: positions.key(keyPath), message, unknownKey: key };
    });
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return likeliest(issue.errors).flatMap((inner) => findingsOf({ ...inner, path: [...path, ...inner.path] }, positions));
  }
  if (issue.code === 'invalid_key') return [{ path, offset: positions.key(path), message: issue.issues[0]?.message ?? message }];
  return [{ path, offset: positions.value(path), message }];
}

/** The alternative that was most probably meant: the one with the fewest keys too many or too few. */
function likeliest(alternatives: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] {
  const strangeness = (issues: readonly z.core.$ZodIssue[]) =>
    issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : issue.message === MISSING ? 1 : 0), 0);
  return alternatives.reduce((best, issues) => (strangeness(issues) < strangeness(best) ? issues : best));
}
