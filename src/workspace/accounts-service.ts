import { z } from 'zod';
import type { FlowDeps } from '../connections/connector.ts';
import { lockUser } from '../database/user-lock.ts';
import { AppError } from '../errors.ts';
import { missingScopes, type ScopeName, WORKSPACE_SCOPES } from '../providers/workspace/workspace-scopes.ts';
import { ensureDefault, makeDefault, selectAccount, selectAccounts } from './accounts-repository.ts';

/** Connected accounts can be listed and disconnected while the provider is not configured. */
export type AccountsDeps = Pick<FlowDeps, 'db' | 'grants' | 'emit'>;

const scopeName = z.enum(Object.keys(WORKSPACE_SCOPES) as [ScopeName]).meta({ id: 'WorkspaceScope' });
export const workspaceAccount = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string(),
    picture: z.string(),
    default: z.boolean(),
    status: z.enum(['active', 'reauth_required']),
    missing_scopes: z.array(scopeName),
  })
  .meta({ id: 'WorkspaceAccount' });

/** A user's connected accounts, oldest first. */
export async function listAccounts({ db }: AccountsDeps, userId: string): Promise<z.input<typeof workspaceAccount>[]> {
  const rows = await selectAccounts(db, userId);
  return rows.map(({ isDefault, status, scopes, ...account }) => ({
    ...account,
    default: isDefault,
    status: status === 'active' ? 'active' : 'reauth_required',
    missing_scopes: missingScopes(scopes),
  }));
}

/**
 * Disconnects an account: it cannot be used from now on, and its tokens are revoked in the background.
 *
 * @throws AppError `not_found`
 */
export async function disconnectAccount({ db, grants, emit }: AccountsDeps, userId: string, accountId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await lockUser(tx, userId);
    const account = await selectAccount(tx, userId, accountId);
    if (account === undefined) throw noSuchAccount();
    await grants.end(tx, userId, account.grantId);
    await ensureDefault(tx, userId);
    await emit(tx, userId, 'account.disconnected', { account: accountId, provider: 'workspace' });
  }, userId);
}

/** @throws AppError `not_found` */
export async function setDefaultAccount({ db }: AccountsDeps, userId: string, accountId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await lockUser(tx, userId);
    if (!(await makeDefault(tx, userId, accountId))) throw noSuchAccount();
  }, userId);
}

function noSuchAccount(): AppError {
  return new AppError('not_found', 'There is no such account.');
}
