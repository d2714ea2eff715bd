import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../database/database.ts';
import { StatementBatcher } from '../../database/statement-batcher.ts';
import { describeError, type Logger } from '../../observability/logger.ts';
import type { Renewal } from '../../providers/provider.ts';
import { jittered } from '../../rate-limit/backoff.ts';
import { lockUser, type RecordStatus } from '../grants-repository.ts';
import type { Revocations } from '../revocations.ts';
import { sealTokens } from '../token-encryption.ts';
import type { UserKeys } from '../user-keys.ts';
import { isResealed, type OpenGrant, openGrant } from './refresh-read.ts';
import { type RenewedTokens, selectRefreshRow, storeRenewedTokens } from './refresh-repository.ts';
import { pauseAfterRefusals } from './refresh-timing.ts';

export type Renewed = Extract<Renewal, { kind: 'renewed' }>;

export interface CommitDeps {
  db: Database;
  userKeys: UserKeys;
  revocations: Revocations;
  recordStatus: RecordStatus;
  logger: Logger;
}

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 1_000;
/** A database that is away longer than this takes the tokens with it; the user has to connect again where they rotate. */
const KEEP_TRYING_MS = 10 * 60_000;

/** Stores renewed tokens before anyone may use them: where the provider rotates, they exist nowhere else. */
export class RefreshCommit {
  readonly #deps: CommitDeps;
  readonly #stores: StatementBatcher<RenewedTokens, boolean>;

  constructor(deps: CommitDeps) {
    this.#deps = deps;
    this.#stores = new StatementBatcher((renewed) => storeRenewedTokens(deps.db, renewed, 'skip'));
  }

  /**
   * Stores what the provider issued for a grant, and keeps trying while the database is away. What it replaces is
   * compared byte by byte: neither a reconnect nor a faster refresh is ever overwritten, and a lease that ended
   * meanwhile costs nothing as long as the tokens still stand there.
   *
   * @param forced the old token was refused before its time
   * @param sentAt when the provider was asked, by `performance.now()`
   * @returns false when the grant is gone or was changed, be it by an earlier try whose answer was lost: the caller reads it again
   */
  async store(grant: OpenGrant, renewed: Renewed, forced: boolean, sentAt: number): Promise<boolean> {
    const sealed = sealRenewed(grant, renewed);
    const startedAt = performance.now();
    for (let retry = FIRST_RETRY_MS; ; retry = Math.min(retry * 2, LONGEST_RETRY_MS)) {
      try {
        return await this.#tryStore(grant, renewed, toStore(grant, renewed, sealed, forced, sentAt));
      } catch (error) {
        this.#report(grant, error, performance.now() - startedAt);
        await sleep(jittered(retry));
      }
    }
  }

  async #tryStore(grant: OpenGrant, renewed: Renewed, values: RenewedTokens): Promise<boolean> {
    const { db } = this.#deps;
    if (await this.#stores.add(values)) return true;
    // Whoever waits for another's transaction waits alone.
    const [isStored] = await storeRenewedTokens(db, [values], 'wait');
    if (isStored === true) return true;
    const now = await selectRefreshRow(db, values.userId, values.id);
    if (now === undefined) {
      await this.#revokeOrphan(grant, renewed);
      return false;
    }
    const standing = await openGrant(this.#deps.userKeys, now);
    const { refreshToken } = grant.tokens;
    const isRotated = renewed.refreshToken !== undefined && renewed.refreshToken !== refreshToken;
    // What stands there is what this rotation has ended: a reconnect that brought no refresh token kept the old one.
    const isEnded = isRotated && standing.tokens.refreshToken === refreshToken;
    const isUnchanged = isResealed(grant, standing);
    if (!isEnded && !isUnchanged) return false;
    const scopes = isUnchanged ? values.scopes : undefined;
    const again = { ...values, tokens: sealRenewed(standing, renewed), replaces: now.tokens, scopes };
    if (now.status === 'reauth_required') return isEnded && this.#revive(again, standing);
    return now.status === 'active' && this.#tryStore(standing, renewed, again);
  }

  /** Another process met the refresh token that this rotation had ended, and took it for the end of the consent. */
  async #revive(values: RenewedTokens, { row }: OpenGrant): Promise<boolean> {
    const { db, recordStatus, logger } = this.#deps;
    const { userId, id: grantId, provider } = row;
    const isRevived = await db.transaction(async (tx) => {
      // The user before the grant, as everywhere: the other order could lock up.
      await lockUser(tx, userId);
      const [isStored] = await storeRenewedTokens(tx, [{ ...values, status: 'reauth_required' }], 'wait');
      if (isStored !== true) return false;
      await recordStatus(tx, { userId, grantId, provider, status: 'active' });
      return true;
    }, userId);
    if (isRevived) logger.info({ grant: grantId, provider }, 'a late refresh brought a consent back');
    return isRevived;
  }

  /** Disconnected meanwhile: the disconnect revokes the old refresh token, and knows nothing of what came since. */
  async #revokeOrphan({ row: { provider, subject } }: OpenGrant, renewed: Renewed): Promise<void> {
    const token = renewed.refreshToken ?? renewed.accessToken;
    await this.#deps.revocations.add({ provider, subject, token });
  }

  /** @throws the error itself once it has lasted too long */
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

function toStore({ row }: OpenGrant, renewed: Renewed, tokens: Buffer, forced: boolean, sentAt: number): RenewedTokens {
  const failures = forced ? row.failures + 1 : 0;
  return {
    id: row.id,
    userId: row.userId,
    replaces: row.tokens,
    status: 'active',
    tokens,
    scopes: renewed.scopes,
    // Its life began when the provider was asked, at the latest.
    life: renewed.lifeSeconds - (performance.now() - sentAt) / 1000,
    failures,
    pause: forced ? pauseAfterRefusals(failures, renewed.lifeSeconds) : undefined,
  };
}
