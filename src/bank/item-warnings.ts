import type { Queryable } from '../database/database.ts';
import type { Emit } from '../events/emit.ts';
import type { ItemState } from '../providers/bank/bank-item.ts';
import { type Announced, type ItemRow, updateAnnounced } from './items-repository.ts';

/** The aggregator announces an end a week ahead; a day more, since clocks and deliveries differ. */
const WARN_MS = 8 * 24 * 3_600_000;
export const NOTHING: Announced = { warning: null, expiresAt: null };

export interface AnnouncedBy {
  state: Pick<ItemState, 'health' | 'consentExpiresAt'>;
  before: Announced;
  /** The user has just logged in again, which ends what was announced before. */
  repaired: boolean;
  /** The aggregator has just said that consent ends at this time (null: some time). */
  told?: Date | null | undefined;
}

/** What is announced of an item after it was read. */
export function announcedBy({ state, before, repaired, told }: AnnouncedBy): Announced {
  // What was announced has come true.
  if (state.health !== 'active') return NOTHING;
  if (before.warning === 'pending_disconnect' && !repaired && isAhead(before.expiresAt)) return before;
  const expiresAt = state.consentExpiresAt ?? told ?? null;
  if (told !== undefined && isAhead(expiresAt) && expiresAt?.getTime() === told?.getTime())
    return { warning: 'pending_expiration', expiresAt };
  if (expiresAt !== null) return expiresAt.getTime() < Date.now() + WARN_MS ? { warning: 'pending_expiration', expiresAt } : NOTHING;
  return before.warning === 'pending_expiration' && !repaired && isAhead(before.expiresAt) ? before : NOTHING;
}

/** Stores and tells what is announced, where it is another thing than before. The caller has locked user and entry. */
export async function announce(tx: Queryable, emit: Emit, entry: ItemRow, announced: Announced): Promise<void> {
  const { warning, expiresAt } = announced;
  if (warning === entry.warning && expiresAt?.getTime() === entry.expiresAt?.getTime()) return;
  await updateAnnounced(tx, entry.userId, entry.id, announced);
  const when = expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() };
  await emit(tx, entry.userId, 'account.warning', { account: entry.id, provider: 'bank', warning, ...when });
}

/** Without a time of its own a warning holds until it is repaired. */
export function isAhead(time: Date | null): boolean {
  return time === null || time.getTime() > Date.now();
}
