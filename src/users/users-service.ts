import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import type { Caller } from '../http/endpoint.ts';
import type { Logger } from '../observability/logger.ts';
import { type Grants, Outdated, type PreparedEnd } from '../vault/grants.ts';
import { lockUser } from '../vault/grants-repository.ts';
import type { NameHashes } from '../vault/name-hashes.ts';
import type { Revocations } from '../vault/revocations.ts';
import type { Sessions } from './sessions.ts';
import { deleteUser } from './users-repository.ts';

const RECENT_SECONDS = 5 * 60;

const TRIES = 5;

/** What the deletion of a user takes. */
export interface ErasingDeps {
  db: Database;
  names: NameHashes;
  grants: Grants;
  /** Grants that wait for confirmation: not the user's yet, but alive at the provider. */
  prepareEndOfHeld(userId: string): Promise<PreparedEnd>;
}

export interface UsersDeps extends ErasingDeps {
  sessions: Sessions;
  revocations: Revocations;
  /** Ends what the user still has open in this process; the others learn of it by their watch. */
  userDeleted(userId: string): void;
  logger: Logger;
}

/**
 * Disconnects everything and deletes the user with its key in one transaction;
 * what is still to be revoked lies under keys of its own by then.
 *
 * @throws AppError `recent_login_required` unless the user signed in within the last five minutes
 */
export async function eraseUser(deps: UsersDeps, caller: Caller): Promise<void> {
  const age = Date.now() / 1000 - (caller.authTime ?? 0);
  if (age > RECENT_SECONDS)
    throw new AppError('recent_login_required', 'Sign in again to delete your account: the last sign-in is over five minutes ago.');
  const revocations = await eraseIdentity(deps, caller);
  // Who restores an older backup must delete these users again.
  deps.logger.info({ user: caller.userId }, 'user deleted');
  deps.sessions.forget(caller.userId);
  deps.userDeleted(caller.userId);
  await deps.revocations.enqueue(revocations);
}

/**
 * Deletes a user, whoever asks for it. What the key service is needed for is prepared before the transaction, which
 * would otherwise keep the user's row locked for as long as that takes.
 *
 * @returns the revocations to enqueue
 */
export async function eraseIdentity(
  { db, names, grants, prepareEndOfHeld }: ErasingDeps,
  { userId, issuer, subject, issuedAt }: Pick<Caller, 'userId' | 'issuer' | 'subject' | 'issuedAt'>,
): Promise<string[]> {
  const identityHash = await names.identity(issuer, subject);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const [endHeld, endGrants] = [await prepareEndOfHeld(userId), await grants.prepareEnd(userId)];
    try {
      return await db.transaction(async (tx) => {
        await lockUser(tx, userId);
        const revocations = [...(await endHeld(tx)), ...(await endGrants(tx))];
        await deleteUser(tx, userId, identityHash, issuedAt);
        return revocations;
      }, userId);
    } catch (error) {
      // A token was refreshed in between, say.
      if (!(error instanceof Outdated)) throw error;
    }
  }
  throw new AppError('unavailable', 'This user’s accounts are being changed again and again. Try again.', { retryAfter: 1 });
}
