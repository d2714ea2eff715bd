import pLimit from 'p-limit';
import type { Keyring } from '../../crypto/keyring.ts';
import type { KeyContext } from '../../crypto/master-key.ts';
import type { Database } from '../../database/database.ts';
import { revocationKeyContext } from '../grants/revocations.ts';
import { ignoreDecryptionFailure } from '../keys/ignore-decryption-failure.ts';
import { serviceKeyContext } from '../keys/service-secrets.ts';
import { userKeyContext } from '../keys/user-keys.ts';
import {
  KEY_TABLES,
  type KeyTable,
  NULL_UUID,
  type Rewrapped,
  type Step,
  type StoredKey,
  selectUnderOthers,
  updateWrapped,
} from './key-rotation-repository.ts';

/** Reports the progress of a pass. */
export interface Pass {
  /** Checked between two batches; the reason is thrown. */
  signal: AbortSignal;
  /** Reports how many more keys are done. */
  advance(keys: number): void;
  /** Reports something that could not be decrypted and stays unchanged. @param what table and row */
  unreadable(what: string): void;
}

const BATCH = 200;
/** Concurrent calls to a key service. */
const AT_ONCE = 16;

/**
 * Wraps every key again that another master key than the primary one wraps. Each batch is one transaction and changes
 * only unchanged rows, so that a pass can be stopped at any time, repeated, and run beside the service.
 *
 * @throws AppError `unavailable` while the database or key service is unavailable; completed work is kept
 */
export async function rewrapAll(db: Database, keyring: Keyring, pass: Pass): Promise<void> {
  for (const table of KEY_TABLES) {
    for (let last: string | undefined = NULL_UUID; last !== undefined; ) {
      pass.signal.throwIfAborted();
      const step: Step<StoredKey> = await selectUnderOthers(db, table, keyring.primaryId, last, BATCH);
      await rewrapBatch(db, keyring, table, step.found, pass);
      ({ last } = step);
    }
  }
}

async function rewrapBatch(db: Database, keyring: Keyring, table: KeyTable, keys: readonly StoredKey[], pass: Pass): Promise<void> {
  const limit = pLimit(AT_ONCE);
  // The primary key may change meanwhile: keys that another one wrapped are another batch.
  const byMasterKey = new Map<string, Rewrapped[]>();
  await Promise.all(
    keys.map((key) =>
      limit(async () => {
        const done = await ignoreDecryptionFailure(() => rewrap(keyring, contextOf(table, key), key.wrapped));
        if (done === undefined) pass.unreadable(`${table} ${key.id}`);
        else
          byMasterKey.set(done.masterKeyId, [
            ...(byMasterKey.get(done.masterKeyId) ?? []),
            { id: key.id, before: key.wrapped, after: done.wrapped },
          ]);
      }),
    ),
  );
  for (const [masterKeyId, rewrapped] of byMasterKey) pass.advance(await updateWrapped(db, table, masterKeyId, rewrapped));
}

/** The same key, wrapped by the primary master key and unwrapped again as a check. */
async function rewrap(keyring: Keyring, context: KeyContext, wrapped: Buffer) {
  const secret = await keyring.unwrap(wrapped, context);
  const again = await keyring.wrap(secret.export(), context);
  const proof = await keyring.unwrap(again.wrapped, context);
  if (!proof.equals(secret)) throw new Error(`master key ${again.masterKeyId} does not give back what it was given`);
  return again;
}

function contextOf(table: KeyTable, { id, userId }: StoredKey): KeyContext {
  if (table === 'service_keys') return serviceKeyContext(id);
  return table === 'revocations' ? revocationKeyContext(id) : userKeyContext(userId, id);
}
