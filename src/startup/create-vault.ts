import type { Events } from '../events/events.ts';
import type { Catalog } from '../integrations/catalog.ts';
import type { Providers } from '../providers/open-providers.ts';
import { ActiveUses } from '../vault/grants/active-uses.ts';
import { GrantStatuses } from '../vault/grants/grant-status.ts';
import { Grants } from '../vault/grants/grants.ts';
import type { RecordStatus } from '../vault/grants/grants-repository.ts';
import { OrphanedTokenRevoker } from '../vault/grants/orphaned-tokens.ts';
import { Revocations } from '../vault/grants/revocations.ts';
import { UserKeys } from '../vault/keys/user-keys.ts';
import { AccessTokens } from '../vault/refresh/access-tokens.ts';
import type { Core } from './core.ts';

/** Encrypted grants: storing, refreshing and revoking tokens. */
export function createVault(
  { config, db, clock, polls, keyring, names, logger, telemetry }: Core,
  providers: Providers,
  events: Events,
  catalog: () => Catalog,
) {
  const userKeys = new UserKeys(keyring);
  const revocations = new Revocations({ db, keyring, revokers: providers.revokers(), logger, telemetry, names });
  const uses = new ActiveUses(db, polls);
  const recordStatus: RecordStatus = async (tx, change) => {
    const { userId, status } = change;
    const account = await events.recordStatus(tx, change);
    if (account === undefined) return;
    const { startOnStatus } = await import('../automations/looking/status-events.ts');
    await startOnStatus({ clock, userKeys, catalog }, tx, userId, { account, status });
  };
  const { refreshTimeoutMs, providerTimeoutMs: validTokenWaitMs } = config.limits;
  const refreshing = { refreshers: providers.refreshers(), recordStatus, refreshTimeoutMs, validTokenWaitMs };
  const tokens = new AccessTokens({ db, clock, userKeys, revocations, logger, ...refreshing });
  return {
    userKeys,
    revocations,
    uses,
    tokens,
    orphanedTokens: new OrphanedTokenRevoker(revocations, clock, logger),
    grants: new Grants(db, userKeys, revocations, logger, (grantId) => uses.endGrant(grantId)),
    statuses: new GrantStatuses(db, recordStatus),
  };
}
