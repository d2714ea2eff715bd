import type { Clock } from '../clock/clock.ts';

/**
 * Loads at the first call, and again after a failed load. Calls share what is loaded.
 *
 * @param age loads again this long after a load began; left out: never
 */
export function loadOnce<Value>(load: () => Promise<Value>, age?: { clock: Clock; freshMs: number }): () => Promise<Value> {
  let loaded: { value: Promise<Value>; at: number } | undefined;
  return () => {
    const now = age?.clock.monotonic() ?? 0;
    if (loaded !== undefined && (age === undefined || now - loaded.at < age.freshMs)) return loaded.value;
    const loading = { value: load(), at: now };
    loaded = loading;
    loading.value.catch(() => {
      if (loaded === loading) loaded = undefined;
    });
    return loading.value;
  };
}
