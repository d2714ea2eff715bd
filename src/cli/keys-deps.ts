import { setTimeout as sleep } from 'node:timers/promises';
import type { MasterKey } from '../config/master-key-list.ts';
import { AwsKms } from '../crypto/aws-kms.ts';
import { Keyring } from '../crypto/keyring.ts';
import { currentKeys } from '../crypto/keys-source.ts';
import type { Database } from '../database/database.ts';
import { StartRefused } from '../errors.ts';
import { type ReplicaRow, selectLiveReplicas } from '../replicas/replicas-repository.ts';
import type { Session } from './session.ts';

/** Nobody waits but the operator. */
const KEY_SERVICE_MS = 20_000;

/** The keys as the configuration has them now. */
export function configuredKeys({ config }: Session): MasterKey[] {
  return currentKeys(config);
}

/** A keyring of these keys; faults of the key service come with the error that ends the command. */
export function keyringOf({ config }: Session, keys: readonly MasterKey[]): Keyring {
  return new Keyring(keys, { service: new AwsKms(config.keyService, () => {}, KEY_SERVICE_MS) });
}

/** @throws StartRefused when there is no such key */
export function keyNamed(keys: readonly MasterKey[], id: string): MasterKey {
  const key = keys.find((candidate) => candidate.id === id);
  if (key !== undefined) return key;
  throw new StartRefused(`There is no master key ${id}. There are: ${keys.map((known) => known.id).join(', ')}.`);
}

const LOOK_MS = 1_000;
/** A replica reads a changed file within 2 seconds; one that died without a word is forgotten within 30. */
const PATIENCE_SECONDS = 35;

/** For commands that need the running replicas to agree. */
export const WAIT = { wait: { type: 'string' } } as const;
export const WAIT_USAGE = '[--wait <seconds>]';

/**
 * Waits until every running replica's report is as it should be.
 *
 * @param wait seconds, as the operator gave them
 * @returns those whose isn't when patience is over; none = all agree
 */
export async function replicasThatDiffer(
  db: Database,
  { signal }: Session,
  wait: string | undefined,
  isRight: (replica: ReplicaRow) => boolean,
): Promise<ReplicaRow[]> {
  const seconds = Number(wait ?? PATIENCE_SECONDS);
  if (!(seconds >= 0)) throw new StartRefused('--wait takes a number of seconds.');
  const endAt = performance.now() + seconds * 1000;
  let told = false;
  for (;;) {
    const wrong = (await selectLiveReplicas(db)).filter((replica) => !isRight(replica));
    if (wrong.length === 0 || performance.now() >= endAt) return wrong;
    if (!told) process.stderr.write(`Waiting for ${wrong.length} of the running replicas to read the keys…\n`);
    told = true;
    await sleep(LOOK_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** How a replica is named to the operator. */
export function nameOf({ id, startedAt }: ReplicaRow): string {
  return `${id} (started ${startedAt.toISOString()})`;
}
