import { hash } from 'node:crypto';
import { SingleFlight } from '../concurrency/single-flight.ts';
import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { bareCredential } from '../http/access/require-credential.ts';
import type { Identity, VerifyIdToken } from '../identity/verifier.ts';
import type { Caller } from '../principal.ts';
import { type BoundedMap, boundedMap } from '../rate-limit/bounded-map.ts';
import { addressKey } from '../validation/email-address.ts';
import type { SubjectHasher } from '../vault/keys/subject-hasher.ts';
import { type KnownUser, selectUser, upsertUser } from './users-repository.ts';

const REMEMBER_MS = 60_000;
const REMEMBERED_MAX = 10_000;
/** Without the address, which must not get into logs. */
const NOT_ADMITTED = 'This user may not use this service: its operator admits certain addresses only.';
const NO_ADDRESS = 'This user has no verified address, and the operator of this service admits certain addresses only.';

/** Finds or creates the user of an ID token. Verified tokens are cached for 60 s, by their hash. */
export class Sessions {
  readonly #db: Database;
  readonly #verify: VerifyIdToken;
  readonly #names: SubjectHasher;
  readonly #allowedUsers: readonly string[];
  /** By the token's hash. */
  readonly #remembered: BoundedMap<Caller>;
  /** Checks in progress, by the token's hash: the token of a page that opens ten sockets is checked once. */
  readonly #checks = new SingleFlight<Caller>();
  /** How often cached tokens were dropped. */
  #drops = 0;

  /** @param allowedUsers addresses and domains, by their keys (validation/email-address.ts); empty = everyone */
  constructor(db: Database, verify: VerifyIdToken, names: SubjectHasher, allowedUsers: readonly string[]) {
    this.#db = db;
    this.#verify = verify;
    this.#names = names;
    this.#allowedUsers = allowedUsers;
    this.#remembered = boundedMap(REMEMBERED_MAX, { clock: db.clock, ttlMs: REMEMBER_MS });
  }

  /**
   * @param header the Authorization header: the bare token; a `Bearer ` prefix is tolerated
   * @throws AppError `invalid_token`, `token_expired`, `forbidden`, `unavailable`
   */
  async authenticate(header: string | undefined): Promise<Caller> {
    const token = bareCredential(header);
    if (token === '') throw new AppError('invalid_token', 'An ID token is required in the Authorization header.');
    const key = hash('sha256', token, 'base64');
    const known = this.#remembered.get(key);
    if (known !== undefined && known.expiresAt * 1000 > this.#db.clock.now()) return known;
    this.#remembered.delete(key);
    return this.#checks.run(key, () => this.#check(token, key));
  }

  /** Drops the cached tokens of a deleted user, and the running checks, whose user is not known yet. */
  forget(userId: string): void {
    this.#drops += 1;
    this.#checks.clear();
    for (const [key, caller] of this.#remembered.entries()) {
      if (caller.userId === userId) this.#remembered.delete(key);
    }
  }

  async #check(token: string, key: string): Promise<Caller> {
    const drops = this.#drops;
    const caller = await this.callerOf(await this.#verify(token));
    // A user who was deleted meanwhile may be this one.
    if (drops === this.#drops) this.#remembered.set(key, caller);
    return caller;
  }

  /** Finds or creates the user of a verified identity. @throws AppError `forbidden`, `invalid_token` for a deleted user */
  async callerOf(identity: Identity): Promise<Caller> {
    const { issuer, subject, authTime, issuedAt, expiresAt } = identity;
    const email = identity.emailVerified ? (identity.email ?? null) : null;
    this.assertAllowed(email);
    const hash = await this.#names.identity(issuer, subject);
    const known = await selectUser(this.#db, issuer, subject, hash);
    rejectDeleted(known, identity);
    const userId = known.id !== null && known.email === email ? known.id : await this.#save(identity, email, hash);
    return { userId, label: email ?? subject, email, issuer, subject, authTime, issuedAt, expiresAt };
  }

  /**
   * A user who has signed in before, by an access token of the same issuer.
   *
   * @param issuedAt of the token, seconds since 1970
   * @throws AppError `forbidden`, `invalid_token` for a deleted user
   */
  async known(issuer: string, subject: string, issuedAt: number): Promise<{ userId: string; label: string } | undefined> {
    const known = await selectUser(this.#db, issuer, subject, await this.#names.identity(issuer, subject));
    rejectDeleted(known, { issuedAt });
    if (known.id === null) return undefined;
    this.assertAllowed(known.email);
    return { userId: known.id, label: known.email ?? subject };
  }

  async #save(identity: Identity, email: string | null, hash: Buffer): Promise<string> {
    const { issuer, subject } = identity;
    return this.#db.transaction(async (tx) => {
      const userId = await upsertUser(tx, issuer, subject, email);
      // Read again: an old token must not undo a deletion that was committed since. The error also undoes the insert.
      rejectDeleted(await selectUser(tx, issuer, subject, hash), identity);
      return userId;
    });
  }

  /** @throws AppError `forbidden` unless the operator admits users of this verified address */
  assertAllowed(email: string | null): void {
    if (this.#allowedUsers.length === 0) return;
    const address = addressKey(email ?? '');
    const domain = address.slice(address.lastIndexOf('@') + 1);
    const allowed = address !== '' && this.#allowedUsers.some((user) => user === address || user === domain);
    if (!allowed) throw new AppError('forbidden', address === '' ? NO_ADDRESS : NOT_ADMITTED);
  }
}

function rejectDeleted(known: KnownUser, { issuedAt }: Pick<Identity, 'issuedAt'>): void {
  if (known.deletedAt !== null && issuedAt <= known.deletedAt.getTime() / 1000) {
    throw new AppError('invalid_token', 'This user was deleted. Sign in again to start over.');
  }
}
