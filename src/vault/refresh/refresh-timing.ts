import { backoff } from '../../rate-limit/backoff.ts';
import { EARLY_SHARE, type RefreshRow } from './refresh-repository.ts';

/** Tokens are renewed 1 to 5 minutes early: each grant at its own moment, so that those of one hour don't come together. */
const LEAST_EARLY_SECONDS = 60;
const EARLY_SPREAD_SECONDS = 240;

const FIRST_PAUSE_SECONDS = 1;
const LONGEST_PAUSE_SECONDS = 60;
/** Times in a row that a token may be renewed because the provider refused it, before pauses grow between them. */
const FREE_REFUSALS = 3;

/** For what comes before the request, see {@link SEND_WITHIN_MS}, and for the commit after the answer. */
const LEASE_MARGIN_SECONDS = 20;
/** A request that goes out later than this after its lease was taken could outlast it. */
export const SEND_WITHIN_MS = 10_000;

/**
 * How long a lease lasts unless it is given back. Whoever takes one over has thereby waited as long as the provider's
 * answer to its last holder could take: that one may only have stood still, and store what it got.
 */
export function leaseSeconds({ refreshTimeoutMs }: { refreshTimeoutMs: number }): number {
  return refreshTimeoutMs / 1000 + LEASE_MARGIN_SECONDS;
}

/** How long before its token's end a grant is due, seconds. */
export function earlyBy(grantId: string): number {
  const share = Number.parseInt(grantId.slice(0, 8), 16) / 2 ** 32;
  return LEAST_EARLY_SECONDS + share * EARLY_SPREAD_SECONDS;
}

/** Whether the access token has ended or is about to. */
export function isDue({ id, remaining, life }: RefreshRow): boolean {
  return remaining !== null && remaining <= Math.min(earlyBy(id), Math.max(life ?? 0, 0) * EARLY_SHARE);
}

export function isValid({ remaining }: RefreshRow): boolean {
  return remaining === null || remaining > 0;
}

/** Somebody is refreshing it, in whichever process. */
export function isLeased({ lease }: RefreshRow): boolean {
  return lease !== null && lease > 0;
}

/** The lease ended without being given back: its holder may have got tokens that it could not store. */
export function isAbandoned({ lease }: RefreshRow): boolean {
  return lease !== null && lease <= 0;
}

/** The provider failed a moment ago and is left alone. */
export function isPausing({ pause }: RefreshRow): boolean {
  return pause !== null && pause > 0;
}

/** Seconds to wait after the n-th failure in a row: doubling, with jitter. */
export function pauseAfter(failures: number): number {
  return backoff(FIRST_PAUSE_SECONDS, failures, LONGEST_PAUSE_SECONDS);
}

/**
 * Seconds before a token may be renewed again because of refusals: without them a provider that refuses its own
 * fresh tokens would be asked for another at every use. Never longer than the token is good for.
 *
 * @param refusals renewals for that reason since the last one that was due
 * @returns undefined = at once
 */
export function pauseAfterRefusals(refusals: number, life: number): number | undefined {
  return refusals <= FREE_REFUSALS ? undefined : Math.min(pauseAfter(refusals - FREE_REFUSALS), life / 2);
}
