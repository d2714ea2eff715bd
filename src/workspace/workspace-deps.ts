import type { Clock } from '../clock/clock.ts';
import type { Database } from '../database/database.ts';
import type { RecordEvent } from '../events/events.ts';
import type { Logger } from '../observability/logger.ts';
import type { WorkspaceProvider } from '../providers/workspace/workspace-provider.ts';
import type { Grants } from '../vault/grants/grants.ts';
import type { OrphanedTokenRevoker } from '../vault/grants/orphaned-tokens.ts';
import type { Revocations } from '../vault/grants/revocations.ts';
import type { UserKeys } from '../vault/keys/user-keys.ts';
import type { RedirectUris } from './redirect-uri.ts';

/** What connecting a workspace account depends on. */
export interface WorkspaceDeps {
  db: Database;
  clock: Clock;
  provider: WorkspaceProvider;
  userKeys: UserKeys;
  grants: Grants;
  revocations: Revocations;
  orphanedTokens: OrphanedTokenRevoker;
  redirectUris: RedirectUris;
  emit: RecordEvent;
  logger: Logger;
}
