import type { Clock } from '../../clock/clock.ts';
import { afterCommit, type Queryable } from '../../database/database.ts';
import { insertDeliveries } from './deliveries-repository.ts';
import type { Notice } from './notice.ts';

/**
 * Has a user told something, in the transaction of what has happened: nothing is told when it rolls back. One statement,
 * without effect for users who have no channel for it.
 */
export type Notify = (tx: Queryable, userId: string, notice: Notice) => Promise<void>;

/** @param told is called after each commit with something to tell */
export function createNotify(clock: Clock, told: () => void): Notify {
  return async (tx, userId, notice) => {
    const channels = await insertDeliveries(tx, userId, notice, new Date(clock.now()));
    if (channels > 0) afterCommit(tx, told);
  };
}
