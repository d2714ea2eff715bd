import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import type { Emit } from '../events/emit.ts';
import { missingScopes, type ScopeName } from '../providers/workspace/workspace-scopes.ts';
import type { Grants } from '../vault/grants.ts';
import { lockUser } from '../vault/grants-repository.ts';
import { ensureDefault, makeDefault, selectAccount, selectAccounts } from './accounts-repository.ts';

export interface WorkspaceAccount {
  id: string;
  email: string;
  name: string;
  picture: string;
  default: boolean;
  status: 'active' | 'reauth_required';
  missing_scopes: ScopeName[];
}

const NO_SUCH_ACCOUNT = 'There is no such account.';

/** A user's connected accounts. Works without the provider: disconnecting must not depend on it. */
export class WorkspaceAccounts {
  readonly #db: Database;
  readonly #grants: Grants;
  readonly #emit: Emit;

  constructor(db: Database, grants: Grants, emit: Emit) {
    this.#db = db;
    this.#grants = grants;
    this.#emit = emit;
  }

  /** Connected longest first. */
  async list(userId: string): Promise<WorkspaceAccount[]> {
    const rows = await selectAccounts(this.#db, userId);
    return rows.map(({ id, email, name, picture, isDefault, status, scopes }) => ({
      id,
      email,
      name,
      picture,
      default: isDefault,
      status: status === 'active' ? 'active' : 'reauth_required',
      missing_scopes: missingScopes(scopes),
    }));
  }

  /**
   * Denies use at once; the provider is told afterwards.
   *
   * @throws AppError `not_found`
   */
  async disconnect(userId: string, accountId: string): Promise<void> {
    await this.#db.transaction(async (tx) => {
      await lockUser(tx, userId);
      const account = await selectAccount(tx, userId, accountId);
      if (account === undefined) throw new AppError('not_found', NO_SUCH_ACCOUNT);
      await this.#grants.end(tx, userId, account.grantId);
      await ensureDefault(tx, userId);
      await this.#emit(tx, userId, 'account.disconnected', { account: accountId, provider: 'workspace' });
    }, userId);
  }

  /** @throws AppError `not_found` */
  async makeDefault(userId: string, accountId: string): Promise<void> {
    const known = await this.#db.transaction(async (tx) => {
      await lockUser(tx, userId);
      return makeDefault(tx, userId, accountId);
    }, userId);
    if (!known) throw new AppError('not_found', NO_SUCH_ACCOUNT);
  }
}
