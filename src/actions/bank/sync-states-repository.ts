import type { Queryable } from '../../database/database.ts';

/** Where the incremental reading of an entry stands. Cursors are the aggregator's; '' = the beginning of the history. */
export interface SyncState {
  /** The aggregator's id of the item that the cursors belong to. Linking anew writes another one, so no late answer fits. */
  item: string;
  /** Where its running loop began; the same as `cursor` between loops. */
  start: string;
  cursor: string;
}

export interface EntryRow {
  /** The aggregator's id of the item. */
  subject: string;
  institutionId: string | null;
  syncState: SyncState | null;
}

export async function selectEntry(db: Queryable, userId: string, entryId: string): Promise<EntryRow | undefined> {
  const rows = await db.query<EntryRow>(
    {
      name: 'bank-entry-sync-state',
      text: `select g.subject, i.institution_id as "institutionId", i.sync_state as "syncState"
             from bank_items i join grants g on g.id = i.grant_id where i.id = $1::uuid and i.user_id = $2::uuid`,
    },
    [entryId, userId],
  );
  return rows[0];
}

/**
 * Moves the reading on, unless it was moved or the entry linked anew since `seen` was read.
 *
 * @param seen null = it had never begun
 * @returns false when another was first
 */
export async function advanceSyncState(
  db: Queryable,
  entry: { id: string; userId: string },
  seen: SyncState | null,
  next: SyncState,
): Promise<boolean> {
  const rows = await db.query(
    `update bank_items set sync_state = $4::jsonb
     where id = $1::uuid and user_id = $2::uuid and sync_state is not distinct from $3::jsonb
     returning id`,
    [entry.id, entry.userId, seen === null ? null : JSON.stringify(seen), JSON.stringify(next)],
  );
  return rows.length > 0;
}
