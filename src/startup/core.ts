import type { Clock } from '../clock/clock.ts';
import { Polls } from '../clock/polls.ts';
import type { Config } from '../config/config.ts';
import { namedSecret } from '../config/load-config.ts';
import { AwsKms } from '../crypto/aws-kms.ts';
import type { Keyring } from '../crypto/keyring.ts';
import { openKeyring } from '../crypto/keys-source.ts';
import type { Database, DatabaseTimeouts } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open-database.ts';
import { maintainPartitions } from '../database/partitions.ts';
import { createIntegrationsFormat } from '../integrations/compile-catalog.ts';
import { IntegrationsService } from '../integrations/reload/integrations-service.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import type { Telemetry } from '../observability/telemetry.ts';
import { throttledLog } from '../observability/throttled-log.ts';
import type { ProviderDescriptor } from '../providers/shared/provider.ts';
import { Replica } from '../replicas/replica.ts';
import { SubjectHasher } from '../vault/keys/subject-hasher.ts';
import { checkKeys } from '../vault/rotation/check-keys.ts';

/** The dependencies of all features, which a start waits for. */
export interface Core {
  config: Config;
  clock: Clock;
  /** Those of the whole process. */
  polls: Polls;
  logger: Logger;
  telemetry: Telemetry;
  db: Database;
  keyring: Keyring;
  names: SubjectHasher;
  integrations: IntegrationsService;
  /** Those of all providers of this release. */
  descriptors: readonly ProviderDescriptor[];
}

/**
 * Reads keys and integrations and connects to the database. Nothing is changed there until `prepare`, so that a start
 * that fails before leaves the database unchanged.
 *
 * @returns `prepare` runs the migrations, and checks that the keys match the database
 * @throws StartError; AppError `unavailable` when the database (`prepare`: or the key service) cannot be reached
 */
export async function openCore(
  { config, descriptors, clock, logger, telemetry }: Pick<Core, 'config' | 'descriptors' | 'clock' | 'logger' | 'telemetry'>,
  timeouts: DatabaseTimeouts | undefined,
  resources: AsyncDisposableStack,
) {
  // Read while the database is being connected; the error is handled by the await below.
  const loading = IntegrationsService.load(
    config.integrationsFile,
    createIntegrationsFormat(descriptors, namedSecret),
    clock,
    logger,
    telemetry,
  );
  loading.catch(() => {});
  const keys = openKeyring(config, { logger, service: new AwsKms(config.keyService, throttledLog(clock, logger, 'error'), clock) });
  const { keyring } = keys;
  const { db, address } = await openDatabase(config, config.limits.databaseConnections, logger, resources, {
    clock,
    ...(timeouts && { timeouts }),
  });
  db.observe(telemetry);
  const names = new SubjectHasher(db, keyring);
  const polls = new Polls(clock, logger);
  const core: Core = { config, clock, polls, logger, telemetry, db, keyring, names, integrations: await loading, descriptors };
  const prepare = async () => {
    await migrate(db, address, logger);
    // After a long standstill, there is no partition for this month.
    await maintainPartitions(db, logger).catch((error: unknown) =>
      logger.warn({ err: describeError(error) }, 'partitions could not be added; retrying every minute'),
    );
    await checkKeys(db, keyring);
    await names.load();
    const replica = new Replica(db, keyring, polls);
    await replica.start();
    resources.defer(() => replica.end());
    // Before the replica's row is deleted, which a report would insert again.
    resources.defer(() => polls.stop());
    keys.watch(
      polls,
      (candidate) => checkKeys(db, candidate),
      () => replica.report(),
    );
  };
  return { core, prepare };
}
