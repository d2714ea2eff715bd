import type { Labels, Source } from '../actions/labels.ts';
import { open, seal } from '../crypto/envelope.ts';
import type { Database } from '../database/database.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import { boundedMap } from '../rate-limit/bounded-map.ts';
import { ignoreDecryptionFailure } from '../vault/ignore-decryption-failure.ts';
import type { UserKeys } from '../vault/user-keys.ts';
import type { Call } from './call.ts';
import { selectContext, storeSources, taintContext } from './taint-repository.ts';

/** Who was read by what, as a question shows it. */
export interface ReadSource extends Pick<Source, 'author' | 'name' | 'time'> {
  action: string;
}

/** What was read in a call's context within the last hour. */
export interface Taint {
  /** Text of others. */
  isTainted: boolean;
  /** Data of a bank. */
  isFinancial: boolean;
  /** The last ones, newest first; some may be missing. */
  sources: readonly ReadSource[];
}

const UNTAINTED: Taint = { isTainted: false, isFinancial: false, sources: [] };
/** A process repeats the statement this often: the row holds for longer by as much. */
const REPEAT_MS = 5 * 60_000;
const KEPT_CONTEXTS = 10_000;
const MAX_SOURCES = 20;

interface Known {
  taintedAt: number;
  financialAt: number;
  /** The statement that is under way. */
  tainting: Promise<void> | undefined;
  sources: ReadSource[];
  /** Sources were added since they were stored. */
  isDirty: boolean;
  isStoring: boolean;
}

/** Remembers in Postgres what each context has read, so that no restart and no other replica loses it. */
export class Taints {
  readonly #db: Database;
  readonly #userKeys: UserKeys;
  readonly #logger: Logger;
  readonly #known = boundedMap<Known>(KEPT_CONTEXTS);

  constructor(db: Database, userKeys: UserKeys, logger: Logger) {
    this.#db = db;
    this.#userKeys = userKeys;
    this.#logger = logger;
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

  /** Adds the sources of a result to the provenance that questions show. Failures are logged: the taint itself is stored. */
  record(call: Call, { sources }: Labels): void {
    const known = this.#of(call);
    const others = sources.filter(({ integrity }) => integrity === 'others').map((source) => readSource(call, source));
    const added = others.filter((one) => !known.sources.some((other) => isSame(one, other))).slice(0, MAX_SOURCES);
    if (added.length === 0) return;
    known.sources = [...added, ...known.sources].slice(0, MAX_SOURCES);
    known.isDirty = true;
    if (!known.isStoring) void this.#storeAll(call, known);
  }

  /** @throws AppError `unavailable` */
  async of(call: Call): Promise<Taint> {
    const { userId } = call;
    const row = await selectContext(this.#db, userId, contextOf(call));
    if (row === undefined || !(row.isTainted || row.isFinancial)) return UNTAINTED;
    const { isTainted, isFinancial: financial, sources: sealed } = row;
    const key = sealed === null ? undefined : await ignoreDecryptionFailure(() => this.#userKeys.toOpen(this.#db, userId, sealed));
    const text = key && sealed && (await ignoreDecryptionFailure(async () => open(key, associatedData(call), sealed).toString('utf8')));
    return { isTainted, isFinancial: financial, sources: text === undefined || text === null ? [] : JSON.parse(text) };
  }

  async #taint(call: Call, known: Known, financial: boolean): Promise<void> {
    const startedAt = performance.now();
    await taintContext(this.#db, call.userId, contextOf(call), financial);
    known.taintedAt = startedAt;
    if (financial) known.financialAt = startedAt;
  }

  /** One statement at a time for each context, so that many reads don't cause as many writes. */
  async #storeAll(call: Call, known: Known): Promise<void> {
    known.isStoring = true;
    try {
      while (known.isDirty) {
        known.isDirty = false;
        await this.#store(call, known.sources);
      }
    } catch (error) {
      this.#logger.warn({ err: describeError(error) }, 'the sources of a result could not be stored');
    } finally {
      known.isStoring = false;
    }
  }

  async #store(call: Call, sources: readonly ReadSource[]): Promise<void> {
    const key = await this.#userKeys.forUser(this.#db, call.userId);
    await storeSources(this.#db, call.userId, contextOf(call), seal(key, associatedData(call), JSON.stringify(sources)));
  }

  #of(call: Call): Known {
    const name = `${call.userId} ${contextOf(call)}`;
    const known = this.#known.get(name) ?? untouched();
    this.#known.set(name, known);
    return known;
  }
}

function untouched(): Known {
  const never = Number.NEGATIVE_INFINITY;
  return { taintedAt: never, financialAt: never, tainting: undefined, sources: [], isDirty: false, isStoring: false };
}

function isKnown({ taintedAt, financialAt }: Known, financial: boolean): boolean {
  const since = performance.now() - REPEAT_MS;
  return taintedAt > since && (!financial || financialAt > since);
}

/** The caller can't name its context: the user's own sockets share one, and each client has its own. */
function contextOf({ client }: Pick<Call, 'client'>): string {
  return client === undefined ? 'user' : `client:${client.id}`;
}

function isBank({ configured }: Call): boolean {
  return configured.action.provider === 'bank';
}

function readSource({ configured }: Call, { author, name, time }: Source): ReadSource {
  const shown = { ...(author !== undefined && { author }), ...(name !== undefined && { name }), ...(time !== undefined && { time }) };
  return { action: configured.name, ...shown };
}

function isSame(one: ReadSource, other: ReadSource): boolean {
  return one.action === other.action && one.author === other.author && one.name === other.name;
}

function associatedData(call: Pick<Call, 'userId' | 'client'>) {
  return { table: 'contexts', column: 'sources', userId: call.userId, rowId: contextOf(call) };
}
