/** Bytes of a value as JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** As many of the first items as fit into a number of bytes, as a list in JSON; one at least. */
export function fitting<Item>(items: readonly Item[], bytes: number): Item[] {
  let left = bytes - '[]'.length;
  const over = items.findIndex((item) => {
    left -= jsonBytes(item) + ','.length;
    return left < 0;
  });
  return items.slice(0, over === -1 ? items.length : Math.max(1, over));
}
