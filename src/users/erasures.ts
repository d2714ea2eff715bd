import type { Database } from '../database/database.ts';
import {
  CHUNK,
  type Cursor,
  claimErasure,
  deleteChunk,
  isChunkLeft,
  noteWalked,
  postponeErasure,
  walkedTables,
} from './erasures-repository.ts';

/** The next run is due after a minute. */
const RUN_MS = 45_000;

export interface WalkOptions {
  /** Called between two statements; true stops the walk. */
  isOver?(): boolean;
  /** Called with the number of further rows that were deleted. */
  advance?(rows: number): void;
}

/**
 * Deletes the remaining rows of a deleted user, a bounded number in each statement. Each statement is committed, so that a
 * walk can be stopped at any time, repeated, and run concurrently.
 *
 * @returns false when rows are left: the walk was stopped, or rows were locked
 */
export async function walkErasure(db: Database, userId: string, { isOver, advance }: WalkOptions = {}): Promise<boolean> {
  let isLeft = false;
  for (const table of await walkedTables(db)) {
    let cursor: Cursor = null;
    for (let rows = CHUNK; rows === CHUNK; ) {
      if (isOver?.() === true) return false;
      const gone: { rows: number; last: Cursor } = await deleteChunk(db, table, userId, cursor);
      ({ rows } = gone);
      if (await isChunkLeft(db, table, userId, cursor, rows === CHUNK ? gone.last : null)) isLeft = true;
      cursor = gone.last;
      advance?.(rows);
    }
  }
  return noteWalked(db, userId, isLeft);
}

/**
 * Continues deletions, one user after the other: those with remaining rows, and for an hour also those of users whose
 * running calls may have written rows since.
 */
export async function sweepErasures(db: Database): Promise<void> {
  const endAt = db.clock.monotonic() + RUN_MS;
  const isOver = () => db.clock.monotonic() >= endAt;
  while (!isOver()) {
    const userId = await claimErasure(db);
    if (userId === undefined) return;
    if (!(await walkErasure(db, userId, { isOver })) && isOver()) await postponeErasure(db, userId);
  }
}
