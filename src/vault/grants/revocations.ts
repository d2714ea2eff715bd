import { randomBytes, randomUUID } from 'node:crypto';
import { type AssociatedData, open, seal } from '../../crypto/envelope.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { KeyContext } from '../../crypto/master-key.ts';
import { afterCommit, type Database, type Queryable } from '../../database/database.ts';
import { RowJobs } from '../../jobs/row-jobs.ts';
import type { Logger } from '../../observability/logger.ts';
import { type Telemetry, UNMEASURED } from '../../observability/telemetry.ts';
import type { Provider } from '../../providers/shared/provider.ts';
import { SubjectHasher } from '../keys/subject-hasher.ts';
import { isSubjectInUse } from './grants-repository.ts';
import {
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

/** Revokes a token at the provider (RFC 7009); resolves once the provider has confirmed it, rejects otherwise. */
export type Revoker = (token: string) => Promise<void>;

/** A token to revoke. */
export interface Outgoing {
  provider: Provider;
  subject: string;
  token: string;
}

/** A revocation that is ready to be stored. */
export type SealedRevocation = Omit<RevocationRow, 'overdue'>;

export interface RevocationsDeps {
  db: Database;
  keyring: Keyring;
  revokers: Readonly<Record<Provider, Revoker | undefined>>;
  logger: Logger;
  telemetry?: Telemetry;
  names?: SubjectHasher;
}

const KEY_BYTES = 32;
const SWEEP_BATCH = 500;

/** Tokens to revoke, each encrypted with its own key: the user's key may be deleted in the same transaction. */
export class Revocations {
  readonly #deps: Required<RevocationsDeps>;
  /** For revocations of a committed transaction. */
  readonly jobs: RowJobs;

  constructor(deps: RevocationsDeps) {
    const { db, keyring, logger } = deps;
    this.#deps = { telemetry: UNMEASURED, names: new SubjectHasher(db, keyring), ...deps };
    this.jobs = new RowJobs('revocation', (id) => markQueued(db, id), logger);
  }

  /**
   * Encrypts a token before the transaction that denies its use, because the key service may be slow.
   *
   * @throws AppError `unavailable` while the key service is unavailable
   */
  async seal({ provider, subject, token }: Outgoing): Promise<SealedRevocation> {
    const id = randomUUID();
    const secret = randomBytes(KEY_BYTES);
    const { masterKeyId, wrapped } = await this.#deps.keyring.wrap(secret, revocationKeyContext(id));
    return { id, provider, subject, masterKeyId, wrappedKey: wrapped, token: seal({ id, secret }, revocationPlace(provider, id), token) };
  }

  /** Stores an encrypted revocation. @returns the row's id, for {@link jobs} after the commit */
  async insert(tx: Queryable, sealed: SealedRevocation): Promise<string> {
    await insertRevocation(tx, sealed);
    return sealed.id;
  }

  /** Revokes a token that this service does not use. @throws AppError `unavailable` */
  async add(outgoing: Outgoing): Promise<void> {
    await this.jobs.add([await this.insert(this.#deps.db, await this.seal(outgoing))]);
  }

  /** The hash of the provider's account for {@link lockSubject}, to be computed before the transaction. */
  subjectHash(provider: Provider, subject: string): Promise<string> {
    return this.#deps.names.account(provider, subject);
  }

  /**
   * One attempt to revoke.
   *
   * @throws the provider's error when it did not confirm; the queue retries with increasing delays
   */
  async attempt(id: string): Promise<void> {
    const seen = await selectRevocation(this.#deps.db, id);
    if (seen === undefined) return;
    const hash = await this.subjectHash(seen.provider, seen.subject);
    const row = await this.#deps.db.transaction((tx) => this.#claim(tx, id, hash));
    if (row === undefined) return;
    let confirmed = false;
    try {
      const revoke = this.#deps.revokers[row.provider];
      if (revoke === undefined) throw new Error(`the ${row.provider} provider is not configured`);
      await revoke(await this.#open(row));
      confirmed = true;
    } finally {
      this.#deps.telemetry.count('revocation', confirmed ? 'confirmed' : 'failed');
      await this.#deps.db.transaction(async (tx) => {
        await unmarkRevoking(tx, row, hash, confirmed);
        if (confirmed) await deleteRevocation(tx, id);
      });
    }
    this.#deps.logger.info({ revocation: id, provider: row.provider }, 'revocation confirmed by the provider');
  }

  /** Enqueues what has no job (the process ended between commit and enqueue). */
  async sweep(): Promise<void> {
    await this.jobs.add(await selectUnqueuedRevocations(this.#deps.db, SWEEP_BATCH));
  }

  async #claim(tx: Queryable, id: string, hash: string): Promise<RevocationRow | undefined> {
    const row = await selectRevocation(tx, id);
    if (row === undefined) return undefined;
    const subject = await lockSubject(tx, row.provider, hash);
    // The workspace provider revokes all grants of an account at once. A valid grant of any user cancels the revocation.
    if (await isSubjectInUse(tx, row.provider, row.subject)) {
      await deleteRevocation(tx, id);
      afterCommit(tx, () => this.#deps.telemetry.count('revocation', 'dropped'));
      this.#deps.logger.info({ revocation: id, provider: row.provider }, 'revocation dropped: the account is in use again');
      return undefined;
    }
    if (row.overdue) {
      await shredRevocation(tx, id);
      afterCommit(tx, () => this.#deps.telemetry.count('revocation', 'unconfirmed'));
      this.#deps.logger.warn(
        { revocation: id, provider: row.provider },
        'revocation never confirmed by the provider; the token is shredded',
      );
      return undefined;
    }
    if (subject.revoking) throw new Error('another revocation of the same account is under way');
    await markRevoking(tx, row, hash);
    return row;
  }

  async #open(row: RevocationRow): Promise<string> {
    const secret = await this.#deps.keyring.unwrap(row.wrappedKey, revocationKeyContext(row.id));
    return open({ id: row.id, secret }, revocationPlace(row.provider, row.id), row.token).toString('utf8');
  }
}

/** The context in which the key of a revocation is wrapped. */
export function revocationKeyContext(keyId: string): KeyContext {
  return { purpose: 'revocation-key', userId: '', keyId };
}

export function revocationPlace(provider: Provider, rowId: string): AssociatedData {
  return { table: 'revocations', column: `token/${provider}`, userId: '', rowId };
}
