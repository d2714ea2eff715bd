import type { Database, Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import type { Caller } from '../http/endpoint.ts';
import type { Logger } from '../logger.ts';
import type { Grants } from '../vault/grants.ts';
import { lockUser } from '../vault/grants-repository.ts';
import type { Revocations } from '../vault/revocations.ts';
import { identityHash, type Sessions } from './sessions.ts';
import { deleteUser } from './users-repository.ts';

const RECENT_SECONDS = 5 * 60;

/** Queues revocations of what other features hold for a user; returns their ids. */
export type ReleaseHeld = (tx: Queryable, userId: string) => Promise<(string | undefined)[]>;

export interface UsersParts {
  db: Database;
  sessions: Sessions;
  grants: Grants;
  revocations: Revocations;
  /** Grants that wait for confirmation: not the user's yet, but alive at the provider. */
  releaseHeld: ReleaseHeld;
  /** Ends what the user still has open in this process; the others learn of it by the events' feed. */
  userDeleted(userId: string): void;
  logger: Logger;
}

/**
 * Disconnects everything and deletes the user with its key in one transaction;
 * what is still to be revoked lies under keys of its own by then.
 *
 * @throws AppError `recent_login_required` unless the user signed in within the last five minutes
 */
export async function eraseUser(parts: UsersParts, caller: Caller): Promise<void> {
  const age = Date.now() / 1000 - (caller.authTime ?? 0);
  if (age > RECENT_SECONDS)
    throw new AppError('recent_login_required', 'Sign in again to delete your account: the last sign-in is over five minutes ago.');
  const revocations = await parts.db.transaction((tx) => eraseWithin(parts, tx, caller));
  // Who restores an older backup must delete these users again.
  parts.logger.info({ user: caller.userId }, 'user deleted');
  parts.sessions.forget(caller.userId);
  parts.userDeleted(caller.userId);
  await parts.revocations.enqueue(revocations);
}

/**
 * What the transaction of a deletion does.
 *
 * @returns the revocations to enqueue once it is committed
 */
export async function eraseWithin(
  { grants, releaseHeld }: Pick<UsersParts, 'grants' | 'releaseHeld'>,
  tx: Queryable,
  { userId, issuer, subject, issuedAt }: Pick<Caller, 'userId' | 'issuer' | 'subject' | 'issuedAt'>,
): Promise<(string | undefined)[]> {
  await lockUser(tx, userId);
  const held = await releaseHeld(tx, userId);
  const ended = await grants.endAll(tx, userId);
  await deleteUser(tx, userId, identityHash(issuer, subject), issuedAt);
  return [...held, ...ended];
}
