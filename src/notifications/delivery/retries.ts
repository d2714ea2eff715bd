import type { ChannelType } from '../senders/destination.ts';

const [MINUTE, HOUR] = [60_000, 3_600_000];
/** Between the eight tries at a webhook, within 24 hours also where some come late: 19 hours in all. */
const WEBHOOK_WAITS = [1 * MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 4 * HOUR, 6 * HOUR, 6 * HOUR];
/** Between tries at a mail server or push service, as long as there is something to tell. */
const OTHER_WAITS = [1 * MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE];

/**
 * When to try again.
 *
 * @param failures consecutive ones, at least 1
 * @returns milliseconds; undefined: never
 */
export function afterFailure(type: ChannelType, failures: number): number | undefined {
  if (type === 'webhook') return WEBHOOK_WAITS[failures - 1];
  return OTHER_WAITS[Math.min(failures, OTHER_WAITS.length) - 1];
}
