import { randomBytes } from 'node:crypto';
import { formatKey, type MasterKey, parseKeyset } from '../config/master-key-list.ts';
import { keysPath } from '../crypto/keys-source.ts';
import { sqlState } from '../database/database.ts';
import { StartRefused } from '../errors.ts';
import { checkKeys } from '../vault/rotation/check-keys.ts';
import { countMasterKeyUses, deleteCanary } from '../vault/rotation/master-keys-repository.ts';
import { defineCommand } from './command.ts';
import { configuredKeys, keyNamed, keyringOf, nameOf, replicasThatDiffer, WAIT, WAIT_USAGE } from './keys-deps.ts';
import { changeKeysFile } from './keys-file.ts';

const KEY_BYTES = 32;
const STILL_IN_USE = '23503';

export const add = defineCommand({
  usage: '[id] [--aws-kms <arn>] [--print]',
  summary: 'makes a key, or takes one of AWS KMS, and puts it last',
  options: { 'aws-kms': { type: 'string' }, print: { type: 'boolean' } },
  takes: [0, 1],
  async run(session, { values, positionals }) {
    const key = newKey(positionals[0] ?? freshId(), values['aws-kms']);
    // Also shows that a key service encrypts and decrypts with it.
    const trial = keyringOf(session, [key]);
    await trial.checkCanary(key.id, await trial.sealCanary(key.id));
    const path = keysPath(session.config);
    if (path === undefined || values.print === true) {
      appended(configuredKeys(session), key);
      session.print(formatKey(key));
      process.stderr.write('Put this entry at the end of the list of keys. It is a secret, and it is shown only here.\n');
      return;
    }
    changeKeysFile(path, (keys) => appended(keys, key));
    session.print(`Added ${key.id} to ${path}. Next: npm run keys -- promote ${key.id}`);
  },
});

export const promote = defineCommand({
  usage: `<id> ${WAIT_USAGE}`,
  summary: 'makes a key the first one, once every running replica holds it',
  options: WAIT,
  takes: [1, 1],
  async run(session, { values, positionals: [id = ''] }) {
    const keys = configuredKeys(session);
    const key = keyNamed(keys, id);
    const reordered = [key, ...keys.filter((other) => other !== key)];
    const db = await session.database();
    await checkKeys(db, keyringOf(session, reordered));
    const without = await replicasThatDiffer(db, session, values.wait, ({ keyIds }) => keyIds.includes(id));
    if (without.length > 0) {
      throw new StartRefused(
        `Refused: ${without.length} running replica(s) don’t hold ${id} and could not read what it wraps: ${without.map(nameOf).join(', ')}. Give them the key (the same file, or the same MASTER_KEYS and a restart), then run this again.`,
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
  },
});

export const retire = defineCommand({
  usage: `<id> ${WAIT_USAGE}`,
  summary: 'takes a key away for good, once nothing uses it',
  options: WAIT,
  takes: [1, 1],
  async run(session, { values, positionals: [id = ''] }) {
    const keys = configuredKeys(session);
    keyNamed(keys, id);
    const primary = keys[0]?.id;
    if (primary === id) throw new StartRefused(`Refused: ${id} is the first key. Promote another one before.`);
    const db = await session.database();
    const others = await replicasThatDiffer(db, session, values.wait, ({ keyIds }) => keyIds[0] === primary);
    if (others.length > 0) {
      throw new StartRefused(
        `Refused: ${others.length} running replica(s) still wrap under another key than ${primary}: ${others.map(nameOf).join(', ')}. Give them the same list of keys (with MASTER_KEYS: restart them), then run rewrap and this again.`,
      );
    }
    // From here on nothing can be stored under the key any more: the database itself refuses it.
    await deleteCanary(db, id).catch(async (error: unknown) => {
      if (sqlState(error) !== STILL_IN_USE) throw error;
      const use = (await countMasterKeyUses(db)).find((candidate) => candidate.id === id);
      const count = (use?.userKeys ?? 0) + (use?.revocations ?? 0) + (use?.formerKeys ?? 0);
      throw new StartRefused(`Refused: ${count} stored key(s) need ${id}. Run rewrap first: npm run keys -- rewrap`);
    });
    const path = keysPath(session.config);
    if (path === undefined) {
      session.print(`Nothing uses ${id}. Remove its entry from MASTER_KEYS and restart the replicas one after the other.`);
      return;
    }
    changeKeysFile(path, (now) => now.filter((key) => key.id !== id));
    // Whoever looks at the status next finds what this says.
    const holders = await replicasThatDiffer(db, session, values.wait, ({ keyIds }) => !keyIds.includes(id));
    session.print(`${id} is retired. Backups of the database from before still need it: keep it with them, or let them expire.`);
    if (holders.length > 0) {
      process.stderr.write(
        `${holders.length} running replica(s) still hold it, though it opens nothing here any more: ${holders.map(nameOf).join(', ')}. Give them the same list of keys (with MASTER_KEYS: restart them).\n`,
      );
    }
  },
});

function newKey(id: string, arn: string | undefined): MasterKey {
  const key = arn === undefined ? { id, secret: randomBytes(KEY_BYTES) } : { id, arn };
  appended([], key);
  return key;
}

/** Named by the day, as operators tell keys apart. */
function freshId(): string {
  return `${new Date().toISOString().slice(0, 10)}-${randomBytes(2).toString('hex')}`;
}

/** @throws StartRefused when the list would not be a good one: an id twice, a malformed id or ARN */
function appended(keys: readonly MasterKey[], key: MasterKey): MasterKey[] {
  const list = [...keys, key];
  try {
    parseKeyset(list.map(formatKey).join('\n'));
  } catch (error) {
    throw new StartRefused(`Refused: the list of keys then ${(error as Error).message}.`);
  }
  return list;
}
