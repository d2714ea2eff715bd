import { AppError } from '../../errors.ts';
import type { LoadedAction } from '../../integrations/catalog.ts';
import { addressKey } from '../../validation/email-address.ts';

const SHOWN_VALUES = 10;

/**
 * Checks every value that an allow-list covers against its patterns.
 *
 * @param input as the action's schema gave it
 * @throws AppError `forbidden` with `details.list`, `details.refused` and how many `more` were refused; also for a list that the action does not have
 */
export function assertAllowed({ action, policy }: LoadedAction, input: unknown): void {
  for (const [name, patterns] of Object.entries(policy.allow)) {
    if (Object.hasOwn(action.allowRead ?? {}, name)) continue;
    const valuesOf = Object.hasOwn(action.allow ?? {}, name) ? action.allow?.[name] : undefined;
    if (valuesOf === undefined) throw new AppError('forbidden', `This action’s allow-list ${name} can’t be checked.`);
    assertCovered(name, patterns, valuesOf(input));
  }
}

/** Whether a list is in force that only the facts can be checked against. */
export function readsAllowed({ action, policy }: LoadedAction): boolean {
  return Object.keys(policy.allow).some((name) => Object.hasOwn(action.allowRead ?? {}, name));
}

/** The same check for values that the facts tell. @throws AppError `forbidden` */
export function assertReadAllowed({ action, policy }: LoadedAction, facts: unknown): void {
  for (const [name, patterns] of Object.entries(policy.allow)) {
    const valuesOf = Object.hasOwn(action.allowRead ?? {}, name) ? action.allowRead?.[name] : undefined;
    if (valuesOf !== undefined) assertCovered(name, patterns, valuesOf(facts));
  }
}

function assertCovered(name: string, patterns: readonly string[], values: readonly string[]): void {
  const refused = values.filter((value) => !patterns.some((pattern) => matches(pattern, value)));
  if (refused.length === 0) return;
  const more = refused.length - SHOWN_VALUES;
  throw new AppError('forbidden', `${name}: contains a value that the operator’s allow-list doesn’t cover.`, {
    details: { list: name, refused: refused.slice(0, SHOWN_VALUES), ...(more > 0 && { more }) },
  });
}

/**
 * Whether an allow-list names an address of this call: one that the list covers. A list on another argument says nothing
 * about who sees the call, and nor does a pattern that isn't one of addresses.
 */
export function isAllowListed({ action, policy }: LoadedAction, input: unknown, facts: unknown, address: string): boolean {
  return Object.entries(policy.allow).some(([name, patterns]) => {
    const given = Object.hasOwn(action.allow ?? {}, name) ? (action.allow?.[name]?.(input) ?? []) : [];
    const found = Object.hasOwn(action.allowRead ?? {}, name) ? (action.allowRead?.[name]?.(facts) ?? []) : [];
    const isCovered = [...given, ...found].some((value) => addressKey(value) === address);
    return isCovered && patterns.some((pattern) => pattern.includes('@') && matches(pattern, address));
  });
}

/**
 * Whether allow-lists fix all arguments of a call, of which there are some: each is a value that the argument's list has as it is,
 * or a few different ones. A pattern with `*` lets through what isn't known. A text could be spelled out by yes and no, by values
 * repeated, by what is left out, and by calls without arguments.
 */
export function areArgumentsListed({ policy }: LoadedAction, input: unknown): boolean {
  const given = Object.entries(input as object);
  const isFixed = ([name, value]: [string, unknown]) => {
    const patterns = Object.hasOwn(policy.allow, name) ? (policy.allow[name] ?? []) : [];
    const values = [value].flat();
    const isListed = (one: unknown) =>
      patterns.some((pattern) => !pattern.includes('*') && typeof one !== 'object' && pattern === `${one}`);
    return patterns.length > 0 && new Set(values).size === values.length && values.every(isListed);
  };
  return given.length > 0 && given.every(isFixed);
}

/**
 * Whether the whole text matches the pattern, case-insensitive; `*` matches any text, including none. The worst case is
 * proportional to the product of the lengths, because only the last star is tried again.
 */
export function matches(pattern: string, text: string): boolean {
  const [wanted, given] = [addressKey(pattern), addressKey(text)];
  let [at, from, star, resume] = [0, 0, -1, 0];
  while (at < given.length) {
    if (wanted[from] === '*') {
      star = from;
      resume = at;
      from += 1;
    } else if (from < wanted.length && wanted[from] === given[at]) {
      at += 1;
      from += 1;
    } else if (star !== -1) {
      resume += 1;
      at = resume;
      from = star + 1;
    } else return false;
  }
  while (wanted[from] === '*') from += 1;
  return from === wanted.length;
}
