import type { Tokens } from '../token-encryption.ts';
import type { UserKeys } from '../user-keys.ts';
import { openGrant } from './refresh-read.ts';
import type { RefreshRow } from './refresh-repository.ts';

interface Opened extends Pick<RefreshRow, 'userId' | 'provider' | 'keyId'> {
  sealed: Uint8Array;
  wrapped: Uint8Array;
  tokens: Tokens;
}

/** Nothing is kept for longer than twice this. */
const AGE_MS = 30_000;
/** Of each of the two ages. */
const KEPT_MAX = 2_000;

/**
 * The tokens of rows that are read again and again. Never answers for a row: that is read each time, and what was
 * opened counts only where the very same bytes stand there under the same key.
 */
export class DecryptedTokenCache {
  readonly #userKeys: UserKeys;
  #young = new Map<string, Opened>();
  #old = new Map<string, Opened>();
  #ageing: NodeJS.Timeout | undefined;

  constructor(userKeys: UserKeys) {
    this.#userKeys = userKeys;
  }

  /** Whether the grant was in use a short while ago. */
  has(grantId: string): boolean {
    return this.#young.has(grantId) || this.#old.has(grantId);
  }

  /** @throws AppError `internal` when the tokens were altered, or their key is gone; `unavailable` while the key service is away */
  of(row: RefreshRow): Tokens | Promise<Tokens> {
    const known = this.#young.get(row.id) ?? this.#old.get(row.id);
    return known !== undefined && isSame(known, row) ? known.tokens : this.#open(row);
  }

  async #open(row: RefreshRow): Promise<Tokens> {
    const { tokens } = await openGrant(this.#userKeys, row);
    this.#keep(row, tokens);
    return tokens;
  }

  #keep({ id, userId, provider, keyId, tokens: sealed, wrapped }: RefreshRow, tokens: Tokens): void {
    if (this.#young.size >= KEPT_MAX) this.#age();
    this.#old.delete(id);
    // Copies: the driver's buffers share larger ones, which would be kept whole.
    const copies = { sealed: Uint8Array.from(sealed), wrapped: Uint8Array.from(wrapped) };
    this.#young.set(id, { userId, provider, keyId, ...copies, tokens });
    this.#ageing ??= setInterval(() => this.#age(), AGE_MS).unref();
  }

  /** What was used meanwhile is opened anew too, so that nothing stays because it is in use. */
  #age(): void {
    this.#old = this.#young;
    this.#young = new Map();
    if (this.#old.size > 0) return;
    clearInterval(this.#ageing);
    this.#ageing = undefined;
  }
}

/** Everything that opening depends on. */
function isSame(opened: Opened, row: RefreshRow): boolean {
  return (
    opened.userId === row.userId &&
    opened.provider === row.provider &&
    opened.keyId === row.keyId &&
    row.tokens.equals(opened.sealed) &&
    row.wrapped.equals(opened.wrapped)
  );
}
