import type { Item } from './bank-state.ts';

/** The rows of a response, of which the first is odd if a test has asked for it. */
export function withOddRow({ odd }: Item, rows: readonly object[]): object[] {
  const [first, ...others] = rows;
  if (odd === undefined || first === undefined) return [...rows];
  const kept = Object.entries(first).filter(([name]) => !odd.omit.includes(name));
  return [Object.fromEntries(kept.map(([name, value]) => [name, odd.nulls.includes(name) ? null : value])), ...others];
}
