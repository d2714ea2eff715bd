import type { Database } from './database.ts';
import { sqlState } from './database-errors.ts';

const NOT_ALLOWED = '42501';

/**
 * Writes as much as a busy service does in a moment, and takes it back: on a full disk small changes go on for long.
 * A temporary table leaves nothing in the log of changes. Where the role may make none, nothing is learnt.
 *
 * @throws AppError `unavailable` when there is no room, or no answer
 */
export async function tryRoom(db: Database): Promise<void> {
  try {
    await db.transaction((tx) =>
      tx.query(
        `create temp table steward_room on commit drop as
         select repeat(md5(block::text), 250) as filling from generate_series(1, 128) block`,
      ),
    );
  } catch (error) {
    if (sqlState(error) !== NOT_ALLOWED) throw error;
  }
}
