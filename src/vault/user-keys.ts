import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import type { DataKey } from '../crypto/envelope.ts';
import { checkCanary, type Keyring, sealCanary } from '../crypto/keyring.ts';
import type { Queryable } from '../database/database.ts';
import { AppError, StartRefused } from '../errors.ts';
import {
  insertCanary,
  insertUserKey,
  selectCanary,
  selectMasterKeyIdsInUse,
  selectUserKey,
  type UserKeyRow,
} from './user-keys-repository.ts';

const KEY_BYTES = 32;
const PURPOSE = 'user-key';

/** One random key per user, stored only wrapped by a master key; deleting the row makes all of the user's secrets unreadable. */
export class UserKeys {
  readonly #keyring: Keyring;

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  /**
   * The user's key, made on first use.
   *
   * @throws AppError `internal` when the key was wrapped by an unknown master key, or doesn't belong to this user
   */
  async forUser(db: Queryable, userId: string): Promise<DataKey> {
    const existing = await selectUserKey(db, userId);
    if (existing !== undefined) return this.unwrap(userId, existing);
    const id = randomUUID();
    const { masterKeyId, wrapped } = this.#keyring.wrap(randomBytes(KEY_BYTES), { purpose: PURPOSE, userId, keyId: id });
    await insertUserKey(db, userId, { id, masterKeyId, wrapped });
    // Read back: of two first uses at once, one key has won.
    const stored = await selectUserKey(db, userId);
    if (stored === undefined)
      throw new AppError('internal', 'Something went wrong on our side.', { cause: new Error('the user has no key') });
    return this.unwrap(userId, stored);
  }

  /**
   * A key whose row was read already.
   *
   * @throws AppError `internal` as {@link forUser}
   */
  unwrap(userId: string, row: Pick<UserKeyRow, 'id' | 'wrapped'>): DataKey {
    return { id: row.id, secret: createSecretKey(this.#keyring.unwrap(row.wrapped, { purpose: PURPOSE, userId, keyId: row.id })) };
  }
}

/**
 * Refuses to start on keys that can't open the database's rows: an id that rows
 * need is absent, or another key stands under a known id.
 *
 * @throws StartRefused
 */
export async function checkKeys(db: Queryable, keyring: Keyring): Promise<void> {
  const absent = (await selectMasterKeyIdsInUse(db)).filter((id) => !keyring.ids.includes(id));
  if (absent.length > 0) {
    throw new StartRefused(
      `The database holds secrets under master keys that MASTER_KEYS doesn't name: ${absent.join(', ')}. Add them back; every key stays until nothing uses it.`,
    );
  }
  for (const id of keyring.ids) {
    const canary = await selectCanary(db, id);
    if (canary === undefined) await insertCanary(db, id, sealCanary(keyring, id));
    else if (!checkCanary(keyring, id, canary)) {
      throw new StartRefused(
        `The master key ${id} is not the one this database was used with. Put the right key under this id, or give the new key another id.`,
      );
    }
  }
}
