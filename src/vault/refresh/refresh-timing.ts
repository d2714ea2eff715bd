import { backoff } from '../../rate-limit/backoff.ts';
import { EARLY_SHARE, type GrantInUse, type RefreshRow } from './refresh-repository.ts';

/** Tokens are refreshed 1 to 5 minutes early, spread by grant, so that tokens of the same hour do not expire together. */
const LEAST_EARLY_SECONDS = 60;
const EARLY_SPREAD_SECONDS = 240;

const FIRST_PAUSE_SECONDS = 1;
const LONGEST_PAUSE_SECONDS = 60;
/** Consecutive refreshes because the provider rejected a valid token, before pauses begin. */
const FREE_REJECTIONS = 3;

/** Covers the time until the request (see {@link SEND_WITHIN_MS}) and the commit after the response. */
const LEASE_MARGIN_SECONDS = 20;
/** A request sent later than this after the lease began could outlast the lease. */
export const SEND_WITHIN_MS = 10_000;

/**
 * Duration of a lease that is not released. A process that takes over an expired lease has waited as long as the
 * provider's response to its previous holder could take: that process may have been suspended and still store its result.
 */
export function leaseSeconds({ refreshTimeoutMs }: { refreshTimeoutMs: number }): number {
  return refreshTimeoutMs / 1000 + LEASE_MARGIN_SECONDS;
}

/** Seconds before its expiry that a grant's token is due. */
export function earlyBy(grantId: string): number {
  const share = Number.parseInt(grantId.slice(0, 8), 16) / 2 ** 32;
  return LEAST_EARLY_SECONDS + share * EARLY_SPREAD_SECONDS;
}

/** Whether the access token has expired or is about to. */
export function isDue({ id, remaining, life }: GrantInUse): boolean {
  return remaining !== null && remaining <= Math.min(earlyBy(id), Math.max(life ?? 0, 0) * EARLY_SHARE);
}

export function isValid({ remaining }: RefreshRow): boolean {
  return remaining === null || remaining > 0;
}

/** Whether a process is refreshing it. */
export function isLeased({ lease }: RefreshRow): boolean {
  return lease !== null && lease > 0;
}

/** Whether its lease ended without being released: the holder may have received tokens and failed to store them. */
export function isAbandoned({ lease }: RefreshRow): boolean {
  return lease !== null && lease <= 0;
}

/** Whether the provider has failed recently and is not asked yet. */
export function isPausing({ pause }: RefreshRow): boolean {
  return pause !== null && pause > 0;
}

/** Seconds to wait after the n-th consecutive failure: doubling, with jitter. */
export function pauseAfter(failures: number): number {
  return backoff(FIRST_PAUSE_SECONDS, failures, LONGEST_PAUSE_SECONDS);
}

/**
 * Seconds before a token may be refreshed again after rejections. Without this pause, a provider that rejects its own
 * new tokens would be asked for another at every use. Never longer than half of the token's lifetime.
 *
 * @param refusals refreshes for this reason since the last one that was due
 * @returns undefined: immediately
 */
export function pauseAfterRejections(refusals: number, life: number): number | undefined {
  return refusals <= FREE_REJECTIONS ? undefined : Math.min(pauseAfter(refusals - FREE_REJECTIONS), life / 2);
}
