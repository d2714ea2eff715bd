import { KeyedHash } from '../crypto/keyed-hash.ts';
import type { Database } from '../database/database.ts';
import type { UserKeys } from '../vault/user-keys.ts';

const KEPT_MAX = 10_000;

/**
 * Names arguments without telling them. Keyed with a key derived from the user's own: a plain hash of short
 * arguments could be guessed, and with the user's key the hashes lose their meaning too.
 */
export class ArgumentHashes {
  readonly #db: Database;
  readonly #userKeys: UserKeys;
  /** By user; they never change. */
  readonly #keys = new Map<string, Promise<KeyedHash>>();

  constructor(db: Database, userKeys: UserKeys) {
    this.#db = db;
    this.#userKeys = userKeys;
  }

  /**
   * HMAC-SHA-256 over action, account and arguments, in hexadecimal digits: the same for the same call on every replica.
   *
   * @param input JSON that the guard has let through
   */
  async of(userId: string, action: string, accountId: string | null, input: unknown): Promise<string> {
    const key = await this.#key(userId);
    return key.hex(canonicalJson([action, accountId, input]));
  }

  #key(userId: string): Promise<KeyedHash> {
    const known = this.#keys.get(userId);
    if (known !== undefined) return known;
    const derived = this.#userKeys.hashKey(this.#db, userId).then((key) => new KeyedHash(key));
    derived.catch(() => this.#keys.delete(userId));
    for (const oldest of this.#keys.keys()) {
      if (this.#keys.size < KEPT_MAX) break;
      this.#keys.delete(oldest);
    }
    this.#keys.set(userId, derived);
    return derived;
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
