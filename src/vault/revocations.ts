import { randomBytes, randomUUID } from 'node:crypto';
import { type AssociatedData, open, seal } from '../crypto/envelope.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { KeyContext } from '../crypto/master-key.ts';
import { afterCommit, type Database, type Queryable } from '../database/database.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import { type Telemetry, UNMEASURED } from '../observability/telemetry.ts';
import { isSubjectInUse, type Provider } from './grants-repository.ts';
import { NameHashes } from './name-hashes.ts';
import {
  deleteIdleSubjects,
  deleteRevocation,
  insertRevocation,
  lockSubject,
  markQueued,
  markRevoking,
  type RevocationRow,
  selectRevocation,
  selectUnqueuedRevocations,
  shredRevocation,
  unmarkRevoking,
} from './revocations-repository.ts';

/** Tells the provider to forget a token; resolves once it is confirmed dead there, throws otherwise. */
export type Revoker = (token: string) => Promise<void>;

/** Puts a job for a revocation on the queue; ids only, since finished jobs keep their data. */
export type Enqueue = (revocationId: string) => Promise<void>;

/** A token whose end the provider is to be told. */
export interface Outgoing {
  provider: Provider;
  subject: string;
  token: string;
}

/** A revocation that is ready to be written down. */
export type SealedRevocation = Omit<RevocationRow, 'overdue'>;

const KEY_BYTES = 32;
const SWEEP_BATCH = 500;

/** Tokens on their way out, each under a key of its own: the user's key may be shredded in the same transaction. */
export class Revocations {
  readonly #db: Database;
  readonly #keyring: Keyring;
  readonly #revokers: Readonly<Record<Provider, Revoker | undefined>>;
  readonly #logger: Logger;
  readonly #telemetry: Telemetry;
  readonly #names: NameHashes;
  #enqueue: Enqueue | undefined;

  constructor(
    db: Database,
    keyring: Keyring,
    revokers: Readonly<Record<Provider, Revoker | undefined>>,
    logger: Logger,
    telemetry: Telemetry = UNMEASURED,
    names = new NameHashes(db, keyring),
  ) {
    this.#db = db;
    this.#keyring = keyring;
    this.#revokers = revokers;
    this.#logger = logger;
    this.#telemetry = telemetry;
    this.#names = names;
  }

  /** The queue starts after everything else; until then rows wait for the sweep. */
  enqueueWith(enqueue: Enqueue): void {
    this.#enqueue = enqueue;
  }

  /**
   * Seals a token for revocation, before the transaction that denies its use: a key service takes its time.
   *
   * @throws AppError `unavailable` while the key service is away
   */
  async seal({ provider, subject, token }: Outgoing): Promise<SealedRevocation> {
    const id = randomUUID();
    const secret = randomBytes(KEY_BYTES);
    const { masterKeyId, wrapped } = await this.#keyring.wrap(secret, revocationKeyContext(id));
    return { id, provider, subject, masterKeyId, wrappedKey: wrapped, token: seal({ id, secret }, revocationPlace(provider, id), token) };
  }

  /** Writes down what was sealed. @returns the row's id, for {@link enqueue} after the commit */
  async insert(tx: Queryable, sealed: SealedRevocation): Promise<string> {
    await insertRevocation(tx, sealed);
    return sealed.id;
  }

  /** Has a token revoked that nobody here can use (any more). @throws AppError `unavailable` */
  async add(outgoing: Outgoing): Promise<void> {
    await this.enqueue([await this.insert(this.#db, await this.seal(outgoing))]);
  }

  /** Names the provider's account for {@link lockSubject}; to be asked before the transaction. */
  subjectHash(provider: Provider, subject: string): Promise<string> {
    return this.#names.account(provider, subject);
  }

  /** Best effort after a commit: a job that can't be queued now is found by the sweep. */
  async enqueue(ids: (string | undefined)[]): Promise<void> {
    for (const id of ids) {
      if (id !== undefined) await this.#enqueueOne(id);
    }
  }

  /**
   * One attempt at the provider.
   *
   * @throws the provider's error when it did not confirm: the queue tries again, later and later
   */
  async attempt(id: string): Promise<void> {
    const seen = await selectRevocation(this.#db, id);
    if (seen === undefined) return;
    const hash = await this.subjectHash(seen.provider, seen.subject);
    const row = await this.#db.transaction((tx) => this.#claim(tx, id, hash));
    if (row === undefined) return;
    let confirmed = false;
    try {
      const revoke = this.#revokers[row.provider];
      if (revoke === undefined) throw new Error(`the ${row.provider} provider is not configured`);
      await revoke(await this.#open(row));
      confirmed = true;
    } finally {
      this.#telemetry.count('revocation', confirmed ? 'confirmed' : 'failed');
      await this.#db.transaction(async (tx) => {
        await unmarkRevoking(tx, row, hash, confirmed);
        if (confirmed) await deleteRevocation(tx, id);
      });
    }
    this.#logger.info({ revocation: id, provider: row.provider }, 'revocation confirmed by the provider');
  }

  /** Queues what has no job yet (the process died between commit and queue) and clears what nothing refers to. */
  async sweep(): Promise<void> {
    await this.enqueue(await selectUnqueuedRevocations(this.#db, SWEEP_BATCH));
    await deleteIdleSubjects(this.#db);
  }

  async #enqueueOne(id: string): Promise<void> {
    if (this.#enqueue === undefined) return;
    try {
      await this.#enqueue(id);
      await markQueued(this.#db, id);
    } catch (error) {
      this.#logger.warn({ err: describeError(error), revocation: id }, 'revocation not queued; the sweep will find it');
    }
  }

  async #claim(tx: Queryable, id: string, hash: string): Promise<RevocationRow | undefined> {
    const row = await selectRevocation(tx, id);
    if (row === undefined) return undefined;
    const subject = await lockSubject(tx, row.provider, hash);
    // At the workspace provider a revocation ends every grant of the account: a live one, of anybody, cancels it.
    if (await isSubjectInUse(tx, row.provider, row.subject)) {
      await deleteRevocation(tx, id);
      afterCommit(tx, () => this.#telemetry.count('revocation', 'dropped'));
      this.#logger.info({ revocation: id, provider: row.provider }, 'revocation dropped: the account is in use again');
      return undefined;
    }
    if (row.overdue) {
      await shredRevocation(tx, id);
      afterCommit(tx, () => this.#telemetry.count('revocation', 'unconfirmed'));
      this.#logger.warn({ revocation: id, provider: row.provider }, 'revocation never confirmed by the provider; the token is shredded');
      return undefined;
    }
    if (subject.revoking) throw new Error('another revocation of the same account is under way');
    await markRevoking(tx, row, hash);
    return row;
  }

  async #open(row: RevocationRow): Promise<string> {
    const secret = await this.#keyring.unwrap(row.wrappedKey, revocationKeyContext(row.id));
    return open({ id: row.id, secret }, revocationPlace(row.provider, row.id), row.token).toString('utf8');
  }
}

/** What a revocation's own key is wrapped for. */
export function revocationKeyContext(keyId: string): KeyContext {
  return { purpose: 'revocation-key', userId: '', keyId };
}

export function revocationPlace(provider: Provider, rowId: string): AssociatedData {
  return { table: 'revocations', column: `token/${provider}`, userId: '', rowId };
}
