import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock/clock.ts';

/** About 9 MB of counts. A client with more addresses than this is not stopped by counting each of them. */
const ENTRIES = 50_000;

export type BoundedMap<Value extends {}> = LRUCache<string, Value>;

interface Expiry {
  clock: Clock;
  ttlMs: number;
  /** Entries are removed when they expire, and not only when they are asked for: memory should not contain them any longer. */
  isPurged?: boolean;
}

/**
 * A map that a flood of keys cannot grow: beyond `entries` it evicts the least recently used one.
 *
 * The bound is a size and not `max`, for which the library allocates its arrays at once: 1.1 MB for each limit.
 *
 * @param expiry how long after they were set entries are returned, by the monotonic clock; left out: without end
 */
export function boundedMap<Value extends {}>(entries = ENTRIES, expiry?: Expiry): BoundedMap<Value> {
  const bound = { maxSize: entries, sizeCalculation: () => 1 };
  if (expiry === undefined) return new LRUCache(bound);
  const { clock, ttlMs, isPurged = false } = expiry;
  // To the library, 0 is no time.
  const perf = { now: () => 1 + clock.monotonic() };
  return new LRUCache({ ...bound, ttl: ttlMs, ttlAutopurge: isPurged, ttlResolution: 0, perf });
}
