import { randomBytes, randomUUID } from 'node:crypto';
import { type DataKey, keyIdOf, open, seal } from '../../crypto/envelope.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { isContended } from '../../database/database-errors.ts';
import { lockUser } from '../../database/user-lock.ts';
import { revocationKeyContext, revocationPlace } from '../grants/revocations.ts';
import { ignoreDecryptionFailure } from '../keys/ignore-decryption-failure.ts';
import { hashKeyOf, hashKeyPlace, UserKeys, userKeyContext } from '../keys/user-keys.ts';
import { selectUserKeys } from '../keys/user-keys-repository.ts';
import type { Pass } from './key-rotation.ts';
import {
  type ExposedKey,
  type ExposedRevocation,
  NULL_UUID,
  replaceRevocationKey,
  replaceUserKey,
  type Step,
  type Successor,
  selectExposedKey,
  selectExposedRevocations,
  selectExposedUsers,
} from './key-rotation-repository.ts';
import { SEALED_COLUMNS, type SealedColumn, sealedValues, updateSealed } from './sealed-columns-repository.ts';

const KEY_BYTES = 32;
const BATCH = 100;
const PAUSE_MS = 1_000;

/**
 * Replaces every user key and revocation key that a master key other than the primary one wraps or has wrapped, and
 * encrypts their data again. One user is one transaction.
 *
 * Can be stopped at any time, repeated, and run beside the service: see docs/decisions/0004-keys.md.
 *
 * @throws AppError `unavailable` while the database or key service is unavailable; completed work is kept
 */
export class KeyRenewal {
  readonly #db: Database;
  readonly #keyring: Keyring;
  readonly #userKeys: UserKeys;

  constructor(db: Database, keyring: Keyring) {
    this.#db = db;
    this.#keyring = keyring;
    this.#userKeys = new UserKeys(keyring);
  }

  /** One pass over all users. @returns how many were locked and must be visited again */
  async users(pass: Pass): Promise<number> {
    let busy = 0;
    for (let last: string | undefined = NULL_UUID; last !== undefined; ) {
      pass.signal.throwIfAborted();
      const step: Step<string> = await selectExposedUsers(this.#db, this.#keyring.primaryId, last, BATCH);
      for (const id of step.found) {
        pass.signal.throwIfAborted();
        const done = await ignoreDecryptionFailure(() => this.#user(id, pass));
        if (done === undefined) pass.unreadable(`the key of user ${id}`);
        else if (done) pass.advance(1);
        else busy += 1;
      }
      ({ last } = step);
    }
    if (busy > 0) await this.#db.clock.sleep(PAUSE_MS, { signal: pass.signal }).catch(() => pass.signal.throwIfAborted());
    return busy;
  }

  async revocations(pass: Pass): Promise<void> {
    for (let last: string | undefined = NULL_UUID; last !== undefined; ) {
      pass.signal.throwIfAborted();
      const rows: ExposedRevocation[] = await selectExposedRevocations(this.#db, this.#keyring.primaryId, last, BATCH);
      for (const row of rows) {
        const done = await ignoreDecryptionFailure(() => this.#revocation(row));
        if (done === undefined) pass.unreadable(`revocations ${row.id}`);
        else pass.advance(done ? 1 : 0);
      }
      last = rows.length < BATCH ? undefined : rows.at(-1)?.id;
    }
  }

  /** @returns false when the key was changed meanwhile, or a required row is locked */
  async #user(userId: string, pass: Pass): Promise<boolean> {
    const old = await selectExposedKey(this.#db, this.#keyring.primaryId, userId);
    if (old === undefined) return true;
    // Before the transaction, which locks the user's row: the key service may be slow.
    const { key, row } = await this.#successor(userId, old);
    const known = await this.#keys(userId);
    try {
      return await this.#db.transaction(async (tx) => {
        if (!(await lockUser(tx, userId))) return true;
        for (const column of SEALED_COLUMNS) await this.#sealAnew(tx, column, userId, { known, key }, pass);
        if (await replaceUserKey(tx, userId, old, row)) return true;
        throw new Overtaken();
      }, userId);
    } catch (error) {
      if (error instanceof Overtaken || isContended(error)) return false;
      throw error;
    }
  }

  async #successor(userId: string, old: ExposedKey): Promise<{ key: DataKey; row: Successor }> {
    const former = await this.#userKeys.unwrap(userId, old);
    const [id, secret] = [randomUUID(), randomBytes(KEY_BYTES)];
    const { masterKeyId, wrapped } = await this.#keyring.wrap(secret, userKeyContext(userId, id));
    const kept = await this.#keyring.wrap(former.secret.export(), userKeyContext(userId, old.id));
    if (kept.masterKeyId !== masterKeyId) throw new Error('the primary master key changed in the middle');
    const key = await this.#userKeys.unwrap(userId, { id, wrapped });
    if (!key.secret.export().equals(secret)) throw new Error(`master key ${masterKeyId} does not give back what it was given`);
    const hashKey = seal(key, hashKeyPlace(userId, id), hashKeyOf(former, userId, old).export());
    return { key, row: { id, wrapped, hashKey, masterKeyId, former: kept.wrapped } };
  }

  /** The keys that may have encrypted the user's secrets, by id. Keys that cannot be decrypted are left out. */
  async #keys(userId: string): Promise<ReadonlyMap<string, DataKey>> {
    const keys = new Map<string, DataKey>();
    for (const row of await selectUserKeys(this.#db, userId)) {
      const key = await ignoreDecryptionFailure(() => this.#userKeys.unwrap(userId, row));
      if (key !== undefined) keys.set(row.id, key);
    }
    return keys;
  }

  /**
   * @param keys.known the keys that may have encrypted the values
   * @param keys.key the key to encrypt them with
   */
  async #sealAnew(
    tx: Queryable,
    column: SealedColumn,
    userId: string,
    { known, key }: { known: ReadonlyMap<string, DataKey>; key: DataKey },
    pass: Pass,
  ): Promise<void> {
    for await (const value of sealedValues(tx, column, userId)) {
      const place = { table: column.sealedIn?.table ?? column.table, column: value.placeColumn, userId, rowId: value.placeRowId };
      const plain = await ignoreDecryptionFailure(async () => {
        const former = known.get(keyIdOf(value.record));
        return former && open(former, place, value.record);
      });
      if (plain === undefined) pass.unreadable(`${column.table}.${column.column} ${value.rowId}`);
      else await updateSealed(tx, column, userId, { ...value, record: seal(key, place, plain) });
    }
  }

  async #revocation(row: ExposedRevocation): Promise<boolean> {
    const context = revocationKeyContext(row.id);
    const place = revocationPlace(row.provider, row.id);
    const token = open({ id: row.id, secret: await this.#keyring.unwrap(row.wrapped, context) }, place, row.token);
    const secret = randomBytes(KEY_BYTES);
    const wrapped = await this.#keyring.wrap(secret, context);
    return replaceRevocationKey(this.#db, row, { ...wrapped, token: seal({ id: row.id, secret }, place, token) });
  }
}

/** The key was replaced by another process first. */
class Overtaken extends Error {}
