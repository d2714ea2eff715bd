/** Each item once, in the order in which they come first, as it is the last time. @param keyOf tells which are the same */
export function distinctBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
