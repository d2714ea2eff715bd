import { randomUUID } from 'node:crypto';
import { isKeyServiceAway } from '../crypto/aws-kms.ts';
import type { Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { deleteEndedGrant, deleteEndedGrantsOfUser, type EndedGrant, insertEndedGrant } from './ended-grants-repository.ts';
import { deleteGrant, deleteGrantsOfUser, type Provider, selectGrant, selectGrantBySubject, upsertGrant } from './grants-repository.ts';
import { readable } from './readable.ts';
import type { Revocations } from './revocations.ts';
import { openTokens, sealTokens, type Tokens } from './sealed-tokens.ts';
import type { UserKeys } from './user-keys.ts';

export interface NewGrant {
  userId: string;
  provider: Provider;
  /** The provider's own id of the account (`sub`) or item. */
  subject: string;
  tokens: Tokens;
  scopes: string[];
  /** When the access token ends; null = never. */
  expiresAt: Date | null;
}

/** Sealed credentials, one per connected account. Every method runs inside the caller's transaction. */
export class Grants {
  readonly #logger: Logger;
  readonly #userKeys: UserKeys;
  readonly #revocations: Revocations;

  constructor(userKeys: UserKeys, revocations: Revocations, logger: Logger) {
    this.#logger = logger;
    this.#userKeys = userKeys;
    this.#revocations = revocations;
  }

  /**
   * Stores a grant; the same account connected again keeps its id.
   *
   * @returns the grant's id, and whether it is active again after it was not
   */
  async store(tx: Queryable, grant: NewGrant): Promise<{ id: string; revived: boolean }> {
    const existing = await selectGrantBySubject(tx, grant.userId, grant.provider, grant.subject);
    const id = existing?.id ?? randomUUID();
    await this.#write(tx, id, grant);
    return { id, revived: existing !== undefined && existing.status !== 'active' };
  }

  /**
   * Puts another of the provider's grants in the place of one (a bank linked again is a new item there);
   * the old one goes on its way out.
   *
   * @returns the revocation to enqueue once the transaction is committed
   * @throws AppError `conflict` when the grant to replace is gone
   */
  async replace(tx: Queryable, grantId: string, grant: NewGrant): Promise<string | undefined> {
    const old = await selectGrant(tx, grant.userId, grantId);
    if (old === undefined) throw new AppError('conflict', 'This was deleted meanwhile. Try again.');
    await this.#write(tx, grantId, grant);
    return old.subject === grant.subject ? undefined : this.#retireOrPark(tx, old);
  }

  /** The refresh token stored for this very account, if any: some consents bring none back. */
  async storedRefreshToken(db: Queryable, userId: string, provider: Provider, subject: string): Promise<string | undefined> {
    const grant = await selectGrantBySubject(db, userId, provider, subject);
    // A grant that needs re-authentication has lost its refresh token's worth.
    if (grant === undefined || grant.status !== 'active') return undefined;
    return (await this.#open(db, grant)).refreshToken;
  }

  /** @returns the tokens, or undefined when the user has no such grant */
  async tokens(db: Queryable, userId: string, grantId: string): Promise<Tokens | undefined> {
    const grant = await selectGrant(db, userId, grantId);
    return grant === undefined ? undefined : this.#open(db, grant);
  }

  /**
   * Ends one grant: use is denied from the commit on, the provider is told afterwards. That needs the key service;
   * while it is away the tokens wait for it, and the user doesn't.
   *
   * @returns the revocation to enqueue once the transaction is committed; undefined = none, or none yet
   */
  async end(tx: Queryable, userId: string, grantId: string): Promise<string | undefined> {
    const grant = await deleteGrant(tx, userId, grantId);
    return grant === undefined ? undefined : this.#retireOrPark(tx, grant);
  }

  /**
   * Goes on with the end of a grant that has waited for the key service.
   *
   * @param waitingId of its row among those that wait
   * @returns as {@link end}
   * @throws AppError `unavailable` while it is still away
   */
  async endWaiting(tx: Queryable, waitingId: string): Promise<string | undefined> {
    const grant = await deleteEndedGrant(tx, waitingId);
    return grant === undefined ? undefined : this.#retire(tx, grant);
  }

  /**
   * Ends all of a user's grants for good, those that wait as well: the user's key may go in the same transaction.
   *
   * @returns as {@link end}
   * @throws AppError `unavailable` while the key service is away
   */
  async endAll(tx: Queryable, userId: string): Promise<(string | undefined)[]> {
    const grants = [...(await deleteEndedGrantsOfUser(tx, userId)), ...(await deleteGrantsOfUser(tx, userId))];
    const ids: (string | undefined)[] = [];
    for (const grant of grants) ids.push(await this.#retire(tx, grant));
    return ids;
  }

  async #write(tx: Queryable, id: string, grant: NewGrant): Promise<void> {
    const key = await this.#userKeys.forUser(tx, grant.userId);
    const tokens = sealTokens(key, { ...grant, id }, grant.tokens);
    await upsertGrant(tx, { ...grant, id, tokens });
  }

  async #open(db: Queryable, grant: EndedGrant): Promise<Tokens> {
    return openTokens(await this.#userKeys.toOpen(db, grant.userId, grant.tokens), grant);
  }

  async #retireOrPark(tx: Queryable, grant: EndedGrant): Promise<string | undefined> {
    try {
      return await this.#retire(tx, grant);
    } catch (error) {
      // A database that is away would not take the row either.
      if (!isKeyServiceAway(error)) throw error;
      await insertEndedGrant(tx, grant);
      return undefined;
    }
  }

  /** Queues the revocation. A token that can't be read any more must not keep its user from leaving: it is reported instead. */
  async #retire(tx: Queryable, grant: EndedGrant): Promise<string | undefined> {
    const { provider, subject } = grant;
    const tokens = await readable(() => this.#open(tx, grant));
    if (tokens === undefined) {
      this.#logger.error({ grant: grant.id, provider }, 'a token could not be read: it is deleted without being revoked');
      return undefined;
    }
    return this.#revocations.queue(tx, { provider, subject, token: tokens.refreshToken ?? tokens.accessToken });
  }
}
