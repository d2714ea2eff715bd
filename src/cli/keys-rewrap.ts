import type { Keyring } from '../crypto/keyring.ts';
import type { Database } from '../database/database.ts';
import { StartRefused } from '../errors.ts';
import { checkKeys } from '../vault/rotation/check-keys.ts';
import { KeyRenewal } from '../vault/rotation/key-renewal.ts';
import { type Pass, rewrapAll } from '../vault/rotation/key-rotation.ts';
import { countExposed, countUnderOthers } from '../vault/rotation/key-rotation-repository.ts';
import { defineCommand } from './command.ts';
import { configuredKeys, keyringOf, nameOf, replicasThatDiffer, WAIT, WAIT_USAGE } from './keys-deps.ts';
import { Progress } from './progress.ts';
import type { Session } from './session.ts';

/** Rounds over users who came in between; each waits a second. */
const BUSY_ROUNDS = 60;
/** Each round finds what a replica has wrapped under an older key meanwhile. */
const ROUNDS = 10;

export const rewrap = defineCommand({
  usage: `[--new-user-keys] ${WAIT_USAGE}`,
  summary: 'wraps what other keys wrap under the first one; after a leak, with new keys for all users',
  options: { 'new-user-keys': { type: 'boolean' }, ...WAIT },
  async run(session, { values }) {
    const db = await session.database();
    const keyring = keyringOf(session, configuredKeys(session));
    await checkKeys(db, keyring);
    await agree(db, session, keyring, values.wait);
    const damaged = new Set<string>();
    if (values['new-user-keys'] === true) await renewAll(db, session, keyring, damaged);
    await rewrapRounds(db, session, keyring, damaged);
    if (damaged.size > 0) {
      const shown = [...damaged].slice(0, 20).join(', ');
      throw new StartRefused(
        `${damaged.size} stored value(s) could not be read and stay as they are: ${shown}. They were altered, or their key is gone.`,
      );
    }
    session.print(`Everything is wrapped under ${keyring.primaryId}.`);
  },
});

/** A replica that has not read the new list yet would go on wrapping under an older key. */
async function agree(db: Database, session: Session, { primaryId }: Keyring, wait: string | undefined): Promise<void> {
  const others = await replicasThatDiffer(db, session, wait, ({ keyIds }) => keyIds[0] === primaryId);
  if (others.length === 0) return;
  throw new StartRefused(
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
      if (rounds === BUSY_ROUNDS)
        throw new StartRefused('Some users’ keys were being changed by somebody else all the time. Run this again.');
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
    throw new StartRefused('Keys are still being wrapped under older master keys. Does every replica have the same list? Run this again.');
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
