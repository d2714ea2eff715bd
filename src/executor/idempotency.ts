import { setTimeout as sleep } from 'node:timers/promises';
import { type AssociatedData, type DataKey, open, seal } from '../crypto/envelope.ts';
import type { Database, Queryable } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import type { UserKeys } from '../vault/user-keys.ts';
import type { Call, Outcome } from './call.ts';
import { claimKey, finishKey, freeKey, type KeyName, selectKey } from './idempotency-repository.ts';

/** Beyond its deadline a run still has to write down how it ended. */
const FINISHING_MS = 30_000;
/** Most runs end long before their time is up. */
const LOOK_AGAIN_SECONDS = 5;
const TRIES = 3;
const PAUSE_MS = 500;

/** Makes a change that a client repeats under the same key happen once. A call without a key passes through. */
export class IdempotencyKeys {
  readonly #db: Database;
  readonly #userKeys: UserKeys;
  readonly #logger: Logger;

  constructor(db: Database, userKeys: UserKeys, logger: Logger) {
    this.#db = db;
    this.#userKeys = userKeys;
    this.#logger = logger;
  }

  /**
   * The answer that the key's first call got; undefined when this is the first.
   *
   * @throws AppError `conflict` for other arguments, or while the first call runs; `outcome_unknown`
   */
  async earlier(call: Call): Promise<Outcome | undefined> {
    const name = nameOf(call);
    const row = name && (await selectKey(this.#db, name));
    if (name === undefined || row === undefined) return undefined;
    if (row.argumentsHash !== call.argumentsHash) {
      throw new AppError('conflict', 'idempotencyKey: was used for other arguments.');
    }
    if (row.status === 'done' && row.answer !== null) {
      const key = await this.#userKeys.toOpen(this.#db, call.userId, row.answer);
      return openAnswer(key, name, row.answer);
    }
    if (row.status === 'running' && !row.died) throw running(row.secondsLeft);
    throw unknownOutcome();
  }

  /**
   * Takes the key for a run that begins with this transaction.
   *
   * @throws AppError `conflict` when another call was faster
   */
  async claim(tx: Queryable, call: Call): Promise<void> {
    const name = nameOf(call);
    if (name === undefined) return;
    const taken = await claimKey(tx, name, call.argumentsHash, call.configured.policy.timeoutMs + FINISHING_MS);
    if (!taken) throw running(1);
  }

  /** Keeps the answer for those who repeat the call. */
  async done(call: Call, outcome: Outcome): Promise<void> {
    await this.#finish(call, async (name) => {
      const key = await this.#userKeys.forUser(this.#db, name.userId);
      await finishKey(this.#db, name, seal(key, associatedData(name), JSON.stringify(outcome)));
    });
  }

  /** Notes that nobody knows whether the change happened. */
  async unknown(call: Call): Promise<void> {
    await this.#finish(call, (name) => finishKey(this.#db, name, null));
  }

  /** Nothing was changed: the key may be used again. */
  async free(call: Call): Promise<void> {
    await this.#finish(call, (name) => freeKey(this.#db, name));
  }

  /** What can't be written down must not hide how the run ended; the key then counts as unknown when its time is up. */
  async #finish(call: Call, write: (name: KeyName) => Promise<void>): Promise<void> {
    const name = nameOf(call);
    if (name === undefined) return;
    for (let tries = 1; ; tries += 1) {
      try {
        await write(name);
        return;
      } catch (error) {
        if (tries < TRIES && error instanceof AppError && error.code === 'unavailable') {
          await sleep(PAUSE_MS);
          continue;
        }
        this.#logger.warn(
          { err: describeError(error), action: name.action },
          'the end of a change could not be kept for its idempotency key',
        );
        return;
      }
    }
  }
}

/** The answer kept for a key. @throws AppError `internal` when it can't be read */
export function openAnswer(key: DataKey, name: KeyName, answer: Buffer): Outcome {
  return JSON.parse(open(key, associatedData(name), answer).toString('utf8')) as Outcome;
}

export function unknownOutcome(): AppError {
  return new AppError('outcome_unknown', 'The change was sent, but what became of it is not known. Look before you try again.');
}

function running(secondsLeft: number): AppError {
  return new AppError('conflict', 'idempotencyKey: its first call is still running.', {
    retryAfter: Math.min(Math.max(1, Math.ceil(secondsLeft)), LOOK_AGAIN_SECONDS),
  });
}

function nameOf({ userId, configured, idempotencyKey }: Call): KeyName | undefined {
  return idempotencyKey === undefined ? undefined : { userId, action: configured.name, key: idempotencyKey };
}

function associatedData({ userId, action, key }: KeyName): AssociatedData {
  return { table: 'idempotency_keys', column: 'answer', userId, rowId: `${action} ${key}` };
}
