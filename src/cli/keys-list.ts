import { randomBytes } from 'node:crypto';
import { formatKey, type MasterKey, parseKeyset } from '../config/master-key-list.ts';
import { currentKeys, keysPath } from '../crypto/keys-source.ts';
import type { Database } from '../database/database.ts';
import { sqlState } from '../database/database-errors.ts';
import { StartError } from '../errors.ts';
import { checkKeys } from '../vault/rotation/check-keys.ts';
import { countMasterKeyUses, deleteCanary } from '../vault/rotation/master-keys-repository.ts';
import { command, withSession } from './command.ts';
import { keyNamed, keyringOf, nameOf, replicasThatDiffer, waitOption } from './keys-deps.ts';
import { changeKeysFile } from './keys-file.ts';

const KEY_BYTES = 32;
const STILL_IN_USE = '23503';

export const add = command('add', 'Creates a key, or takes one of AWS KMS, and appends it to the list of keys.')
  .argument('[id]', 'name of the key (default: the date and a random suffix)')
  .option('--aws-kms <arn>', 'a key of AWS KMS in place of a new one')
  .option('--print', 'prints the entry and leaves MASTER_KEYS_FILE unchanged')
  .action(
    withSession(async (session, id: string | undefined, { awsKms, print }: { awsKms?: string; print?: boolean }) => {
      const key = newKey(id ?? freshId(session.clock.now()), awsKms);
      // Also verifies that the key service encrypts and decrypts with it.
      const trial = keyringOf(session, [key]);
      await trial.checkCanary(key.id, await trial.sealCanary(key.id));
      const path = keysPath(session.config);
      if (path === undefined || print === true) {
        appended(currentKeys(session.config), key);
        session.print(formatKey(key));
        process.stderr.write('Append this entry to the list of keys. It is a secret and is not shown again.\n');
        return;
      }
      changeKeysFile(path, (keys) => appended(keys, key));
      session.print(`Added ${key.id} to ${path}. Next: npm run keys -- promote ${key.id}`);
    }),
  );

export const promote = command('promote', 'Makes a key the first one, once every running replica holds it.')
  .argument('<id>', 'name of the key')
  .addOption(waitOption())
  .action(
    withSession(async (session, id: string, { wait }: { wait: number }) => {
      const keys = currentKeys(session.config);
      const key = keyNamed(keys, id);
      const reordered = [key, ...keys.filter((other) => other !== key)];
      const db = await session.database();
      await checkKeys(db, keyringOf(session, reordered));
      const without = await replicasThatDiffer(db, session, wait, ({ keyIds }) => keyIds.includes(id));
      if (without.length > 0) {
        throw new StartError(
          `Refused: ${without.length} running replica(s) don’t hold ${id} and could not decrypt what it wraps: ${without.map(nameOf).join(', ')}. Give them the key (the same file, or the same MASTER_KEYS and a restart), then run this again.`,
        );
      }
      const path = keysPath(session.config);
      if (path === undefined) {
        session.print(
          `Every running replica holds ${id}. Move its entry to the front of MASTER_KEYS and restart the replicas one after the other.`,
        );
        return;
      }
      changeKeysFile(path, (now) => [keyNamed(now, id), ...now.filter((other) => other.id !== id)]);
      session.print(`${id} is the first key now. Next: npm run keys -- rewrap`);
    }),
  );

export const retire = command('retire', 'Removes a key that nothing uses from the list of keys.')
  .argument('<id>', 'name of the key')
  .addOption(waitOption())
  .action(
    withSession(async (session, id: string, { wait }: { wait: number }) => {
      const keys = currentKeys(session.config);
      keyNamed(keys, id);
      const primary = keys[0]?.id;
      if (primary === id) throw new StartError(`Refused: ${id} is the first key. Promote another one before.`);
      const db = await session.database();
      const others = await replicasThatDiffer(db, session, wait, ({ keyIds }) => keyIds[0] === primary);
      if (others.length > 0) {
        throw new StartError(
          `Refused: ${others.length} running replica(s) still wrap under another key than ${primary}: ${others.map(nameOf).join(', ')}. Give them the same list of keys (with MASTER_KEYS: restart them), then run rewrap and this again.`,
        );
      }
      // From here on, a foreign key of the database rejects whatever would be stored under the key.
      await endUse(db, id);
      const path = keysPath(session.config);
      if (path === undefined) {
        session.print(`Nothing uses ${id}. Remove its entry from MASTER_KEYS and restart the replicas one after the other.`);
        return;
      }
      changeKeysFile(path, (now) => now.filter((key) => key.id !== id));
      // So that `status` agrees with what this prints.
      const holders = await replicasThatDiffer(db, session, wait, ({ keyIds }) => !keyIds.includes(id));
      // A replica that read the list before it changed has permitted the key again.
      await endUse(db, id);
      session.print(`${id} is retired. Older backups of the database still need it: keep the key with them until they expire.`);
      if (holders.length > 0) {
        process.stderr.write(
          `${holders.length} running replica(s) still hold it, though it decrypts nothing here any more: ${holders.map(nameOf).join(', ')}. Give them the same list of keys (with MASTER_KEYS: restart them).\n`,
        );
      }
    }),
  );

/** @throws StartError when a row requires the key */
async function endUse(db: Database, id: string): Promise<void> {
  await deleteCanary(db, id).catch(async (error: unknown) => {
    if (sqlState(error) !== STILL_IN_USE) throw error;
    const use = (await countMasterKeyUses(db)).find((candidate) => candidate.id === id);
    const count = (use?.userKeys ?? 0) + (use?.revocations ?? 0) + (use?.formerKeys ?? 0) + (use?.serviceKeys ?? 0);
    throw new StartError(`Refused: ${count} stored key(s) need ${id}. Run rewrap first: npm run keys -- rewrap`);
  });
}

function newKey(id: string, arn: string | undefined): MasterKey {
  const key = arn === undefined ? { id, secret: randomBytes(KEY_BYTES) } : { id, arn };
  appended([], key);
  return key;
}

/** Starts with the date, which tells keys apart. */
function freshId(now: number): string {
  return `${new Date(now).toISOString().slice(0, 10)}-${randomBytes(2).toString('hex')}`;
}

/** @throws StartError when the list would be invalid: a duplicate id, a malformed id or ARN */
function appended(keys: readonly MasterKey[], key: MasterKey): MasterKey[] {
  const list = [...keys, key];
  try {
    parseKeyset(list.map(formatKey).join('\n'));
  } catch (error) {
    throw new StartError(`Refused: the list of keys then ${(error as Error).message}.`);
  }
  return list;
}
