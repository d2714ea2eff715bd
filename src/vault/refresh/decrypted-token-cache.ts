import type { Clock, Timer } from '../../clock/clock.ts';
import type { Tokens } from '../token-encryption.ts';
import type { UserKeys } from '../user-keys.ts';
import { openGrant } from './refresh-read.ts';
import type { GrantInUse } from './refresh-repository.ts';

interface Opened extends Pick<GrantInUse, 'userId' | 'provider' | 'keyId'> {
  sealed: Uint8Array;
  wrapped: Uint8Array;
  tokens: Tokens;
}

/** No entry is kept for longer than twice this. */
const AGE_MS = 30_000;
/** Of each of the two generations. */
const KEPT_MAX = 2_000;

/**
 * Decrypted tokens of rows that are read repeatedly. Rows themselves are always read: an entry counts only if the row
 * contains the same encrypted bytes under the same key.
 */
export class DecryptedTokenCache {
  readonly #userKeys: UserKeys;
  readonly #clock: Clock;
  #young = new Map<string, Opened>();
  #old = new Map<string, Opened>();
  #ageing: Timer | undefined;

  constructor(userKeys: UserKeys, clock: Clock) {
    this.#userKeys = userKeys;
    this.#clock = clock;
  }

  /** Whether the grant was used recently. */
  has(grantId: string): boolean {
    return this.#young.has(grantId) || this.#old.has(grantId);
  }

  /** @throws AppError `internal` when the tokens were altered, or their key is gone; `unavailable` while the key service is unavailable */
  of(row: GrantInUse): Tokens | Promise<Tokens> {
    const known = this.#young.get(row.id) ?? this.#old.get(row.id);
    return known !== undefined && isSame(known, row) ? known.tokens : this.#open(row);
  }

  async #open(row: GrantInUse): Promise<Tokens> {
    const { tokens } = await openGrant(this.#userKeys, row);
    this.#keep(row, tokens);
    return tokens;
  }

  #keep({ id, userId, provider, keyId, tokens: sealed, wrapped }: GrantInUse, tokens: Tokens): void {
    if (this.#young.size >= KEPT_MAX) this.#age();
    this.#old.delete(id);
    // Copied, because the driver's buffers are slices of larger ones.
    const copies = { sealed: Uint8Array.from(sealed), wrapped: Uint8Array.from(wrapped) };
    this.#young.set(id, { userId, provider, keyId, ...copies, tokens });
    this.#ageing ??= this.#clock.every(AGE_MS, () => this.#age()).unref();
  }

  /** Entries in use expire, too. */
  #age(): void {
    this.#old = this.#young;
    this.#young = new Map();
    if (this.#old.size > 0) return;
    this.#ageing?.cancel();
    this.#ageing = undefined;
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
