import type { Clock } from '../../clock/clock.ts';
import type { Database } from '../../database/database.ts';
import { REFRESH_BATCHES, StatementBatcher } from '../../database/statement-batcher.ts';
import { lockUser } from '../../database/user-lock.ts';
import { describeError, type Logger } from '../../observability/logger.ts';
import type { Renewal } from '../../providers/shared/provider.ts';
import { jittered } from '../../rate-limit/backoff.ts';
import type { RecordStatus } from '../grants/grants-repository.ts';
import type { Revocations } from '../grants/revocations.ts';
import { sealTokens } from '../grants/token-encryption.ts';
import type { UserKeys } from '../keys/user-keys.ts';
import { isResealed, type OpenGrant, openGrant } from './refresh-read.ts';
import { awaitReplication, type RenewedTokens, selectRefreshRow, storeRenewedTokens } from './refresh-repository.ts';
import { pauseAfterRejections } from './refresh-timing.ts';

export type Renewed = Extract<Renewal, { kind: 'renewed' }>;

export interface CommitDeps {
  db: Database;
  clock: Clock;
  userKeys: UserKeys;
  revocations: Revocations;
  recordStatus: RecordStatus;
  logger: Logger;
}

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 1_000;
/** If the database is unavailable for longer, rotated tokens are lost and the user has to reconnect. */
const KEEP_TRYING_MS = 10 * 60_000;

/** Stores refreshed tokens before they are used: where the provider rotates refresh tokens, they exist nowhere else. */
export class RefreshCommit {
  readonly #deps: CommitDeps;
  readonly #stores: StatementBatcher<RenewedTokens, boolean>;

  constructor(deps: CommitDeps) {
    this.#deps = deps;
    this.#stores = new StatementBatcher((renewed) => storeRenewedTokens(deps.db, renewed, 'skip'), REFRESH_BATCHES);
  }

  /**
   * Stores what the provider issued for a grant, and retries while the database is unavailable. The replaced tokens are
   * compared byte by byte: a reconnect or a faster refresh is never overwritten, and an expired lease does no harm as long
   * as the tokens are unchanged.
   *
   * @param forced the provider rejected the old token before it expired
   * @param sentAt when the request was sent, by the monotonic clock
   * @returns false when the grant is gone or was changed, possibly by an earlier attempt whose response was lost: the caller reads it again
   */
  async store(grant: OpenGrant, renewed: Renewed, forced: boolean, sentAt: number): Promise<boolean> {
    const { clock } = this.#deps;
    const sealed = sealRenewed(grant, renewed);
    const startedAt = clock.monotonic();
    for (let retry = FIRST_RETRY_MS; ; retry = Math.min(retry * 2, LONGEST_RETRY_MS)) {
      try {
        return await this.#tryStore(grant, renewed, toStore(grant, renewed, sealed, forced, clock.monotonic() - sentAt));
      } catch (error) {
        this.#report(grant, error, clock.monotonic() - startedAt);
        await clock.sleep(jittered(retry));
      }
    }
  }

  async #tryStore(grant: OpenGrant, renewed: Renewed, values: RenewedTokens): Promise<boolean> {
    const { db } = this.#deps;
    if (await this.#stores.add(values)) return true;
    // A row that another transaction has locked delays only this grant.
    const [isStored] = await storeRenewedTokens(db, [values], 'wait');
    if (isStored === true) return true;
    // An earlier attempt may have stored them on this server only.
    await awaitReplication(db, values);
    const now = await selectRefreshRow(db, values.userId, values.id);
    if (now === undefined) {
      await this.#revokeOrphan(grant, renewed);
      return false;
    }
    const standing = await openGrant(this.#deps.userKeys, now);
    const { refreshToken } = grant.tokens;
    const isRotated = renewed.refreshToken !== undefined && renewed.refreshToken !== refreshToken;
    // The stored refresh token is the one that this rotation ended: a reconnect that returned none kept the old one.
    const isEnded = isRotated && standing.tokens.refreshToken === refreshToken;
    const isUnchanged = isResealed(grant, standing);
    if (!isEnded && !isUnchanged) return false;
    const scopes = isUnchanged ? values.scopes : undefined;
    const again = { ...values, tokens: sealRenewed(standing, renewed), replaces: now.tokens, scopes };
    if (now.status === 'reauth_required') return isEnded && this.#revive(again, standing);
    return now.status === 'active' && this.#tryStore(standing, renewed, again);
  }

  /** Another process used the refresh token that this rotation had ended, and concluded that the consent had ended. */
  async #revive(values: RenewedTokens, { row }: OpenGrant): Promise<boolean> {
    const { db, recordStatus, logger } = this.#deps;
    const { userId, id: grantId, provider } = row;
    const isRevived = await db.transaction(async (tx) => {
      // The user before the grant, as everywhere, to prevent deadlocks.
      await lockUser(tx, userId);
      const [isStored] = await storeRenewedTokens(tx, [{ ...values, status: 'reauth_required' }], 'wait');
      if (isStored !== true) return false;
      await recordStatus(tx, { userId, grantId, provider, status: 'active' });
      return true;
    }, userId);
    if (isRevived) logger.info({ grant: grantId, provider }, 'a late refresh brought a consent back');
    return isRevived;
  }

  /** Disconnected meanwhile: the disconnect revokes the old refresh token only. */
  async #revokeOrphan({ row: { provider, subject } }: OpenGrant, renewed: Renewed): Promise<void> {
    const token = renewed.refreshToken ?? renewed.accessToken;
    await this.#deps.revocations.add({ provider, subject, token });
  }

  /** @throws the error once retries have lasted too long */
  #report({ row: { id, provider } }: OpenGrant, error: unknown, lastedMs: number): void {
    const { logger } = this.#deps;
    const fields = { err: describeError(error), grant: id, provider };
    if (lastedMs >= KEEP_TRYING_MS) {
      logger.error(fields, 'renewed tokens could not be stored: they are lost');
      throw error;
    }
    logger.warn(fields, 'renewed tokens could not be stored yet; trying again');
  }
}

function sealRenewed({ key, row, tokens }: OpenGrant, renewed: Renewed): Buffer {
  const refreshToken = renewed.refreshToken ?? tokens.refreshToken;
  return sealTokens(key, row, { accessToken: renewed.accessToken, ...(refreshToken !== undefined && { refreshToken }) });
}

function toStore({ row }: OpenGrant, renewed: Renewed, tokens: Buffer, forced: boolean, sentMsAgo: number): RenewedTokens {
  const failures = forced ? row.failures + 1 : 0;
  return {
    id: row.id,
    userId: row.userId,
    replaces: row.tokens,
    status: 'active',
    tokens,
    scopes: renewed.scopes,
    // The lifetime began when the request was sent, at the latest.
    life: renewed.lifeSeconds - sentMsAgo / 1000,
    failures,
    pause: forced ? pauseAfterRejections(failures, renewed.lifeSeconds) : undefined,
  };
}
