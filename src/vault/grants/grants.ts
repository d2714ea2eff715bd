import { randomUUID } from 'node:crypto';
import { isKeyServiceUnavailable } from '../../crypto/aws-kms.ts';
import { afterCommit, type Database, type Queryable } from '../../database/database.ts';
import { AppError } from '../../errors.ts';
import { describeError, type Logger } from '../../observability/logger.ts';
import type { Provider } from '../../providers/shared/provider.ts';
import { ignoreDecryptionFailure } from '../keys/ignore-decryption-failure.ts';
import type { UserKeys } from '../keys/user-keys.ts';
import {
  claimEndedGrant,
  deleteEndedGrant,
  deleteEndedGrantsOfUser,
  type EndedGrant,
  type EndedGrantName,
  insertEndedGrant,
  selectEndedGrant,
  selectEndedGrantsOfUser,
} from './ended-grants-repository.ts';
import {
  deleteGrant,
  deleteGrantsOfUser,
  selectGrant,
  selectGrantBySubject,
  selectGrantsOfUser,
  upsertGrant,
} from './grants-repository.ts';
import type { Revocations, SealedRevocation } from './revocations.ts';
import { openTokens, sealTokens, type Tokens } from './token-encryption.ts';

export interface NewGrant {
  userId: string;
  provider: Provider;
  /** The provider's id of the account (`sub`) or item. */
  subject: string;
  tokens: Tokens;
  scopes: string[];
  /** When the access token expires; null: never. */
  expiresAt: Date | null;
}

/** The rest of the sweep waits for this step; the next sweep continues. */
const SWEEP_MS = 10_000;

/** What was prepared before a transaction has changed meanwhile; it must be prepared again. */
export class Outdated extends Error {}

/** Ends grants inside a transaction. @returns the revocations to enqueue after the commit */
export type PreparedEnd = (tx: Queryable) => Promise<string[]>;

/** Encrypted credentials, one grant per connected account. Methods with a transaction run inside the caller's. */
export class Grants {
  readonly #db: Database;
  readonly #logger: Logger;
  readonly #userKeys: UserKeys;
  readonly #revocations: Revocations;
  readonly #ended: (grantId: string) => void;

  /** @param ended called for each grant after the commit that ends it */
  constructor(db: Database, userKeys: UserKeys, revocations: Revocations, logger: Logger, ended: (grantId: string) => void = () => {}) {
    this.#db = db;
    this.#logger = logger;
    this.#userKeys = userKeys;
    this.#revocations = revocations;
    this.#ended = ended;
  }

  /**
   * Stores a grant. An account that is connected again keeps its id.
   *
   * @returns the grant's id, and whether it was inactive before
   */
  async store(tx: Queryable, grant: NewGrant): Promise<{ id: string; revived: boolean }> {
    const existing = await selectGrantBySubject(tx, grant.userId, grant.provider, grant.subject);
    const id = existing?.id ?? randomUUID();
    await this.#write(tx, id, grant);
    return { id, revived: existing !== undefined && existing.status !== 'active' };
  }

  /**
   * Replaces a grant by another one of the same provider (a bank that is linked again is a new item), and revokes the old
   * one.
   *
   * @throws AppError `conflict` when the old grant no longer exists
   */
  async replace(tx: Queryable, grantId: string, grant: NewGrant): Promise<void> {
    const old = await selectGrant(tx, grant.userId, grantId);
    if (old === undefined) throw new AppError('conflict', 'This was deleted meanwhile. Try again.');
    await this.#write(tx, grantId, grant);
    if (old.subject !== grant.subject) await this.#park(tx, old);
  }

  /** The refresh token stored for this account, if any: not every consent returns a new one. */
  async storedRefreshToken(db: Queryable, userId: string, provider: Provider, subject: string): Promise<string | undefined> {
    const grant = await selectGrantBySubject(db, userId, provider, subject);
    // The refresh token of a grant that needs re-authentication is no longer valid.
    if (grant === undefined || grant.status !== 'active') return undefined;
    return (await this.#open(db, grant)).refreshToken;
  }

  /** @returns the tokens, or undefined when the user has no such grant */
  async tokens(db: Queryable, userId: string, grantId: string): Promise<Tokens | undefined> {
    const grant = await selectGrant(db, userId, grantId);
    return grant === undefined ? undefined : this.#open(db, grant);
  }

  /**
   * Ends one grant: its use is denied from the commit on, and it is revoked at the provider afterwards. Revoking requires
   * the key service; while that is unavailable, the tokens stay stored and the user does not wait.
   */
  async end(tx: Queryable, userId: string, grantId: string): Promise<void> {
    const grant = await deleteGrant(tx, userId, grantId);
    if (grant === undefined) return;
    afterCommit(tx, () => this.#ended(grantId));
    await this.#park(tx, grant);
  }

  /**
   * Continues the end of a grant whose tokens still have to be revoked.
   *
   * @param waiting its row in `ended_grants`
   * @throws AppError `unavailable` while the key service is unavailable
   */
  async endWaiting(waiting: EndedGrantName): Promise<void> {
    const grant = await selectEndedGrant(this.#db, waiting);
    if (grant === undefined) return;
    const sealed = await this.#sealRevocation(grant);
    // Not in the user's queue: nothing of the user's row is locked, and the transaction of a disconnect may still hold its turn.
    const queued = await this.#db.transaction(async (tx) => {
      const mine = await deleteEndedGrant(tx, waiting);
      return mine === undefined || sealed === undefined ? undefined : this.#revocations.insert(tx, sealed);
    });
    await this.#revocations.jobs.add([queued]);
  }

  /**
   * Queues the revocations of grants that ended while the key service was unavailable, one by one, until it is unavailable
   * again. Several replicas may do so at the same time.
   */
  async sweep(): Promise<void> {
    const { clock } = this.#db;
    const until = clock.monotonic() + SWEEP_MS;
    try {
      while (clock.monotonic() < until) {
        const waiting = await claimEndedGrant(this.#db);
        if (waiting === undefined) return;
        await this.endWaiting(waiting);
      }
    } catch (error) {
      if (!isKeyServiceUnavailable(error)) throw error;
      this.#logger.warn({ err: describeError(error) }, 'disconnected accounts wait to be revoked: the key service is unavailable');
    }
  }

  /**
   * Prepares the end of all of a user's grants, including those that wait for their revocation, so that the user's key can
   * be deleted in the same transaction.
   *
   * @returns to be run inside the transaction; throws {@link Outdated} when the grants have changed since
   * @throws AppError `unavailable` while the key service is unavailable
   */
  async prepareEnd(userId: string): Promise<PreparedEnd> {
    const sealed = new Map<string, SealedRevocation | undefined>();
    const held = [...(await selectEndedGrantsOfUser(this.#db, userId)), ...(await selectGrantsOfUser(this.#db, userId))];
    for (const grant of held) sealed.set(nameOf(grant), await this.#sealRevocation(grant));
    return async (tx) => {
      const gone = [...(await deleteEndedGrantsOfUser(tx, userId)), ...(await deleteGrantsOfUser(tx, userId))];
      afterCommit(tx, () => {
        for (const { id } of gone) this.#ended(id);
      });
      const ids: string[] = [];
      for (const grant of gone) {
        if (!sealed.has(nameOf(grant))) throw new Outdated();
        const revocation = sealed.get(nameOf(grant));
        if (revocation !== undefined) ids.push(await this.#revocations.insert(tx, revocation));
      }
      return ids;
    };
  }

  async #write(tx: Queryable, id: string, grant: NewGrant): Promise<void> {
    const key = await this.#userKeys.forUser(tx, grant.userId);
    const tokens = sealTokens(key, { ...grant, id }, grant.tokens);
    await upsertGrant(tx, { ...grant, id, tokens });
  }

  async #open(db: Queryable, grant: EndedGrant): Promise<Tokens> {
    return openTokens(await this.#userKeys.toOpen(db, grant.userId, grant.tokens), grant);
  }

  /** Stores the tokens, which are no longer used, until they are revoked after the commit. The sweep retries what fails. */
  async #park(tx: Queryable, grant: EndedGrant): Promise<void> {
    const id = await insertEndedGrant(tx, grant);
    afterCommit(tx, () =>
      this.endWaiting({ id, userId: grant.userId }).catch((error: unknown) => {
        this.#logger.warn({ err: describeError(error), grant: grant.id }, 'a disconnected account waits to be revoked');
      }),
    );
  }

  /** A token that cannot be decrypted must not prevent the deletion of its user; it is logged instead. */
  async #sealRevocation(grant: EndedGrant): Promise<SealedRevocation | undefined> {
    const { provider, subject } = grant;
    const tokens = await ignoreDecryptionFailure(() => this.#open(this.#db, grant));
    if (tokens !== undefined) return this.#revocations.seal({ provider, subject, token: tokens.refreshToken ?? tokens.accessToken });
    this.#logger.error({ grant: grant.id, provider }, 'a token could not be read: it is deleted without being revoked');
    return undefined;
  }
}

function nameOf({ id, subject, tokens }: EndedGrant): string {
  return `${id} ${subject} ${tokens.toString('base64')}`;
}
