import { readFile } from 'node:fs/promises';
import { prepareConfirmationEndOf } from '../connections/confirmation-service.ts';
import type { Database } from '../database/database.ts';
import { StartError } from '../errors.ts';
import { walkErasure } from '../users/erasures.ts';
import { selectDeletions } from '../users/erasures-repository.ts';
import { selectIdentity } from '../users/users-repository.ts';
import { type ErasingDeps, eraseIdentity } from '../users/users-service.ts';
import { Grants } from '../vault/grants/grants.ts';
import { Revocations } from '../vault/grants/revocations.ts';
import { SubjectHasher } from '../vault/keys/subject-hasher.ts';
import { UserKeys } from '../vault/keys/user-keys.ts';
import { checkKeys } from '../vault/rotation/check-keys.ts';
import { command, withSession } from './command.ts';
import { keyringOf } from './keys-deps.ts';
import { Progress } from './progress.ts';
import type { Session } from './session.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** `data deletions`. */
export const listDeletions = command(
  'deletions',
  'Prints the ids of the users deleted within the last 30 days, as erase reads them.',
).action(
  withSession(async (session) => {
    for (const { userId, deletedAt, isClean } of await selectDeletions(await session.database())) {
      session.print(`${userId} ${deletedAt.toISOString()}${isClean ? '' : ' (rows are still being deleted)'}`);
    }
  }),
);

/** `data erase`. */
export const eraseUsers = command('erase', 'Deletes users as DELETE /user does; after a restore, those deleted since the backup.')
  .argument('<file>', 'file whose lines begin with user ids')
  .action(
    withSession(async (session, file: string) => {
      const ids = await readIds(file);
      const db = await session.database();
      const deps = await erasing(session, db);
      let erased = 0;
      for (const id of ids) {
        session.signal.throwIfAborted();
        if (await eraseOne(deps, id, session.clock.now())) erased += 1;
      }
      await walkAll(session, db, ids);
      session.print(`${erased} users deleted, ${ids.length - erased} not found.`);
    }),
  );

async function readIds(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`${file} can't be read (${error.code}).`);
  });
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, index) => {
    const id = (line.trim().split(/\s/)[0] ?? '').toLowerCase();
    // All lines are checked first: a wrong file must not delete any user.
    if (!UUID.test(id)) throw new StartError(`Line ${index + 1} of ${file} does not begin with a user id. No user was deleted.`);
    return id;
  });
}

/** Revocations are only stored here; the service's sweep performs them. */
async function erasing(session: Session, db: Database): Promise<ErasingDeps> {
  const { logger } = session;
  const keyring = keyringOf(session);
  await checkKeys(db, keyring);
  const userKeys = new UserKeys(keyring);
  const revocations = new Revocations({ db, keyring, revokers: {}, logger });
  const grants = new Grants(db, userKeys, revocations, logger);
  const prepareConfirmationEnd = (userId: string) => prepareConfirmationEndOf({ db, userKeys, revocations, logger }, userId);
  return { db, names: new SubjectHasher(db, keyring), grants, prepareConfirmationEnd };
}

/** Deletes the remaining rows, also of earlier deletions that were interrupted. The service deletes locked rows later. */
async function walkAll(session: Session, db: Database, ids: readonly string[]): Promise<void> {
  const open = (await selectDeletions(db)).filter(({ userId, isClean }) => !isClean && ids.includes(userId));
  if (open.length === 0) return;
  const progress = new Progress('rows', 0);
  for (const { userId } of open) {
    const isOver = () => session.signal.aborted;
    await walkErasure(db, userId, { isOver, advance: (rows) => progress.advance(rows) });
    session.signal.throwIfAborted();
  }
  progress.end();
}

async function eraseOne(deps: ErasingDeps, userId: string, now: number): Promise<boolean> {
  const identity = await selectIdentity(deps.db, userId);
  if (identity === undefined) return false;
  await eraseIdentity(deps, { userId, ...identity, issuedAt: Math.floor(now / 1000) });
  return true;
}
