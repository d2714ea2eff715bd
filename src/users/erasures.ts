import type { Database } from '../database/database.ts';
import { CHUNK, type Cursor, claimErasure, deleteChunk, noteWalked, postponeErasure, WALKED_TABLES } from './erasures-repository.ts';

/** The next run is due after a minute. */
const RUN_MS = 45_000;

export interface WalkOptions {
  /** Looked at between two statements; the walk then stops where it is. */
  isOver?(): boolean;
  /** So many rows more are gone. */
  advance?(rows: number): void;
}

/**
 * Deletes what is left of a deleted user, a bounded number of rows in each statement. Each is committed by itself: a
 * walk can be stopped at any moment, done by several at once, and begun anew.
 *
 * @returns false when some is left: there was no more time, or somebody else had it locked
 */
export async function walkErasure(db: Database, userId: string, { isOver, advance }: WalkOptions = {}): Promise<boolean> {
  for (const table of WALKED_TABLES) {
    let cursor: Cursor = null;
    for (let rows = CHUNK; rows === CHUNK; ) {
      if (isOver?.() === true) return false;
      const gone: { rows: number; last: Cursor } = await deleteChunk(db, table, userId, cursor);
      ({ rows, last: cursor } = gone);
      advance?.(rows);
    }
  }
  return noteWalked(db, userId);
}

/**
 * Goes on with deletions, one user after the other: with those of which rows are left, and for an hour also with those
 * of which a call under way may have written some since.
 */
export async function sweepErasures(db: Database): Promise<void> {
  const endAt = performance.now() + RUN_MS;
  const isOver = () => performance.now() >= endAt;
  while (!isOver()) {
    const userId = await claimErasure(db);
    if (userId === undefined) return;
    if (!(await walkErasure(db, userId, { isOver })) && isOver()) await postponeErasure(db, userId);
  }
}
