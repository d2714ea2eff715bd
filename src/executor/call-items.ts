import type { Call } from './call.ts';

/** Characters of the ids of all providers. An argument may hold several ids, or an address that contains one. */
const IDS = /[\w.@:-]+/g;
const MAX_LENGTH = 1_024;
/** Far more than the ids in the arguments of any call. */
const MAX_IDS = 10_000;

/**
 * Ids of everything that a call is about: what its action resolves, else everything in its arguments that may be an id.
 *
 * @param facts of the action; undefined: they weren't read, or couldn't be
 * @returns undefined: more than can be looked up
 */
export function itemsOf({ configured, input }: Pick<Call, 'configured' | 'input'>, facts: unknown): ReadonlySet<string> | undefined {
  const items = configured.action.items?.(input, facts);
  return items === undefined ? idsIn(input) : limited(new Set(items));
}

/** Everything in a value that may be an id. @returns undefined: more than can be looked up */
export function idsIn(value: unknown): ReadonlySet<string> | undefined {
  const found = new Set<string>();
  const left = [value];
  while (left.length > 0 && found.size <= MAX_IDS) {
    const next = left.pop();
    if (typeof next === 'string')
      for (const [id] of next.matchAll(IDS)) if (found.size <= MAX_IDS && id.length <= MAX_LENGTH) found.add(id);
    if (typeof next === 'object' && next !== null) for (const one of Object.values(next)) left.push(one);
  }
  return limited(found);
}

function limited(items: ReadonlySet<string>): ReadonlySet<string> | undefined {
  return items.size > MAX_IDS ? undefined : items;
}
