import { createHmac, type KeyObject } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SingleFlight } from '../../concurrency/single-flight.ts';
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
  readonly #keys = boundedMap<KeyObject>(KEPT);
  readonly #deriving = new SingleFlight<KeyObject>();

  constructor(db: Database, userKeys: UserKeys) {
    this.#db = db;
    this.#userKeys = userKeys;
  }

  /**
   * HMAC-SHA-256 over action, account and arguments, in hexadecimal digits. Equal calls have equal hashes on every replica.
   *
   * @param input JSON that has passed the input guard
   */
  of(userId: string, action: string, accountId: string | null, input: unknown): string | Promise<string> {
    const text = canonicalJson([action, accountId, input]);
    if (text.length > LONG) return nextTurn().then(() => this.#hash(userId, text));
    return this.#hash(userId, text);
  }

  #hash(userId: string, text: string): string | Promise<string> {
    const known = this.#keys.get(userId);
    if (known !== undefined) return hmac(known, text);
    return this.#deriving.run(userId, () => this.#derive(userId)).then((key) => hmac(key, text));
  }

  async #derive(userId: string): Promise<KeyObject> {
    const key = await this.#userKeys.hashKey(this.#db, userId);
    this.#keys.set(userId, key);
    return key;
  }
}

function hmac(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex');
}
