import type { Labels, Taint } from '../../actions/shared/labels.ts';
import { SingleFlight } from '../../concurrency/single-flight.ts';
import type { Database } from '../../database/database.ts';
import { CONCURRENT_BATCHES, StatementBatcher } from '../../database/statement-batcher.ts';
import { AppError } from '../../errors.ts';
import { boundedMap } from '../../rate-limit/bounded-map.ts';
import type { Call } from '../call/call.ts';
import { type ConversationScope, contextOf } from '../call/context-name.ts';
import {
  type ContextName,
  type ContextRow,
  selectContexts,
  selectReadElsewhere,
  selectThreadContext,
  taintContext,
  taintThread,
} from './taint-repository.ts';

/** A result that a context receives. */
export interface Reading extends ConversationScope {
  action: string;
  /** `own`: it contains nothing that others wrote. */
  integrity?: 'own' | undefined;
  provider: string;
  /** Whose data it is. */
  accountId: string;
  /** It contains data of a bank, whatever its provider. */
  isFinancial?: boolean | undefined;
}

/** A process repeats the statement this often: the row holds for longer by as much. */
const REPEAT_MS = 5 * 60_000;
/** As long as the row holds. */
const TAINTED_MS = 65 * 60_000;
const KEPT_CONTEXTS = 10_000;
const NEVER = Number.NEGATIVE_INFINITY;

interface Known {
  taintedAt: number;
  financialAt: number;
  /** When each account's data was read, by its id. */
  readAt: Map<string, number>;
}

/** Remembers in Postgres what contexts have read: others' text, a bank's data, whose data. No restart and no other replica loses it. */
export class Taints {
  readonly #db: Database;
  readonly #known = boundedMap<Known>(KEPT_CONTEXTS);
  /**
   * Statements in progress, shared by the calls of a context, so that a locked row holds one connection; not in the user's
   * queue, so that a read does not wait for changes.
   */
  readonly #tainting = new SingleFlight<void>();
  readonly #stored: StatementBatcher<ContextName, ContextRow>;
  readonly #elsewhere: StatementBatcher<ContextName & { accountId: string }, boolean>;

  constructor(db: Database) {
    this.#db = db;
    this.#stored = new StatementBatcher((asked) => selectContexts(db, asked), CONCURRENT_BATCHES);
    this.#elsewhere = new StatementBatcher((asked) => selectReadElsewhere(db, asked), CONCURRENT_BATCHES);
  }

  /**
   * Remembers that the context of a call reads its account, and maybe others' text. Awaited before anything is sent, since the caller
   * may receive parts of a result whose call fails.
   *
   * @throws AppError `unavailable`; `aborted` in a thread that was deleted
   */
  begin(reading: Reading): Promise<void> | undefined {
    const { thread } = reading;
    // Each time: a new thread may have the name of a deleted one, of which other replicas know.
    if (thread !== undefined) return this.#taintThread(reading, thread);
    const known = this.#of(reading);
    if (isKnown(known, reading, this.#db.clock.monotonic())) return undefined;
    return this.#tainting.run(keyOf(reading), () => this.#taint(reading, known)).then(() => this.begin(reading));
  }

  /**
   * Taints the context of a call that failed: errors name files, tabs and labels, whatever the action's results contain.
   *
   * @param isFinancial they repeat data of a bank
   * @throws AppError `unavailable`
   */
  async failed(call: Call, isFinancial: boolean): Promise<void> {
    await this.begin({ ...readingOf(call), integrity: undefined, isFinancial });
  }

  /**
   * What was read in a context. What this process knows of one that isn't a thread's counts, too, and is stored again if its row
   * is lost.
   *
   * @throws AppError `unavailable`; `aborted` in a thread that was deleted
   */
  async of(context: ConversationScope): Promise<Taint> {
    const { userId, thread } = context;
    const name = contextOf(context);
    if (thread !== undefined) {
      return (await selectThreadContext(this.#db, userId, { id: thread, name })) ?? Promise.reject(threadDeleted());
    }
    const stored = await this.#stored.add({ userId, name });
    const known = this.#of(context);
    const since = this.#db.clock.monotonic() - TAINTED_MS;
    const isTainted = stored.isTainted || known.taintedAt > since;
    const isFinancial = stored.isFinancial || known.financialAt > since;
    if (isTainted !== stored.isTainted || isFinancial !== stored.isFinancial) {
      const accountIds = [...known.readAt].flatMap(([id, at]) => (at > since ? [id] : []));
      await taintContext(this.#db, userId, name, { isTainted, isFinancial, accountIds });
    }
    return { isTainted, isFinancial };
  }

  /**
   * Whether a context has read anything that an account doesn't hold. What was read before accounts were remembered counts.
   *
   * @throws AppError `unavailable`
   */
  async hasReadElsewhere(context: ConversationScope, accountId: string): Promise<boolean> {
    if (await this.#elsewhere.add({ userId: context.userId, name: contextOf(context), accountId })) return true;
    if (context.thread !== undefined) return false;
    const since = this.#db.clock.monotonic() - TAINTED_MS;
    return [...this.#of(context).readAt].some(([id, at]) => id !== accountId && at > since);
  }

  async #taintThread(reading: Reading, id: string): Promise<void> {
    const name = contextOf(reading);
    if (!(await taintThread(this.#db, reading.userId, { id, name }, readOf(reading)))) throw threadDeleted();
  }

  async #taint(reading: Reading, known: Known): Promise<void> {
    const startedAt = this.#db.clock.monotonic();
    const read = readOf(reading);
    await taintContext(this.#db, reading.userId, contextOf(reading), read);
    if (read.isTainted) known.taintedAt = startedAt;
    if (read.isFinancial) known.financialAt = startedAt;
    known.readAt.set(reading.accountId, startedAt);
  }

  #of(context: ConversationScope): Known {
    const name = keyOf(context);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const unknown = { taintedAt: NEVER, financialAt: NEVER, readAt: new Map() };
    this.#known.set(name, unknown);
    return unknown;
  }
}

/** A reading of what repeats something with these labels. */
export function repeating(reading: Reading, { isTainted, isFinancial }: Taint): Reading {
  return { ...reading, integrity: isTainted ? undefined : (reading.integrity ?? 'own'), isFinancial };
}

/** The result of a call. @param labels of a result that is there: others' text may be in one of an action without any */
export function readingOf({ userId, client, thread, configured, account }: Call, labels?: Labels): Reading {
  const { integrity: declared, provider } = configured.action;
  const integrity = labels?.integrity === 'others' ? undefined : declared;
  const isFinancial = labels?.confidentiality === 'financial';
  return { userId, client, thread, action: configured.name, integrity, provider, accountId: account.id, isFinancial };
}

/** What a reading adds to its context. */
function readOf({ integrity, provider, isFinancial = false, accountId }: Reading): ContextRow & { accountIds: string[] } {
  const isOfBank = provider === 'bank' || isFinancial;
  return { isTainted: integrity !== 'own' || isOfBank, isFinancial: isOfBank, accountIds: [accountId] };
}

function keyOf(context: ConversationScope): string {
  return `${context.userId} ${contextOf(context)}`;
}

function isKnown({ taintedAt, financialAt, readAt }: Known, reading: Reading, now: number): boolean {
  const since = now - REPEAT_MS;
  const { isTainted, isFinancial } = readOf(reading);
  const isRead = (readAt.get(reading.accountId) ?? NEVER) > since;
  return isRead && (!isTainted || taintedAt > since) && (!isFinancial || financialAt > since);
}

/** Its messages, and with them the record of what was read, are gone: its calls must not go on as if nothing had been. */
export function threadDeleted(): AppError {
  return new AppError('aborted', 'The conversation was deleted.');
}
