import { createSecretKey, hkdfSync, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import { type AssociatedData, type DataKey, keyIdOf, open } from '../crypto/envelope.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { KeyContext } from '../crypto/master-key.ts';
import { Database, type Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { type CurrentKeyRow, insertUserKey, selectUserKey, selectUserKeyById, type UserKeyRow } from './user-keys-repository.ts';

const KEY_BYTES = 32;
const HASH_INFO = 'steward/argument-hash/v1';
const KEY_ID = /^[0-9a-f-]{36}$/;

/** A user's key. */
interface UserKey extends DataKey {
  secret: KeyObject;
}

/** One random key per user, stored only wrapped by a master key; deleting the row makes all of the user's secrets unreadable. */
export class UserKeys {
  readonly #keyring: Keyring;

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  /**
   * The key to seal with, made on first use.
   *
   * @throws AppError `internal` when the key was wrapped by an unknown master key, or doesn't belong to this user;
   * `unavailable` while the key service is away
   */
  async forUser(db: Queryable, userId: string): Promise<UserKey> {
    return this.unwrap(userId, await this.#row(db, userId));
  }

  /**
   * The key that a record was sealed under: it may have been replaced since the record was read.
   *
   * @throws AppError as {@link forUser}, and `internal` when the user never had such a key
   */
  async toOpen(db: Queryable, userId: string, record: Uint8Array): Promise<UserKey> {
    const id = keyIdOf(record);
    // What else a record may claim, the database needn't see: a NUL would be an error of its own.
    const row = KEY_ID.test(id) ? await selectUserKeyById(db, userId, id) : undefined;
    if (row !== undefined) return this.unwrap(userId, row);
    throw new AppError('internal', 'Stored data could not be read.', { cause: new Error('sealed under a key that its user doesn’t have') });
  }

  /** A key whose row was read already. @throws AppError as {@link forUser} */
  async unwrap(userId: string, row: Pick<UserKeyRow, 'id' | 'wrapped'>): Promise<UserKey> {
    return { id: row.id, secret: await this.#keyring.unwrap(row.wrapped, userKeyContext(userId, row.id)) };
  }

  /**
   * The key for hashes of what the user's agents send; it stays the same when the user's key is replaced, so that
   * calls made before and after can be compared.
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
    // Its foreign key locks the user. Inside of a transaction it is the user's turn already.
    await (db instanceof Database ? db.transaction(insert, userId) : insert(db));
    // Read back: of two first uses at once, one key has won.
    const stored = await selectUserKey(db, userId);
    if (stored !== undefined) return stored;
    throw new AppError('internal', 'Something went wrong on our side.', { cause: new Error('the user has no key') });
  }
}

/** What a user's key is wrapped for. */
export function userKeyContext(userId: string, keyId: string): KeyContext {
  return { purpose: 'user-key', userId, keyId };
}

/** @throws AppError `internal` when the row's own was altered */
export function hashKeyOf(key: DataKey, userId: string, { hashKey }: Pick<CurrentKeyRow, 'hashKey'>): KeyObject {
  if (hashKey !== null) return createSecretKey(open(key, hashKeyPlace(userId, key.id), hashKey));
  return createSecretKey(Buffer.from(hkdfSync('sha256', key.secret, '', HASH_INFO, KEY_BYTES)));
}

export function hashKeyPlace(userId: string, keyId: string): AssociatedData {
  return { table: 'user_keys', column: 'hash_key', userId, rowId: keyId };
}
