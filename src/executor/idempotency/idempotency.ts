import { type AssociatedData, type DataKey, open, seal } from '../../crypto/envelope.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { AppError } from '../../errors.ts';
import type { UserKeys } from '../../vault/keys/user-keys.ts';
import { STORING_MS, type Storing } from '../audit/storing.ts';
import type { Call, CallResult } from '../call/call.ts';
import { contextOf } from '../call/context-name.ts';
import { claimKey, finishKey, type KeyName, releaseKey, selectKey } from './idempotency-repository.ts';

/** Most runs end long before their timeout. */
const MAX_RETRY_AFTER_SECONDS = 5;

/**
 * Runs a change once, however often its caller repeats it under the same key. Each caller has keys of its own. A call without
 * a key passes through.
 */
export class IdempotencyKeys {
  readonly #db: Database;
  readonly #userKeys: UserKeys;

  constructor(db: Database, userKeys: UserKeys) {
    this.#db = db;
    this.#userKeys = userKeys;
  }

  /**
   * The result of the key's first call; undefined: this is the first.
   *
   * @throws AppError `conflict` for other arguments, or while the first call runs; `outcome_unknown`
   */
  async storedResult(call: Call): Promise<CallResult | undefined> {
    const name = nameOf(call);
    const row = name && (await selectKey(this.#db, name));
    if (name === undefined || row === undefined) return undefined;
    if (row.argumentsHash !== call.argumentsHash) throw otherArguments();
    if (row.status === 'done' && row.result !== null) {
      const key = await this.#userKeys.toOpen(this.#db, call.userId, row.result);
      return openResult(key, name, row.result);
    }
    if (row.status === 'running' && !row.hasExpired) throw running(row.secondsLeft);
    throw unknownOutcome();
  }

  /**
   * Claims the key for a run that starts with this transaction.
   *
   * @param callId the call that then ends the run or releases the key
   * @param askedHash of the arguments that the caller asked for: it repeats these, whatever the user has approved
   * @throws AppError `conflict` when another call claimed it first
   */
  async claim(tx: Queryable, call: Call, callId: string, askedHash = call.argumentsHash): Promise<void> {
    const name = nameOf(call);
    if (name === undefined) return;
    const taken = await claimKey(
      tx,
      name,
      callId,
      { accountId: call.account.id, argumentsHash: askedHash },
      call.configured.policy.timeoutMs + STORING_MS,
    );
    if (!taken) throw running(1);
  }

  /**
   * Has the key of a call that did not run give the result of the run that it repeats.
   *
   * @param result undefined: it is unknown
   * @throws AppError `conflict` when another call has claimed it; `unavailable`
   */
  async adopt(call: Call, result: CallResult | undefined, storing: Storing): Promise<void> {
    await storing.retry(() => this.claim(this.#db, call, storing.callId));
    await (result === undefined ? this.markUnknown(call, storing) : this.storeResult(call, result, storing));
  }

  /** Stores the result for repetitions of the call. */
  async storeResult(call: Call, result: CallResult, storing: Storing): Promise<void> {
    await this.#finish(call, storing, async (name) => {
      const key = await this.#userKeys.forUser(this.#db, name.userId);
      await finishKey(this.#db, name, storing.callId, seal(key, associatedData(name), JSON.stringify(result)));
    });
  }

  /** Marks the key: whether the change happened is unknown. */
  async markUnknown(call: Call, storing: Storing): Promise<void> {
    await this.#finish(call, storing, (name) => finishKey(this.#db, name, storing.callId, null));
  }

  /** Makes the key usable again, because nothing was changed. */
  async release(call: Call, storing: Storing): Promise<void> {
    await this.#finish(call, storing, (name) => releaseKey(this.#db, name, storing.callId));
  }

  /** A failed write must not hide the run's result; the key then counts as unknown once it expires. */
  async #finish(call: Call, storing: Storing, write: (name: KeyName) => Promise<void>): Promise<void> {
    const name = nameOf(call);
    if (name === undefined) return;
    await storing.store('the result of a change could not be stored for its idempotency key', () => write(name));
  }
}

/** Decrypts a stored result. @throws AppError `internal` when it can't be decrypted */
export function openResult(key: DataKey, name: KeyName, sealed: Buffer): CallResult {
  return JSON.parse(open(key, associatedData(name), sealed).toString('utf8')) as CallResult;
}

/** The error of a key that was used for another call. */
export function otherArguments(): AppError {
  return new AppError('conflict', 'idempotencyKey: was used for other arguments. Use a new key for each change.');
}

export function unknownOutcome(): AppError {
  return new AppError('outcome_unknown', 'The change was sent, but its outcome is not known. Check before you try again.');
}

function running(secondsLeft: number): AppError {
  return new AppError('conflict', 'idempotencyKey: its first call is still running.', {
    retryAfter: Math.min(Math.max(1, Math.ceil(secondsLeft)), MAX_RETRY_AFTER_SECONDS),
  });
}

function nameOf(call: Call): KeyName | undefined {
  const { userId, configured, idempotencyKey: key } = call;
  return key === undefined ? undefined : { userId, asker: contextOf(call), action: configured.name, key };
}

function associatedData({ userId, asker, action, key }: KeyName): AssociatedData {
  return { table: 'idempotency_keys', column: 'answer', userId, rowId: `${asker} ${action} ${key}` };
}
