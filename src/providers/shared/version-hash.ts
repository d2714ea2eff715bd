import { hash } from 'node:crypto';
import { canonicalJson } from '../../validation/canonical-json.ts';

/** A hash that changes with each of the parts, for a version of what the user is shown. */
export function hashOf(parts: readonly unknown[]): string {
  return hash('sha256', canonicalJson(parts));
}
