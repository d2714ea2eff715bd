import type { GrantAccess } from '../providers/provider.ts';
import type { GrantStatuses } from './grant-status.ts';
import type { AccessTokens } from './refresh/access-tokens.ts';

/** A grant as the sessions of its provider use it: their tokens are read, renewed and reported through it. */
export function grantAccess(
  { tokens, statuses }: { tokens: AccessTokens; statuses: GrantStatuses },
  { userId, grantId }: { userId: string; grantId: string },
): GrantAccess {
  return {
    userId,
    current: () => tokens.current(userId, grantId),
    renewed: (rejected) => tokens.renewed(userId, grantId, rejected),
    rejected: (accessToken, status) => statuses.rejected(userId, grantId, accessToken, status),
  };
}
