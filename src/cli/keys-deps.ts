import { InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../clock/clock.ts';
import { pollUntil } from '../clock/poll-until.ts';
import type { MasterKey } from '../config/master-key-list.ts';
import { AwsKms } from '../crypto/aws-kms.ts';
import { Keyring } from '../crypto/keyring.ts';
import { currentKeys } from '../crypto/keys-source.ts';
import type { Database } from '../database/database.ts';
import { StartError } from '../errors.ts';
import { type ReplicaRow, selectLiveReplicas } from '../replicas/replicas-repository.ts';
import type { Session } from './session.ts';

/** Longer than in the service: only the operator waits. */
const KEY_SERVICE_MS = 20_000;

/** @returns a keyring of these keys; the command reports errors of the key service, so it doesn't log them */
export function keyringOf({ config }: Session, keys: readonly MasterKey[] = currentKeys(config)): Keyring {
  return new Keyring(keys, { service: new AwsKms(config.keyService, () => {}, systemClock, KEY_SERVICE_MS) });
}

/** @throws StartError when there is no such key */
export function keyNamed(keys: readonly MasterKey[], id: string): MasterKey {
  const key = keys.find((candidate) => candidate.id === id);
  if (key !== undefined) return key;
  throw new StartError(`There is no master key ${id}. There are: ${keys.map((known) => known.id).join(', ')}.`);
}

const POLL_MS = 1_000;
/** A replica reads a changed file within 2 seconds; one that was killed is removed from the list within 30. */
const WAIT_SECONDS = 35;

/** For commands that need the running replicas to agree. */
export function waitOption(): Option {
  return new Option('--wait <seconds>', 'how long to wait for the running replicas').default(WAIT_SECONDS).argParser((text) => {
    const seconds = Number(text);
    if (text.trim() !== '' && seconds >= 0) return seconds;
    throw new InvalidArgumentError('It must be a number of seconds.');
  });
}

/**
 * Waits until every running replica's report satisfies a condition.
 *
 * @param wait seconds
 * @returns those whose report is still wrong after that time; none = all agree
 */
export async function replicasThatDiffer(
  db: Database,
  { signal, clock }: Session,
  wait: number,
  isCurrent: (replica: ReplicaRow) => boolean,
): Promise<ReplicaRow[]> {
  let isAnnounced = false;
  const look = async () => {
    const wrong = (await selectLiveReplicas(db)).filter((replica) => !isCurrent(replica));
    if (wrong.length > 0 && wait > 0 && !isAnnounced) {
      process.stderr.write(`Waiting for ${wrong.length} of the running replicas to read the keys…\n`);
      isAnnounced = true;
    }
    return wrong;
  };
  const limits = { everyMs: POLL_MS, limitMs: wait * 1_000, signal };
  const wrong = await pollUntil(clock, look, ({ length }) => length === 0, limits);
  signal.throwIfAborted();
  return wrong;
}

export function nameOf({ id, startedAt }: ReplicaRow): string {
  return `${id} (started ${startedAt.toISOString()})`;
}
