import type { Clock } from '../clock/clock.ts';
import type { Coalescer } from '../concurrency/coalescer.ts';
import type { Database } from '../database/database.ts';
import { AppError } from '../errors.ts';
import type { RecordEvent } from '../events/events.ts';
import type { Logger } from '../observability/logger.ts';
import type { Telemetry } from '../observability/telemetry.ts';
import type { BankProvider } from '../providers/bank/bank-provider.ts';
import type { GrantStatuses } from '../vault/grants/grant-status.ts';
import type { Grants } from '../vault/grants/grants.ts';
import type { OrphanedTokenRevoker } from '../vault/grants/orphaned-tokens.ts';
import type { Revocations } from '../vault/grants/revocations.ts';
import type { UserKeys } from '../vault/keys/user-keys.ts';

/** What the bank feature depends on. */
export interface BankDeps {
  db: Database;
  clock: Clock;
  /** undefined: not configured; items can still be listed and deleted. */
  provider: BankProvider | undefined;
  grants: Grants;
  userKeys: UserKeys;
  statuses: GrantStatuses;
  revocations: Revocations;
  orphanedTokens: OrphanedTokenRevoker;
  emit: RecordEvent;
  logger: Logger;
  telemetry: Telemetry;
  /** Item checks that users request, by user and item. */
  refreshes: Coalescer<boolean>;
}

/** @throws AppError `not_configured` */
export function configured(deps: BankDeps): BankProvider {
  if (deps.provider === undefined) throw new AppError('not_configured', 'Bank accounts are not set up on this server.');
  return deps.provider;
}

/** The account that an event is about. */
export function about(itemId: string) {
  return { account: itemId, provider: 'bank' };
}
