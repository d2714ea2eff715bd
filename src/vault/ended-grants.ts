import { isKeyServiceUnavailable } from '../crypto/aws-kms.ts';
import type { Database } from '../database/database.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import { claimEndedGrant } from './ended-grants-repository.ts';
import type { Grants } from './grants.ts';

/** The rest of the sweep waits for this step; the next sweep continues. */
const SWEEP_MS = 10_000;

/**
 * Queues the revocations of grants that ended while the key service was unavailable, one by one, until it is unavailable
 * again. Several replicas may do so at the same time.
 */
export async function sweepEndedGrants({ db, grants, logger }: { db: Database; grants: Grants; logger: Logger }): Promise<void> {
  const until = performance.now() + SWEEP_MS;
  try {
    while (performance.now() < until) {
      const id = await claimEndedGrant(db);
      if (id === undefined) return;
      await grants.endWaiting(id);
    }
  } catch (error) {
    if (!isKeyServiceUnavailable(error)) throw error;
    logger.warn({ err: describeError(error) }, 'disconnected accounts wait to be revoked: the key service is unavailable');
  }
}
