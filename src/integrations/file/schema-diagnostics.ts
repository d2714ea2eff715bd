import type { z } from 'zod';
import { validationMessage } from '../../validation/validation-messages.ts';
import type { Path, YamlPositions } from './yaml-positions.ts';

/** A diagnostic with its position in the source. */
export interface LocatedDiagnostic {
  path: Path;
  /** Offset in the source, in UTF-16 units. */
  offset: number;
  message: string;
  /** The unknown key, for which a similar one is suggested later. */
  unknownKey?: string;
}

const MISSING = 'is missing';
const UNKNOWN = 'unknown key';
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string (in quotes if it looks like another type)',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list, such as [a, b]',
  object: 'keys with values (key: value)',
  record: 'names with values (name: value)',
};

/** For zod's `error` option: the message for a value of the file. A schema's own message takes precedence. */
export function fileMessage(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'unrecognized_keys') return UNKNOWN;
  if (issue.code !== 'invalid_type') return validationMessage(issue);
  if (issue.input === undefined) return MISSING;
  return `must be ${TYPES[issue.expected] ?? issue.expected}`;
}

/** The diagnostics of zod's issues, whose messages are made with {@link fileMessage}. */
export function schemaDiagnostics(issues: readonly z.core.$ZodIssue[], positions: YamlPositions): LocatedDiagnostic[] {
  return issues.flatMap((issue) => diagnosticsOf(issue, positions));
}

function diagnosticsOf(issue: z.core.$ZodIssue, positions: YamlPositions): LocatedDiagnostic[] {
  const { path, message } = issue;
  if (issue.code === 'unrecognized_keys' && message === UNKNOWN) {
    return issue.keys.map((key) => {
      const keyPath = [...path, key];
      return { path: keyPath, offset: positions.key(keyPath), message, unknownKey: key };
    });
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    return likeliest(issue.errors).flatMap((inner) => diagnosticsOf({ ...inner, path: [...path, ...inner.path] }, positions));
  }
  if (issue.code === 'invalid_key') return [{ path, offset: positions.key(path), message: issue.issues[0]?.message ?? message }];
  return [{ path, offset: positions.value(path), message }];
}

/** The alternative with the fewest unknown and missing keys. */
function likeliest(alternatives: readonly z.core.$ZodIssue[][]): z.core.$ZodIssue[] {
  const mismatches = (issues: readonly z.core.$ZodIssue[]) =>
    issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : issue.message === MISSING ? 1 : 0), 0);
  return alternatives.reduce((best, issues) => (mismatches(issues) < mismatches(best) ? issues : best));
}
