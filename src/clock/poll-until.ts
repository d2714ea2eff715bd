import type { Clock } from './clock.ts';

export interface PollUntilOptions {
  everyMs: number;
  /** No look begins after this time. */
  limitMs: number;
  /** Ends the pause between two looks. */
  signal?: AbortSignal | undefined;
}

/**
 * Looks at intervals until what is seen satisfies a condition.
 *
 * @returns what the last look saw: after the limit, or once the signal is aborted, it may not satisfy the condition
 * @throws what `look` throws
 */
export async function pollUntil<Seen>(
  clock: Clock,
  look: () => Promise<Seen>,
  isEnd: (seen: Seen) => boolean,
  { everyMs, limitMs, signal }: PollUntilOptions,
): Promise<Seen> {
  const end = clock.monotonic() + limitMs;
  for (;;) {
    const seen = await look();
    if (isEnd(seen) || clock.monotonic() >= end) return seen;
    try {
      await clock.sleep(everyMs, { signal });
    } catch {
      // Aborted. What is read for a caller that has left would count as received.
      return seen;
    }
  }
}
