import type { Keyring } from '../crypto/keyring.ts';
import type { Database } from '../database/database.ts';
import { StartError } from '../errors.ts';
import { checkKeys } from '../vault/rotation/check-keys.ts';
import { KeyRenewal } from '../vault/rotation/key-renewal.ts';
import { type Pass, rewrapAll } from '../vault/rotation/key-rotation.ts';
import { countExposed, countUnderOthers } from '../vault/rotation/key-rotation-repository.ts';
import { command, withSession } from './command.ts';
import { keyringOf, nameOf, replicasThatDiffer, waitOption } from './keys-deps.ts';
import { Progress } from './progress.ts';
import type { Session } from './session.ts';

/** Rounds over users added meanwhile; each waits one second. */
const BUSY_ROUNDS = 60;
/** Each round finds what a replica wrapped under an older key during the previous one. */
const ROUNDS = 10;

export const rewrap = command('rewrap', 'Wraps all user keys under the first master key.')
  .option('--new-user-keys', 'after a leak: also replaces the user keys, and encrypts everything with the new ones')
  .addOption(waitOption())
  .action(
    withSession(async (session, { newUserKeys, wait }: { newUserKeys?: boolean; wait: number }) => {
      const db = await session.database();
      const keyring = keyringOf(session);
      await checkKeys(db, keyring);
      await agree(db, session, keyring, wait);
      const damaged = new Set<string>();
      if (newUserKeys === true) await renewAll(db, session, keyring, damaged);
      await rewrapRounds(db, session, keyring, damaged);
      if (damaged.size > 0) {
        const shown = [...damaged].slice(0, 20).join(', ');
        throw new StartError(
          `${damaged.size} stored value(s) can’t be decrypted and are left unchanged: ${shown}. They were altered, or their key is missing.`,
        );
      }
      session.print(`Everything is wrapped under ${keyring.primaryId}.`);
    }),
  );

/** A replica that has not read the new list would continue to wrap under an older key. */
async function agree(db: Database, session: Session, { primaryId }: Keyring, wait: number): Promise<void> {
  const others = await replicasThatDiffer(db, session, wait, ({ keyIds }) => keyIds[0] === primaryId);
  if (others.length === 0) return;
  throw new StartError(
    `Refused: ${others.length} running replica(s) wrap under another key than ${primaryId}: ${others.map(nameOf).join(', ')}. Give them the same list of keys (with MASTER_KEYS: restart them), then run this again.`,
  );
}

async function renewAll(db: Database, session: Session, keyring: Keyring, damaged: Set<string>): Promise<void> {
  const renewal = new KeyRenewal(db, keyring);
  const { userKeys, revocations } = await countExposed(db, keyring.primaryId);
  await withProgress('new keys', userKeys + revocations, session, damaged, async (pass) => {
    let rounds = 0;
    while ((await renewal.users(pass)) > 0) {
      rounds += 1;
      if (rounds === BUSY_ROUNDS) throw new StartError('Some users’ keys kept changing during this command. Run it again.');
    }
    await renewal.revocations(pass);
  });
}

async function rewrapRounds(db: Database, session: Session, keyring: Keyring, damaged: Set<string>): Promise<void> {
  const total = await countUnderOthers(db, keyring.primaryId);
  const unreadable = new Set<string>();
  await withProgress('rewrapped', total, session, unreadable, async (pass) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      unreadable.clear();
      await rewrapAll(db, keyring, pass);
      if ((await countUnderOthers(db, keyring.primaryId)) <= unreadable.size) {
        for (const what of unreadable) damaged.add(what);
        return;
      }
    }
    throw new StartError('Keys are still being wrapped under older master keys. Does every replica have the same list? Run this again.');
  });
}

async function withProgress(
  label: string,
  total: number,
  { signal }: Session,
  damaged: Set<string>,
  work: (pass: Pass) => Promise<void>,
): Promise<void> {
  const progress = new Progress(label, total);
  try {
    await work({ signal, advance: (keys) => progress.advance(keys), unreadable: (what) => void damaged.add(what) });
  } finally {
    progress.end();
  }
}
