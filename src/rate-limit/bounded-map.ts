import { LRUCache } from 'lru-cache';

/** About 9 MB of counts. A client with more addresses than this is not stopped by counting each of them. */
const ENTRIES = 50_000;

export type BoundedMap<Value extends {}> = LRUCache<string, Value>;

/**
 * A map that a flood of keys cannot grow: beyond `entries` it evicts the least recently used one.
 *
 * The bound is a size and not `max`, for which the library allocates its arrays at once: 1.1 MB for each limit.
 */
export function boundedMap<Value extends {}>(entries = ENTRIES): BoundedMap<Value> {
  return new LRUCache({ maxSize: entries, sizeCalculation: () => 1 });
}
