import { type Labels, type Taint, UNTAINTED } from '../../actions/shared/labels.ts';
import { SingleFlight } from '../../concurrency/single-flight.ts';
import type { Database } from '../../database/database.ts';
import { AppError } from '../../errors.ts';
import { boundedMap } from '../../rate-limit/bounded-map.ts';
import type { Call } from '../call/call.ts';
import { type ConversationScope, contextOf } from '../call/context-name.ts';
import { selectContext, selectThreadContext, taintContext, taintThread } from './taint-repository.ts';

/** A result that a context receives. */
export interface Reading extends ConversationScope {
  action: string;
  /** `own`: it contains nothing that others wrote. */
  integrity?: 'own' | undefined;
  provider: string;
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
}

/** Remembers in Postgres which contexts have read others' text, so that no restart and no other replica loses it. */
export class Taints {
  readonly #db: Database;
  readonly #known = boundedMap<Known>(KEPT_CONTEXTS);
  /**
   * Statements in progress, shared by the calls of a context, so that a locked row holds one connection; not in the user's
   * queue, so that a read does not wait for changes.
   */
  readonly #tainting = new SingleFlight<void>();

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Taints the context of a call that may return others' text. Awaited before anything is sent, since the caller may
   * receive parts of a result whose call fails.
   *
   * @throws AppError `unavailable`; `aborted` in a thread that was deleted
   */
  begin(reading: Reading): Promise<void> | undefined {
    const financial = reading.provider === 'bank' || reading.isFinancial === true;
    if (reading.integrity === 'own' && !financial) return undefined;
    const { thread } = reading;
    // Each time: a new thread may have the name of a deleted one, of which other replicas know.
    if (thread !== undefined) return this.#taintThread(reading, thread, financial);
    const known = this.#of(reading);
    if (isKnown(known, financial, this.#db.clock.monotonic())) return undefined;
    return this.#tainting.run(keyOf(reading), () => this.#taint(reading, known, financial)).then(() => this.begin(reading));
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
    const stored = (await selectContext(this.#db, userId, name)) ?? UNTAINTED;
    const known = this.#of(context);
    const since = this.#db.clock.monotonic() - TAINTED_MS;
    const isTainted = stored.isTainted || known.taintedAt > since;
    const isFinancial = stored.isFinancial || known.financialAt > since;
    if (isTainted !== stored.isTainted || isFinancial !== stored.isFinancial) await taintContext(this.#db, userId, name, isFinancial);
    return { isTainted, isFinancial };
  }

  async #taintThread(context: ConversationScope, id: string, financial: boolean): Promise<void> {
    const exists = await taintThread(this.#db, context.userId, { id, name: contextOf(context) }, financial);
    if (!exists) throw threadDeleted();
  }

  async #taint(context: ConversationScope, known: Known, financial: boolean): Promise<void> {
    const startedAt = this.#db.clock.monotonic();
    await taintContext(this.#db, context.userId, contextOf(context), financial);
    known.taintedAt = startedAt;
    if (financial) known.financialAt = startedAt;
  }

  #of(context: ConversationScope): Known {
    const name = keyOf(context);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const unknown = { taintedAt: NEVER, financialAt: NEVER };
    this.#known.set(name, unknown);
    return unknown;
  }
}

/** A reading of what repeats something with these labels. */
export function repeating(reading: Reading, { isTainted, isFinancial }: Taint): Reading {
  return { ...reading, integrity: isTainted ? undefined : (reading.integrity ?? 'own'), isFinancial };
}

/** The result of a call. @param labels of a result that is there: others' text may be in one of an action without any */
export function readingOf({ userId, client, thread, configured }: Call, labels?: Labels): Reading {
  const { integrity: declared, provider } = configured.action;
  const integrity = labels?.integrity === 'others' ? undefined : declared;
  return { userId, client, thread, action: configured.name, integrity, provider, isFinancial: labels?.confidentiality === 'financial' };
}

function keyOf(context: ConversationScope): string {
  return `${context.userId} ${contextOf(context)}`;
}

function isKnown({ taintedAt, financialAt }: Known, financial: boolean, now: number): boolean {
  const since = now - REPEAT_MS;
  return taintedAt > since && (!financial || financialAt > since);
}

/** Its messages, and with them the record of what was read, are gone: its calls must not go on as if nothing had been. */
export function threadDeleted(): AppError {
  return new AppError('aborted', 'The conversation was deleted.');
}
