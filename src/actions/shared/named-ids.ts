import { listedIds } from '../../providers/shared/items.ts';

/** Arguments that hold ids: of the built-in actions, and of the provider's methods (`fileId`, `addParents`). */
const ID = /^(ids?|files?|folder|message|threads?|reply_to)$|(Id|Ids|[pP]arents)$/;

/** Whether an argument of this name holds ids. */
export function isIdName(name: string): boolean {
  return ID.test(name);
}

/** The ids that the arguments of a call name. */
export function namedIds(input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([name, value]) => (isIdName(name) ? listedIds(value) : []));
}
