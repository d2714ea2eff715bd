import type { Config } from '../config/config.ts';
import { AwsKms } from '../crypto/aws-kms.ts';
import type { Keyring } from '../crypto/keyring.ts';
import { openKeyring } from '../crypto/keys-source.ts';
import type { Database } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open-database.ts';
import type { Catalog } from '../integrations/catalog.ts';
import { createIntegrationsFormat } from '../integrations/compile-catalog.ts';
import { IntegrationsService } from '../integrations/integrations-service.ts';
import type { Logger } from '../observability/logger.ts';
import type { Telemetry } from '../observability/telemetry.ts';
import { throttledLog } from '../observability/throttled-log.ts';
import type { ProviderDescriptor } from '../providers/provider.ts';
import { Replica } from '../replicas/replica.ts';
import { NameHashes } from '../vault/name-hashes.ts';
import { checkKeys } from '../vault/rotation/check-keys.ts';

/** What everything else stands on, and what a start has to wait for. */
export interface Foundation {
  config: Config;
  logger: Logger;
  telemetry: Telemetry;
  db: Database;
  keyring: Keyring;
  names: NameHashes;
  integrations: IntegrationsService<Catalog>;
  /** Of all providers that the service knows. */
  descriptors: readonly ProviderDescriptor[];
}

/**
 * Reads keys and integrations and connects the database. Nothing is changed there until `prepare`, so that a start
 * that is refused leaves it as it was.
 *
 * @returns `prepare` brings the schema up to date, and checks that keys and database belong together
 * @throws StartRefused; AppError `unavailable` when the database (`prepare`: or the key service) can't be reached
 */
export async function openFoundation(
  config: Config,
  descriptors: readonly ProviderDescriptor[],
  logger: Logger,
  telemetry: Telemetry,
  resources: AsyncDisposableStack,
) {
  // Read while the database is being connected; the catch leaves its error to the await below.
  const loading = IntegrationsService.load(config.integrationsFile, createIntegrationsFormat(descriptors), logger, telemetry);
  loading.catch(() => {});
  const keys = openKeyring(config, { logger, service: new AwsKms(config.keyService, throttledLog(logger, 'error')) });
  const { keyring } = keys;
  resources.defer(() => keys.close());
  const { db, address } = await openDatabase(config, config.limits.databaseConnections, logger, resources);
  db.observe(telemetry);
  const names = new NameHashes(db, keyring);
  const foundation: Foundation = { config, logger, telemetry, db, keyring, names, integrations: await loading, descriptors };
  const prepare = async () => {
    await migrate(db, address, logger);
    await checkKeys(db, keyring);
    await names.convert();
    const replica = new Replica(db, keyring, logger);
    await replica.start();
    resources.defer(() => replica.stop());
    keys.watch(
      (candidate) => checkKeys(db, candidate),
      () => replica.report(),
    );
  };
  return { foundation, prepare };
}
