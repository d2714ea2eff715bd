import { isKeyServiceUnavailable } from '../crypto/aws-kms.ts';
import type { Database } from '../database/database.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import { claimEndedGrant } from './ended-grants-repository.ts';
import type { Grants } from './grants.ts';

interface SweepDeps {
  db: Database;
  grants: Grants;
  logger: Logger;
}

/** The other steps of the sweep wait for this one; what is left then is the next one's. */
const SWEEP_MS = 10_000;

/**
 * Queues the revocations of what ended while the key service was away, one after the other, until it is away again.
 * Any number of replicas may do so at once.
 */
export async function sweepEndedGrants({ db, grants, logger }: SweepDeps): Promise<void> {
  const until = performance.now() + SWEEP_MS;
  try {
    while (performance.now() < until) {
      const id = await claimEndedGrant(db);
      if (id === undefined) return;
      await grants.endWaiting(id);
    }
  } catch (error) {
    if (!isKeyServiceUnavailable(error)) throw error;
    logger.warn({ err: describeError(error) }, 'disconnected accounts wait to be revoked: the key service is away');
  }
}
