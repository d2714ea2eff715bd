import type { Clock } from '../../clock/clock.ts';
import { pollUntil } from '../../clock/poll-until.ts';
import { type AssociatedData, type DataKey, open, seal } from '../../crypto/envelope.ts';
import type { Database } from '../../database/database.ts';
import { AppError, asAppError, type ErrorCode } from '../../errors.ts';
import type { UserKeys } from '../../vault/keys/user-keys.ts';
import type { Storing } from '../audit/storing.ts';
import type { Call, CallResult } from '../call/call.ts';
import type { ConversationScope as Reader } from '../call/context-name.ts';
import { unknownOutcome } from '../idempotency/idempotency.ts';
import type { ContextReads } from '../taint/context-reads.ts';
import { type Reading, readingOf, type Taints } from '../taint/taint.ts';
import { approvedAlready, noSuchApproval } from './approval-checks.ts';
import { type OutcomeRow, receiveOutcome, selectOutcome, selectUnreceived, storeOutcome } from './approval-outcomes-repository.ts';
import { type ApprovalRow, type ApprovalSubject, isApprovalId } from './approvals-repository.ts';

/** How an approval ended, as the caller that asked may read it. */
export interface ApprovalOutcome {
  status: 'pending' | 'denied' | 'expired' | 'ended' | 'running' | 'done' | 'failed';
  /** The user changed the arguments before approving. */
  edited?: true;
  /** If done: what the call returned. */
  result?: CallResult;
  /** If failed. */
  error?: { code: ErrorCode; message: string };
}

/** How long a caller waits for the end of the call. */
export interface OutcomeWait {
  limitMs: number;
  /** Also for the user's decision. */
  forDecision?: boolean;
  /** Ends the wait. */
  signal?: AbortSignal;
}

const POLL_MS = 500;

/** Looks at an outcome until the call has ended. @returns what was seen last */
export function awaitOutcome(
  clock: Clock,
  look: () => Promise<ApprovalOutcome>,
  { forDecision = false, ...limits }: OutcomeWait,
): Promise<ApprovalOutcome> {
  const isEnd = ({ status }: ApprovalOutcome) => status !== 'running' && !(forDecision && status === 'pending');
  return pollUntil(clock, look, isEnd, { everyMs: POLL_MS, ...limits });
}

/** The encrypted part of the row. Who reads it reads what the run has read. */
interface StoredOutcome extends Pick<ApprovalOutcome, 'result' | 'error'>, Pick<Reading, 'integrity' | 'provider'> {}

/** What a caller receives about a call that ran with other arguments than its own. */
export const EDITED = 'The user changed the arguments before approving.';

/** What remembers that a result was read. */
interface Contexts {
  taints: Taints;
  reads: ContextReads;
}

/**
 * The outcomes of approved calls, kept in the approval's row for the caller that asked. Idempotency keys would not do:
 * they are chosen by callers, released when a run fails, and ignored by reads.
 */
export class ApprovalOutcomes {
  readonly #db: Database;
  readonly #userKeys: UserKeys;
  readonly #contexts: Contexts;

  constructor(db: Database, userKeys: UserKeys, contexts: Contexts) {
    this.#db = db;
    this.#userKeys = userKeys;
    this.#contexts = contexts;
  }

  /** Runs an approved call and stores its result or its error, before either is returned. */
  async record(approval: ApprovalRow, call: Call, storing: Storing, run: () => Promise<CallResult>): Promise<CallResult> {
    const { provider } = call.configured.action;
    const result = await run().catch(async (thrown: unknown) => {
      const { code, message } = asAppError(thrown);
      // Errors name files, tabs and labels, whatever the action's results contain.
      await this.#store(approval, { error: { code, message }, provider }, storing);
      throw thrown;
    });
    const { integrity } = readingOf(call, result.meta.labels);
    await this.#store(approval, { result, integrity, provider }, storing);
    return result;
  }

  /**
   * What an equal call that the user has approved gave, until its client or thread has learnt that, and if it has by repeating the
   * call, for two minutes more: a model that learns of the approval calls again, and must not send twice what was approved
   * once.
   *
   * @throws AppError `conflict` while it is running; the error with which it ended
   */
  async undelivered(call: Call, subject: ApprovalSubject): Promise<CallResult | undefined> {
    const found = await selectUnreceived(this.#db, subject);
    if (found === undefined) return undefined;
    if (!found.isEnded) throw approvedAlready(found.id);
    const { result, error, edited } = await this.#read(call, found.id, true);
    if (error !== undefined) throw new AppError(error.code, edited ? `${error.message} ${EDITED}` : error.message);
    return result;
  }

  /**
   * How an approval ended. It taints the reader's context like the call itself.
   *
   * @throws AppError `not_found`, also for the approval of another client, thread or user, and once the outcome is not kept any
   * more; `internal` when it can't be decrypted
   */
  read(reader: Reader, approvalId: string): Promise<ApprovalOutcome> {
    return this.#read(reader, approvalId, false);
  }

  async #read(reader: Reader, approvalId: string, isRepeat: boolean): Promise<ApprovalOutcome> {
    const asker = { userId: reader.userId, clientId: reader.client?.id ?? null, threadId: reader.thread ?? null };
    const row = isApprovalId(approvalId) ? await selectOutcome(this.#db, asker, approvalId) : undefined;
    if (row === undefined) throw noSuchApproval();
    const { status, result, error } = await this.#open(reader, approvalId, row);
    if (result !== undefined || error !== undefined) await receiveOutcome(this.#db, reader.userId, approvalId, isRepeat);
    return { status, ...(row.edited && { edited: true }), ...(result && { result }), ...(error && { error }) };
  }

  async #open(reader: Reader, id: string, { state, action, accountId, outcome }: OutcomeRow): Promise<ApprovalOutcome> {
    if (state === 'lost') {
      const { code, message } = unknownOutcome();
      return { status: 'failed', error: { code, message } };
    }
    if (state !== 'stored' || outcome === null) return { status: state as ApprovalOutcome['status'] };
    const key = await this.#userKeys.toOpen(this.#db, reader.userId, outcome);
    const { result, error, ...source } = openOutcome(key, { userId: reader.userId, id }, outcome);
    const reading = { ...reader, action, accountId, ...source, isFinancial: result?.meta.labels?.confidentiality === 'financial' };
    await this.#contexts.taints.begin(reading);
    if (result?.meta.labels !== undefined) this.#contexts.reads.record(reading, result.data, result.meta.labels);
    return result === undefined ? { status: 'failed', ...(error && { error }) } : { status: 'done', result };
  }

  /** A failed write must not hide the outcome from the user who approved; it then counts as lost. */
  async #store({ id, userId }: ApprovalRow, outcome: StoredOutcome, storing: Storing): Promise<void> {
    await storing.store('the outcome of an approved call could not be stored', async () => {
      const key = await this.#userKeys.forUser(this.#db, userId);
      await storeOutcome(this.#db, userId, id, seal(key, associatedData({ userId, id }), JSON.stringify(outcome)));
    });
  }
}

/** Decrypts a stored outcome. @throws AppError `internal` when it can't be decrypted */
export function openOutcome(key: DataKey, of: Pick<ApprovalRow, 'id' | 'userId'>, sealed: Buffer): StoredOutcome {
  return JSON.parse(open(key, associatedData(of), sealed).toString('utf8')) as StoredOutcome;
}

function associatedData({ id, userId }: Pick<ApprovalRow, 'id' | 'userId'>): AssociatedData {
  return { table: 'approvals', column: 'outcome', userId, rowId: id };
}
