import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { hashSecret } from '../../crypto/secrets.ts';
import { publishedHost } from '../clients/client-metadata.ts';
import { CURRENT_REQUEST } from './current-request.ts';
import { type Entries, keyOf } from './entries.ts';
import { consumeEntry, deleteEntry, selectEntry, selectGrantEntry, upsertEntry } from './entries-repository.ts';

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
    if (this.#model === 'Client') return this.#entries.storeClient(id, payload);
    const key = keyOf(this.#model, id);
    const { jti: _, ...stored } = payload as Payload;
    const sealed = await this.#entries.seal(key, stored);
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
    // What a client has published is fetched again when its user is asked.
    if (this.#model === 'Client' && publishedHost(id) !== undefined && CURRENT_REQUEST.getStore()?.mayFetch !== false) return undefined;
    const key = keyOf(this.#model, id);
    const db = this.#entries.queryable;
    const row = this.#model === 'Grant' ? await selectGrantEntry(db, key.idHash) : await selectEntry(db, key);
    if (row === undefined) return undefined;
    const payload = (await this.#entries.open(key, row)) as AdapterPayload;
    if (this.#model === 'Client') return payload;
    // The library judges them by the machine's clock; no other can be given to it.
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
    if (this.#model === 'Grant') return this.#entries.end(hashSecret(id));
    const isFirst = await deleteEntry(this.#entries.queryable, keyOf(this.#model, id));
    // The library goes on to the code: of several requests to go on at the same moment, one does.
    if (!isFirst && this.#model === 'Interaction') throw new errors.SessionNotFound('interaction session not found');
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
