import { hashSecret, randomSecret } from '../crypto/secrets.ts';
import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { csrfToken } from '../http/access/first-party.ts';
import type { Caller, FirstParty } from '../principal.ts';
import {
  deleteWebSession,
  deleteWebSessions,
  insertWebSession,
  selectUserOfCallback,
  selectWebSession,
} from './web-sessions-repository.ts';

export const SESSION_SECONDS = 12 * 3600;
/** Older ones end, so that a user's rows are bounded. */
const MAX_SESSIONS = 20;
const SECRET = /^[\w-]{43}$/;

/** Who has signed in, and when at the issuer. */
export type SignedIn = Pick<Caller, 'userId' | 'authTime'>;

/**
 * Sessions at the service's own pages. Only the hash of a secret is stored, and the row is read for every request, so that
 * the end of a session counts at once on every replica.
 */
export class WebSessions {
  readonly #db: Database;
  readonly #assertAllowed: (email: string | null) => void;

  /** @param assertAllowed throws AppError `forbidden` for users whom the operator does not admit any more */
  constructor(db: Database, assertAllowed: (email: string | null) => void) {
    this.#db = db;
    this.#assertAllowed = assertAllowed;
  }

  /**
   * Begins a session of a user who has just signed in, always with a new secret.
   *
   * @param former the secret of the browser's session until now, which ends
   * @param callback what {@link ofCallback} finds the session by
   * @throws AppError `invalid_token` when the user was deleted meanwhile
   */
  async begin({ userId, authTime }: SignedIn, former: string | undefined, callback?: string): Promise<{ secret: string; expiresAt: Date }> {
    const secret = randomSecret();
    const signedInAt = authTime === undefined ? null : new Date(authTime * 1000);
    const callbackHash = callback === undefined ? null : hashSecret(callback);
    const row = { secretHash: hashSecret(secret), callbackHash, userId, authTime: signedInAt, lifeSeconds: SESSION_SECONDS };
    const expiresAt = await this.#db.transaction(async (tx) => {
      if (former !== undefined) await deleteWebSession(tx, hashSecret(former));
      // Its foreign key locks the user.
      const until = await insertWebSession(tx, row);
      await deleteWebSessions(tx, userId, MAX_SESSIONS);
      return until;
    }, userId);
    return { secret, expiresAt };
  }

  /** Who has signed in with a callback, on any replica. @returns undefined: nobody yet, or the session has ended */
  async ofCallback(callback: string): Promise<SignedIn | undefined> {
    const found = await selectUserOfCallback(this.#db, hashSecret(callback));
    return found && { userId: found.userId, authTime: secondsOf(found.authTime) };
  }

  /** The user of a session. @throws AppError `invalid_token`, `forbidden` */
  async find(secret: string): Promise<FirstParty> {
    const secretHash = hashSecret(secret);
    const row = SECRET.test(secret) ? await selectWebSession(this.#db, secretHash) : undefined;
    if (row === undefined) throw new AppError('invalid_token', 'You are not signed in, or your session has ended.');
    const { userId, issuer, subject, email, authTime } = row;
    this.#assertAllowed(email);
    return {
      userId,
      issuer,
      subject,
      label: email ?? subject,
      authTime: secondsOf(authTime),
      issuedAt: seconds(row.createdAt),
      expiresAt: seconds(row.expiresAt),
      session: { secretHash, csrf: csrfToken(secret) },
    };
  }

  /** Ends this session; by an ID token, all of the user's. */
  async end({ userId, session }: FirstParty): Promise<void> {
    if (session === undefined) await deleteWebSessions(this.#db, userId, 0);
    else await deleteWebSession(this.#db, session.secretHash);
  }
}

function secondsOf(at: Date | null): number | undefined {
  return at === null ? undefined : seconds(at);
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
