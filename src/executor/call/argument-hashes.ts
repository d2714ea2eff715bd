import { createHmac, type KeyObject } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../database/database.ts';
import { boundedMap } from '../../rate-limit/bounded-map.ts';
import { canonicalJson } from '../../validation/canonical-json.ts';
import type { UserKeys } from '../../vault/keys/user-keys.ts';

const KEPT = 10_000;
/** Longer texts are hashed in a turn of the event loop of their own. */
const LONG = 128 * 1024;

/**
 * Identifies arguments without revealing them. The key is derived from the user's key: a plain hash of short arguments
 * could be guessed, and deleting the user's key makes the hashes meaningless.
 */
export class ArgumentHashes {
  readonly #db: Database;
  readonly #userKeys: UserKeys;
  /** By user. A key never changes. */
  readonly #keys = boundedMap<Promise<KeyObject>>(KEPT);

  constructor(db: Database, userKeys: UserKeys) {
    this.#db = db;
    this.#userKeys = userKeys;
  }

  /**
   * HMAC-SHA-256 over action, account and arguments, in hexadecimal digits. Equal calls have equal hashes on every replica.
   *
   * @param input JSON that has passed the input guard
   */
  async of(userId: string, action: string, accountId: string | null, input: unknown): Promise<string> {
    const text = canonicalJson([action, accountId, input]);
    if (text.length > LONG) await nextTurn();
    return createHmac('sha256', await this.#key(userId))
      .update(text)
      .digest('hex');
  }

  #key(userId: string): Promise<KeyObject> {
    const known = this.#keys.get(userId);
    if (known !== undefined) return known;
    const derived = this.#userKeys.hashKey(this.#db, userId);
    this.#keys.set(userId, derived);
    derived.catch(() => this.#keys.delete(userId));
    return derived;
  }
}
