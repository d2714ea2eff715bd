import { readFile } from 'node:fs/promises';
import type { Database } from '../database/database.ts';
import { StartRefused } from '../errors.ts';
import { selectDeletions, selectIdentity } from '../users/users-repository.ts';
import { eraseWithin, type UsersParts } from '../users/users-service.ts';
import { checkKeys } from '../vault/check-keys.ts';
import { Grants } from '../vault/grants.ts';
import { Revocations } from '../vault/revocations.ts';
import { UserKeys } from '../vault/user-keys.ts';
import { queuePendingOfUser } from '../workspace/confirmation-service.ts';
import { defineCommand } from './command.ts';
import { configuredKeys, keyringOf } from './keys-parts.ts';
import type { Session } from './session.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** `data deletions`. */
export const listDeletions = defineCommand({
  usage: '',
  summary: 'the former ids of users deleted within the last 30 days: what erase takes',
  async run(session) {
    for (const { userId, deletedAt } of await selectDeletions(await session.database())) {
      session.print(`${userId} ${deletedAt.toISOString()}`);
    }
  },
});

/** `data erase`. */
export const eraseUsers = defineCommand({
  usage: '<file>',
  summary: 'deletes the users whose ids begin the lines of a file, as DELETE /user does; after a restore, those that had gone',
  takes: [1, 1],
  async run(session, { positionals: [file = ''] }) {
    const ids = await readIds(file);
    const db = await session.database();
    const parts = await erasing(session, db);
    let erased = 0;
    for (const id of ids) {
      session.signal.throwIfAborted();
      if (await eraseOne(db, parts, id)) erased += 1;
    }
    session.print(`${erased} users deleted, ${ids.length - erased} were not there.`);
  },
});

async function readIds(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartRefused(`${file} can't be read (${error.code}).`);
  });
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, index) => {
    const id = (line.trim().split(/\s/)[0] ?? '').toLowerCase();
    // Before the first is deleted: a file of something else must not delete anybody.
    if (!UUID.test(id)) throw new StartRefused(`Line ${index + 1} of ${file} does not begin with a user's id. Nobody was deleted.`);
    return id;
  });
}

/** Revocations are only written down here: the service's sweep finds and does them. */
async function erasing(session: Session, db: Database): Promise<Pick<UsersParts, 'grants' | 'releaseHeld'>> {
  const { logger } = session;
  const keyring = keyringOf(session, configuredKeys(session));
  await checkKeys(db, keyring);
  const userKeys = new UserKeys(keyring);
  const revocations = new Revocations(db, keyring, { workspace: undefined, bank: undefined }, logger);
  const grants = new Grants(userKeys, revocations, logger);
  return { grants, releaseHeld: (tx, userId) => queuePendingOfUser({ db, userKeys, revocations, logger }, tx, userId) };
}

async function eraseOne(db: Database, parts: Pick<UsersParts, 'grants' | 'releaseHeld'>, userId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const identity = await selectIdentity(tx, userId);
    if (identity === undefined) return false;
    await eraseWithin(parts, tx, { userId, ...identity, issuedAt: Math.floor(Date.now() / 1000) });
    return true;
  });
}
