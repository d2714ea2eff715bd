import type { GrantAccess } from '../../providers/shared/provider.ts';
import type { GrantStatuses } from '../grants/grant-status.ts';
import type { AccessTokens } from './access-tokens.ts';
import type { GrantInUse } from './refresh-repository.ts';

/**
 * A grant as the sessions of its provider use it.
 *
 * @param known the grant as the caller has just read it; the first token may come from it
 */
export function grantAccess(
  { tokens, statuses }: { tokens: AccessTokens; statuses: GrantStatuses },
  { userId, grantId }: { userId: string; grantId: string },
  known?: GrantInUse,
): GrantAccess {
  let unused = known;
  let version = known?.version;
  return {
    userId,
    current() {
      const row = unused;
      unused = undefined;
      return (row && tokens.tokenFromRow(row)) ?? tokens.current(userId, grantId, row);
    },
    renewed(rejected) {
      // It changes the grant.
      version = undefined;
      return tokens.renewed(userId, grantId, rejected);
    },
    version: () => version ?? statuses.version(userId, grantId),
    rejected: (version, status) => statuses.rejected(userId, grantId, version, status),
  };
}
