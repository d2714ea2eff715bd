import type { Queryable } from '../database/database.ts';
import type { RecordEvent } from '../events/events.ts';
import type { ItemState } from '../providers/bank/bank-item.ts';
import { about } from './bank-deps.ts';
import { type ItemRow, type ItemWarning, updateWarning } from './items-repository.ts';

/** The aggregator warns a week before access ends; one more day, because clocks and deliveries differ. */
const WARN_MS = 8 * 24 * 3_600_000;
export const NO_WARNING: ItemWarning = { warning: null, expiresAt: null };

export interface WarningInput {
  state: Pick<ItemState, 'health' | 'consentExpiresAt'>;
  before: ItemWarning;
  /** The user has logged in again, which ends the previous warning. */
  repaired: boolean;
  /** A webhook says that consent ends at this time (null: the time is unknown). */
  told?: Date | null | undefined;
  /** Milliseconds since 1970. */
  now: number;
}

/** The warning of an item after it was read. */
export function warningOf({ state, before, repaired, told, now }: WarningInput): ItemWarning {
  // Access has ended; the status says so.
  if (state.health !== 'active') return NO_WARNING;
  if (before.warning === 'pending_disconnect' && !repaired && isAhead(before.expiresAt, now)) return before;
  const expiresAt = state.consentExpiresAt ?? told ?? null;
  const isTold = told !== undefined && isAhead(expiresAt, now) && expiresAt?.getTime() === told?.getTime();
  if (isTold || (expiresAt !== null && expiresAt.getTime() < now + WARN_MS)) return { warning: 'pending_expiration', expiresAt };
  const isKept = expiresAt === null && before.warning === 'pending_expiration' && !repaired && isAhead(before.expiresAt, now);
  return isKept ? before : NO_WARNING;
}

/** Stores a changed warning and emits its event. The caller has locked user and item. */
export async function setWarning(tx: Queryable, emit: RecordEvent, item: ItemRow, next: ItemWarning): Promise<void> {
  const { warning, expiresAt } = next;
  if (warning === item.warning && expiresAt?.getTime() === item.expiresAt?.getTime()) return;
  await updateWarning(tx, item.userId, item.id, next);
  const when = expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() };
  await emit(tx, item.userId, 'account.warning', { ...about(item.id), warning, ...when });
}

/** A warning without a time applies until the user logs in again. */
export function isAhead(time: Date | null, now: number): boolean {
  return time === null || time.getTime() > now;
}
