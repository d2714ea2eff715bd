import { AppError } from '../../errors.ts';
import type { Provider } from '../../providers/shared/provider.ts';
import type { AgentAccountRow } from './agent-accounts-repository.ts';

/**
 * In the place of an account, where a provider has none: approvals, keys and results of its calls are filed under the user’s own id.
 * It can be neither disconnected nor set to read-only, and has no name.
 *
 * @param wanted as the caller named it
 * @throws AppError `invalid_request` if the caller named an account
 */
export function ownAccount(userId: string, provider: Provider, wanted: string | undefined): AgentAccountRow {
  if (wanted !== undefined && wanted !== userId) throw new AppError('invalid_request', 'account: this action uses none.');
  return {
    id: userId,
    grantId: userId,
    provider,
    label: '',
    masks: [],
    isDefault: true,
    status: 'active',
    scopes: [],
    // Not read: whatever there may be counts.
    hasLabelledItems: true,
    hasOpenQuestions: true,
    readOnlyFor: [],
    source: null,
    toolsVersion: 0,
  };
}

/** Whether an account stands for none. */
export function isOwnAccount(userId: string, accountId: string): boolean {
  return accountId === userId;
}
