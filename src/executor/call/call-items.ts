import { textsIn } from '../../validation/texts-in.ts';
import type { Call } from './call.ts';

/** Ids of items; undefined: unknown ones, or more than can be looked up. */
export type Items = ReadonlySet<string> | undefined;

/** Characters of the ids of all providers. An argument may hold several ids, or an address that contains one. */
const IDS = /[\w.@:-]+/g;
const MAX_LENGTH = 1_024;
/** Far more than the ids in the arguments of any call. */
const MAX_IDS = 10_000;

/**
 * Ids of everything that a call is about: what its action resolves, and everything in its arguments that may be an id.
 *
 * @param facts of the action; undefined: they weren't read, or it has none
 */
export function itemsOf({ configured, input }: Pick<Call, 'configured' | 'input'>, facts: unknown): Items {
  const about = facts === undefined ? [] : (configured.action.about?.(input, facts) ?? []);
  return allOf(idsIn(input), new Set(about));
}

/** Everything in a value that may be an id. */
export function idsIn(value: unknown): Items {
  const found = new Set<string>();
  for (const { text } of textsIn(value)) {
    for (const [id] of text.matchAll(IDS)) {
      if (id.length <= MAX_LENGTH) found.add(id);
      if (found.size > MAX_IDS) return undefined;
    }
  }
  return found;
}

/** @returns those of all; undefined if any of them are unknown */
export function allOf(...parts: readonly Items[]): Items {
  const all = new Set<string>();
  for (const part of parts) {
    if (part === undefined) return undefined;
    for (const id of part) all.add(id);
  }
  return limited(all);
}

function limited(items: ReadonlySet<string>): Items {
  return items.size > MAX_IDS ? undefined : items;
}
