import { hashSecret, randomSecret } from '../crypto/secrets.ts';
import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { csrfToken, isEqual } from '../http/access/first-party.ts';
import type { Caller, FirstParty } from '../principal.ts';
import {
  deleteWebSession,
  deleteWebSessions,
  insertWebSession,
  selectUserOfCallback,
  selectUserSessions,
  selectWebSession,
  type WebSessionRow,
} from './web-sessions-repository.ts';

export const SESSION_SECONDS = 12 * 3600;
/** Older ones end, so that a user's rows are bounded. */
const MAX_SESSIONS = 20;
const SECRET = /^[\w-]{43}$/;
const SIGNED_OUT = 'You are not signed in, or your session has ended.';

/** Who has signed in, and when at the issuer. */
export type SignedIn = Pick<Caller, 'userId' | 'authTime'>;

/** What a page shows at a socket: the CSRF token of its session. */
export interface SocketSession {
  csrf: string;
  secret: string | undefined;
  userId: string | undefined;
}

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
    if (row === undefined) throw new AppError('invalid_token', SIGNED_OUT);
    this.#assertAllowed(row.email);
    return firstParty(row, secretHash);
  }

  /** The user of a browser's cookie. @returns undefined: the browser is not signed in, or its user is not admitted any more */
  async current(secret: string | undefined): Promise<FirstParty | undefined> {
    if (secret === undefined) return undefined;
    return this.find(secret).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      return undefined;
    });
  }

  /**
   * The session of a page that opens a socket, or renews its sign-in there.
   *
   * @param credential `secret`: of the cookie that the socket was opened with; `userId`: whose socket it is already, which
   * each session of the user may renew
   * @throws AppError `invalid_token`; `forbidden`: the CSRF token is of no such session
   */
  async ofSocket({ csrf, secret, userId }: SocketSession): Promise<FirstParty> {
    if (secret === undefined) throw new AppError('invalid_token', SIGNED_OUT);
    const candidates = userId === undefined ? [await this.find(secret)] : await this.#ofUser(userId);
    const found = candidates.find(({ session }) => session !== undefined && isEqual(csrf, session.csrf));
    if (found === undefined) throw new AppError('forbidden', 'This page belongs to another session. Reload it.');
    return found;
  }

  async #ofUser(userId: string): Promise<FirstParty[]> {
    const rows = await selectUserSessions(this.#db, userId);
    for (const { email } of rows) this.#assertAllowed(email);
    return rows.map((row) => firstParty(row, row.secretHash));
  }

  /** Ends this session; by an ID token, all of the user's. */
  async end({ userId, session }: FirstParty): Promise<void> {
    if (session === undefined) await deleteWebSessions(this.#db, userId, 0);
    else await deleteWebSession(this.#db, session.secretHash);
  }
}

function firstParty({ userId, issuer, subject, email, authTime, createdAt, expiresAt }: WebSessionRow, secretHash: Buffer): FirstParty {
  return {
    userId,
    issuer,
    subject,
    email,
    label: email ?? subject,
    authTime: secondsOf(authTime),
    issuedAt: seconds(createdAt),
    expiresAt: seconds(expiresAt),
    session: { secretHash, csrf: csrfToken(secretHash) },
  };
}

function secondsOf(at: Date | null): number | undefined {
  return at === null ? undefined : seconds(at);
}

function seconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
