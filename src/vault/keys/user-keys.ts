import { createSecretKey, hkdfSync, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import { type AssociatedData, type DataKey, keyIdOf, open } from '../../crypto/envelope.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { KeyContext } from '../../crypto/master-key.ts';
import { Database, type Queryable } from '../../database/database.ts';
import { AppError, internalError } from '../../errors.ts';
import { type CurrentKeyRow, insertUserKey, selectUserKey, selectUserKeyById, type UserKeyRow } from './user-keys-repository.ts';

const KEY_BYTES = 32;
const HASH_INFO = 'steward/argument-hash/v1';
const KEY_ID = /^[0-9a-f-]{36}$/;

/** A user's key. */
interface UserKey extends DataKey {
  secret: KeyObject;
}

/** One random key for each user, stored wrapped by a master key. Deleting the row makes all of the user's secrets unreadable. */
export class UserKeys {
  readonly #keyring: Keyring;

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  /**
   * The key to encrypt with, created on first use.
   *
   * @throws AppError `internal` when an unknown master key wrapped the key, or it belongs to another user; `unavailable`
   * while the key service is unavailable
   */
  async forUser(db: Queryable, userId: string): Promise<UserKey> {
    return this.unwrap(userId, await this.#row(db, userId));
  }

  /**
   * The key that a record was encrypted with, which may have been replaced since the record was read.
   *
   * @throws AppError as {@link forUser}, and `internal` when the user never had such a key
   */
  async toOpen(db: Queryable, userId: string, record: Uint8Array): Promise<UserKey> {
    const id = keyIdOf(record);
    // The id comes from the record; one with a NUL would make the statement fail.
    const row = KEY_ID.test(id) ? await selectUserKeyById(db, userId, id) : undefined;
    if (row !== undefined) return this.unwrap(userId, row);
    throw new AppError('internal', 'Stored data could not be read.', { cause: new Error('sealed under a key that its user doesn’t have') });
  }

  /** {@link toOpen} for many records of a user, of which most have the same key: each key is read once. */
  forRecords(db: Queryable, userId: string): (record: Uint8Array) => Promise<UserKey> {
    const known = new Map<string, Promise<UserKey>>();
    return (record) => {
      const id = keyIdOf(record);
      const key = known.get(id) ?? this.toOpen(db, userId, record);
      known.set(id, key);
      return key;
    };
  }

  /** A key whose row was already read. @throws AppError as {@link forUser} */
  async unwrap(userId: string, row: Pick<UserKeyRow, 'id' | 'wrapped'>): Promise<UserKey> {
    return { id: row.id, secret: await this.#keyring.unwrap(row.wrapped, userKeyContext(userId, row.id)) };
  }

  /**
   * The key for hashes of calls. It stays the same when the user's key is replaced, so that calls made before and after can
   * be compared.
   *
   * @throws AppError as {@link forUser}
   */
  async hashKey(db: Queryable, userId: string): Promise<KeyObject> {
    const row = await this.#row(db, userId);
    return hashKeyOf(await this.unwrap(userId, row), userId, row);
  }

  async #row(db: Queryable, userId: string): Promise<CurrentKeyRow> {
    const existing = await selectUserKey(db, userId);
    if (existing !== undefined) return existing;
    const id = randomUUID();
    const key = { id, ...(await this.#keyring.wrap(randomBytes(KEY_BYTES), userKeyContext(userId, id))) };
    const insert = (tx: Queryable) => insertUserKey(tx, userId, key);
    // The foreign key locks the user. Inside a transaction, this already is the user's turn.
    await (db instanceof Database ? db.transaction(insert, userId) : insert(db));
    // Read again: of two concurrent first uses, one key was stored.
    const stored = await selectUserKey(db, userId);
    if (stored !== undefined) return stored;
    throw internalError('the user has no key');
  }
}

/** The context in which a user's key is wrapped. */
export function userKeyContext(userId: string, keyId: string): KeyContext {
  return { purpose: 'user-key', userId, keyId };
}

/** @throws AppError `internal` when it was altered */
export function hashKeyOf(key: DataKey, userId: string, { hashKey }: Pick<CurrentKeyRow, 'hashKey'>): KeyObject {
  if (hashKey !== null) return createSecretKey(open(key, hashKeyPlace(userId, key.id), hashKey));
  return createSecretKey(Buffer.from(hkdfSync('sha256', key.secret, '', HASH_INFO, KEY_BYTES)));
}

export function hashKeyPlace(userId: string, keyId: string): AssociatedData {
  return { table: 'user_keys', column: 'hash_key', userId, rowId: keyId };
}
