import type { Queryable } from '../../database/database.ts';
import type { SyncPosition } from './sync-position.ts';

/** The stored position in an item's changes: those before it have been received. */
export interface SyncState extends SyncPosition {
  /** The aggregator's id of the item that the cursors belong to. Connecting again changes it, so late responses no longer match. */
  item: string;
  /** Where the last result ended that nobody is known to have received. */
  offered?: SyncPosition | undefined;
}

export interface SyncItemRow {
  /** The aggregator's id of the item. */
  subject: string;
  institutionId: string | null;
  syncState: SyncState | null;
}

export async function selectSyncItem(db: Queryable, userId: string, itemId: string): Promise<SyncItemRow | undefined> {
  const rows = await db.query<SyncItemRow>(
    {
      name: 'bank-sync-state',
      text: `select g.subject, i.institution_id as "institutionId", i.sync_state as "syncState"
             from bank_items i join grants g on g.id = i.grant_id and g.user_id = i.user_id where i.id = $1::uuid and i.user_id = $2::uuid`,
    },
    [itemId, userId],
  );
  return rows[0];
}

/**
 * Advances the position, unless it has changed or the bank was connected again since `seen` was read.
 *
 * @param seen null = nothing had been read
 * @returns false if another call was first
 */
export async function advanceSyncState(
  db: Queryable,
  item: { id: string; userId: string },
  seen: SyncState | null,
  next: SyncState,
): Promise<boolean> {
  const rows = await db.query(
    `update bank_items set sync_state = $4::jsonb
     where id = $1::uuid and user_id = $2::uuid and sync_state is not distinct from $3::jsonb
     returning id`,
    [item.id, item.userId, seen === null ? null : JSON.stringify(seen), JSON.stringify(next)],
  );
  return rows.length > 0;
}
