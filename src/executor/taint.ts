import type { Database } from '../database/database.ts';
import { boundedMap } from '../rate-limit/bounded-map.ts';
import type { Call } from './call.ts';
import { contextOf } from './context-name.ts';
import { selectContext, taintContext } from './taint-repository.ts';

/** What was read in a call's context within the last hour. */
export interface Taint {
  /** Text of others. */
  isTainted: boolean;
  /** Data of a bank. */
  isFinancial: boolean;
}

const UNTAINTED: Taint = { isTainted: false, isFinancial: false };
/** A process repeats the statement this often: the row holds for longer by as much. */
const REPEAT_MS = 5 * 60_000;
const KEPT_CONTEXTS = 10_000;

interface Known {
  taintedAt: number;
  financialAt: number;
  /** The statement that is under way. */
  tainting: Promise<void> | undefined;
}

/** Remembers in Postgres which contexts have read others' text, so that no restart and no other replica loses it. */
export class Taints {
  readonly #db: Database;
  readonly #known = boundedMap<Known>(KEPT_CONTEXTS);

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Taints the context of a call that may return others' text. Awaited before anything is sent, since the caller may
   * receive parts of a result whose call fails.
   *
   * @throws AppError `unavailable`
   */
  begin(call: Call): Promise<void> | undefined {
    const financial = isBank(call);
    if (call.configured.action.integrity === 'own' && !financial) return undefined;
    const known = this.#of(call);
    if (isKnown(known, financial)) return undefined;
    // Shared, so that a locked row holds one connection, whatever the number of calls; not in the user's queue, so that a
    // read does not wait for changes.
    known.tainting ??= this.#taint(call, known, financial).finally(() => {
      known.tainting = undefined;
    });
    return known.tainting.then(() => this.begin(call));
  }

  /** @throws AppError `unavailable` */
  async of(call: Call): Promise<Taint> {
    return (await selectContext(this.#db, call.userId, contextOf(call))) ?? UNTAINTED;
  }

  async #taint(call: Call, known: Known, financial: boolean): Promise<void> {
    const startedAt = performance.now();
    await taintContext(this.#db, call.userId, contextOf(call), financial);
    known.taintedAt = startedAt;
    if (financial) known.financialAt = startedAt;
  }

  #of(call: Call): Known {
    const name = `${call.userId} ${contextOf(call)}`;
    const never = Number.NEGATIVE_INFINITY;
    const known = this.#known.get(name) ?? { taintedAt: never, financialAt: never, tainting: undefined };
    this.#known.set(name, known);
    return known;
  }
}

function isKnown({ taintedAt, financialAt }: Known, financial: boolean): boolean {
  const since = performance.now() - REPEAT_MS;
  return taintedAt > since && (!financial || financialAt > since);
}

function isBank({ configured }: Call): boolean {
  return configured.action.provider === 'bank';
}
