import type { Database } from './database.ts';
import { sqlState } from './database-errors.ts';

const NOT_ALLOWED = '42501';

/**
 * Checks that the disk has space: writes 1 MB into a temporary table, which is not in the write-ahead log, and drops it.
 * Small changes keep succeeding on a full disk. The check passes if the role must not create temporary tables.
 *
 * @throws AppError `unavailable` when the disk is full or the database does not respond
 */
export async function checkDiskSpace(db: Database): Promise<void> {
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
