import type { Keyring } from '../../crypto/keyring.ts';
import type { Queryable } from '../../database/database.ts';
import { StartError } from '../../errors.ts';
import { shareHashSecret } from '../keys/subject-hasher.ts';
import { insertCanary, type KnownMasterKey, selectMasterKeys } from './master-keys-repository.ts';

/**
 * Checks that the master keys can decrypt the database's rows, and stores what is missing for a new key: its canary and
 * its copy of the hash secret.
 *
 * @throws StartError when an id that rows need is absent, or has another key; AppError `unavailable` while the key
 * service is unavailable
 */
export async function checkKeys(db: Queryable, keyring: Keyring): Promise<void> {
  const known = await selectMasterKeys(db);
  const absent = absentAmong(known, keyring);
  if (absent.length > 0) {
    throw new StartError(
      `The database holds secrets under master keys that MASTER_KEYS doesn't name: ${absent.join(', ')}. Add them back; every key stays until nothing uses it.`,
    );
  }
  for (const id of keyring.ids) {
    const canary = known.find((key) => key.id === id)?.canary ?? null;
    if (canary === null) await insertCanary(db, id, await keyring.sealCanary(id));
    else if (!(await keyring.checkCanary(id, canary))) {
      throw new StartError(
        `The master key ${id} is not the one this database was used with. Put the right key under this id, or give the new key another id.`,
      );
    }
  }
  await shareHashSecret(db, keyring);
}

/** Ids of master keys that rows require and the keyring does not contain. */
export async function absentKeyIds(db: Queryable, keyring: Keyring): Promise<string[]> {
  return absentAmong(await selectMasterKeys(db), keyring);
}

function absentAmong(known: readonly KnownMasterKey[], keyring: Keyring): string[] {
  return known.filter(({ id, isInUse }) => isInUse && !keyring.ids.includes(id)).map(({ id }) => id);
}
