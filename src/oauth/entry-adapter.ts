import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { hashSecret } from '../crypto/secrets.ts';
import { type Entries, keyOf } from './entries.ts';
import { consumeEntry, deleteEntry, insertClient, selectEntry, selectGrantEntry, upsertEntry } from './entries-repository.ts';

/** Models whose row carries the user. */
type Payload = AdapterPayload & { accountId?: string; result?: { login?: { accountId?: string } } };

/**
 * The library's storage of one model. Times are the database's: an entry's `iat` and `exp` are translated into this
 * process's clock when it is read, so that replicas whose clocks differ agree on what has expired.
 */
export class EntryAdapter implements Adapter {
  readonly #model: string;
  readonly #entries: Entries;

  constructor(model: string, entries: Entries) {
    this.#model = model;
    this.#entries = entries;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const key = keyOf(this.#model, id);
    const { jti: _, ...stored } = payload as Payload;
    const sealed = await this.#entries.seal(key, stored);
    if (this.#model === 'Client') return insertClient(this.#entries.queryable, { ...key, payload: sealed });
    const grantId = this.#model === 'Grant' ? id : stored.grantId;
    await upsertEntry(this.#entries.queryable, {
      ...key,
      grantHash: grantId === undefined ? null : hashSecret(grantId),
      userId: stored.accountId ?? stored.result?.login?.accountId ?? null,
      audience: this.#model === 'AccessToken' && typeof stored.aud === 'string' ? stored.aud : null,
      payload: sealed,
      lifeSeconds: expiresIn ?? null,
    });
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const key = keyOf(this.#model, id);
    const db = this.#entries.queryable;
    const row = this.#model === 'Grant' ? await selectGrantEntry(db, key.idHash) : await selectEntry(db, key);
    if (row === undefined) return undefined;
    const payload = (await this.#entries.open(key, row)) as AdapterPayload;
    if (this.#model === 'Client') return payload;
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now - Math.round(row.age), exp: now + Math.ceil(row.secondsLeft ?? 0) };
    return { ...payload, ...times, jti: id, ...(row.isConsumed && { consumed: true }) };
  }

  /** @throws InvalidGrant when it was used before, also at the same moment on another replica; its grant ends */
  async consume(id: string): Promise<void> {
    const used = await consumeEntry(this.#entries.queryable, keyOf(this.#model, id));
    if (used?.isFirst === true) return;
    if (used?.grantHash) this.#entries.end(used.grantHash);
    throw new errors.InvalidGrant('already used');
  }

  /** A grant ends with everything that belongs to it, once the request is over. */
  async destroy(id: string): Promise<void> {
    if (this.#model === 'Grant') this.#entries.end(hashSecret(id));
    else await deleteEntry(this.#entries.queryable, keyOf(this.#model, id));
  }

  /** Nothing: the library destroys the grant, too, unless it is only to delete an access token, which it has deleted. */
  async revokeByGrantId(): Promise<void> {}

  async findByUid(): Promise<undefined> {}

  async findByUserCode(): Promise<undefined> {}
}

/**
 * Sessions of the library's own, which are not kept: who the user is, is decided by each consent alone, so that no
 * authorization can get the account of an earlier one in the same browser.
 */
export class NoSessions extends EntryAdapter {
  override async upsert(): Promise<void> {}

  override async find(): Promise<undefined> {}

  override async destroy(): Promise<void> {}
}
