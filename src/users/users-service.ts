import type { Database } from '../database/database.ts';
import { lockUser } from '../database/user-lock.ts';
import { AppError } from '../errors.ts';
import { assertRecentSignIn } from '../http/access/recent-sign-in.ts';
import type { Logger } from '../observability/logger.ts';
import type { Caller } from '../principal.ts';
import { type Grants, Outdated, type PreparedEnd } from '../vault/grants/grants.ts';
import type { Revocations } from '../vault/grants/revocations.ts';
import type { SubjectHasher } from '../vault/keys/subject-hasher.ts';
import type { Sessions } from './sessions.ts';
import { deleteUser } from './users-repository.ts';

const TRIES = 5;

/** What the deletion of a user depends on. */
export interface ErasingDeps {
  db: Database;
  names: SubjectHasher;
  grants: Grants;
  /** Prepares the revocation of grants that wait for confirmation. */
  prepareConfirmationEnd(userId: string): Promise<PreparedEnd>;
}

export interface UsersDeps extends ErasingDeps {
  sessions: Sessions;
  revocations: Revocations;
  /** Closes the user's sockets in this process; other replicas detect the deletion themselves. */
  userDeleted(userId: string): void;
  logger: Logger;
}

/**
 * Disconnects all accounts and deletes the user with its key in one transaction. Tokens that are still to be revoked are
 * encrypted with other keys.
 *
 * @throws AppError `recent_login_required` unless the user signed in within the last five minutes
 */
export async function eraseUser(deps: UsersDeps, caller: Caller): Promise<void> {
  assertRecentSignIn(deps.db.clock, caller, 'to delete your account');
  const revocations = await eraseIdentity(deps, caller);
  // After the restore of an older backup, the operator must delete these users again.
  deps.logger.info({ user: caller.userId }, 'user deleted');
  deps.sessions.forget(caller.userId);
  deps.userDeleted(caller.userId);
  await deps.revocations.jobs.add(revocations);
}

/**
 * Deletes a user. What needs the key service is prepared before the transaction, which would otherwise keep the user's row
 * locked in the meantime.
 *
 * @returns the revocations to enqueue
 */
export async function eraseIdentity(
  { db, names, grants, prepareConfirmationEnd }: ErasingDeps,
  { userId, issuer, subject, issuedAt }: Pick<Caller, 'userId' | 'issuer' | 'subject' | 'issuedAt'>,
): Promise<string[]> {
  const identityHash = await names.identity(issuer, subject);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const [endHeld, endGrants] = [await prepareConfirmationEnd(userId), await grants.prepareEnd(userId)];
    try {
      return await db.transaction(async (tx) => {
        await lockUser(tx, userId);
        const revocations = [...(await endHeld(tx)), ...(await endGrants(tx))];
        await deleteUser(tx, userId, identityHash, issuedAt);
        return revocations;
      }, userId);
    } catch (error) {
      // For example, a token was refreshed in between.
      if (!(error instanceof Outdated)) throw error;
    }
  }
  throw new AppError('unavailable', 'This user’s accounts are being changed at the moment. Try again.', { retryAfter: 1 });
}
