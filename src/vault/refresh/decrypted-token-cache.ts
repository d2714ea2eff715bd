import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock/clock.ts';
import type { Tokens } from '../grants/token-encryption.ts';
import type { UserKeys } from '../keys/user-keys.ts';
import { openGrant } from './refresh-read.ts';
import type { GrantInUse } from './refresh-repository.ts';

interface Opened extends Pick<GrantInUse, 'userId' | 'provider' | 'keyId'> {
  sealed: Uint8Array;
  wrapped: Uint8Array;
  tokens: Tokens;
}

/** Less than a minute from the decryption on, in use or not. */
const KEPT_MS = 59_000;
const KEPT_MAX = 4_000;

/**
 * Decrypted tokens of rows that are read repeatedly. Rows themselves are always read: an entry counts only if the row
 * contains the same encrypted bytes under the same key.
 */
export class DecryptedTokenCache {
  readonly #userKeys: UserKeys;
  readonly #kept: LRUCache<string, Opened>;

  constructor(userKeys: UserKeys, clock: Clock) {
    this.#userKeys = userKeys;
    // To the library, 0 is no time.
    const perf = { now: () => 1 + clock.monotonic() };
    // Purged when they expire: the memory should not contain unused tokens. A size in place of `max`, for which
    // the library allocates its arrays at once.
    const expiry = { ttl: KEPT_MS, ttlAutopurge: true, ttlResolution: 0, perf };
    this.#kept = new LRUCache({ maxSize: KEPT_MAX, sizeCalculation: () => 1, ...expiry });
  }

  /** Whether the grant was used recently. */
  has(grantId: string): boolean {
    return this.#kept.has(grantId);
  }

  /** @throws AppError `internal` when the tokens were altered, or their key is gone; `unavailable` while the key service is unavailable */
  of(row: GrantInUse): Tokens | Promise<Tokens> {
    const known = this.#kept.get(row.id);
    return known !== undefined && isSame(known, row) ? known.tokens : this.#open(row);
  }

  async #open(row: GrantInUse): Promise<Tokens> {
    const { id, userId, provider, keyId } = row;
    const { tokens } = await openGrant(this.#userKeys, row);
    // Copied, because the driver's buffers are slices of larger ones.
    const copies = { sealed: Uint8Array.from(row.tokens), wrapped: Uint8Array.from(row.wrapped) };
    this.#kept.set(id, { userId, provider, keyId, ...copies, tokens });
    return tokens;
  }
}

/** Compares everything that decryption depends on. */
function isSame(opened: Opened, row: GrantInUse): boolean {
  return (
    opened.userId === row.userId &&
    opened.provider === row.provider &&
    opened.keyId === row.keyId &&
    row.tokens.equals(opened.sealed) &&
    row.wrapped.equals(opened.wrapped)
  );
}
