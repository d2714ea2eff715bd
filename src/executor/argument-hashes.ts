import { KeyedHash } from '../crypto/keyed-hash.ts';
import type { Database } from '../database/database.ts';
import { boundedMap } from '../rate-limit/bounded-map.ts';
import type { UserKeys } from '../vault/user-keys.ts';

const KEPT = 10_000;

/**
 * Names arguments without telling them. Keyed with a key derived from the user's own: a plain hash of short
 * arguments could be guessed, and with the user's key the hashes lose their meaning too.
 */
export class ArgumentHashes {
  readonly #db: Database;
  readonly #userKeys: UserKeys;
  /** By user; they never change. */
  readonly #keys = boundedMap<KeyedHash>(KEPT);
  readonly #deriving = new Map<string, Promise<KeyedHash>>();

  constructor(db: Database, userKeys: UserKeys) {
    this.#db = db;
    this.#userKeys = userKeys;
  }

  /**
   * HMAC-SHA-256 over action, account and arguments, in hexadecimal digits: the same for the same call on every replica.
   *
   * @param input JSON that the guard has let through
   */
  of(userId: string, action: string, accountId: string | null, input: unknown): string | Promise<string> {
    const text = canonicalJson([action, accountId, input]);
    const known = this.#keys.get(userId);
    return known === undefined ? this.#derived(userId).then((key) => key.hex(text)) : known.hex(text);
  }

  /** Once for all who ask at the same time. */
  #derived(userId: string): Promise<KeyedHash> {
    const underWay = this.#deriving.get(userId) ?? this.#derive(userId).finally(() => this.#deriving.delete(userId));
    this.#deriving.set(userId, underWay);
    return underWay;
  }

  async #derive(userId: string): Promise<KeyedHash> {
    const key = new KeyedHash(await this.#userKeys.hashKey(this.#db, userId));
    this.#keys.set(userId, key);
    return key;
  }
}

/** RFC 8785 for what JSON can hold: members in the order of their UTF-16 code units, scalars as ECMAScript writes them. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  let members = '';
  for (const name of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) members += `${members && ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}
