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

/** A result that a context receives. */
export interface Reading extends Context {
  action: string;
  /** `own`: it contains nothing that others wrote. */
  integrity?: 'own' | undefined;
  provider: string;
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

type Context = Pick<Call, 'userId' | 'client'>;

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
  begin(reading: Reading): Promise<void> | undefined {
    const financial = reading.provider === 'bank';
    if (reading.integrity === 'own' && !financial) return undefined;
    const known = this.#of(reading);
    if (isKnown(known, financial)) return undefined;
    // Shared, so that a locked row holds one connection, whatever the number of calls; not in the user's queue, so that a
    // read does not wait for changes.
    known.tainting ??= this.#taint(reading, known, financial).finally(() => {
      known.tainting = undefined;
    });
    return known.tainting.then(() => this.begin(reading));
  }

  /** Adds the sources of a result to the provenance that questions show. Failures are logged: the taint itself is stored. */
  record(reading: Reading, { sources }: Labels): void {
    const known = this.#of(reading);
    const others = sources.filter(({ integrity }) => integrity === 'others').map((source) => readSource(reading, source));
    const added = others.filter((one) => !known.sources.some((other) => isSame(one, other))).slice(0, MAX_SOURCES);
    if (added.length === 0) return;
    known.sources = [...added, ...known.sources].slice(0, MAX_SOURCES);
    known.isDirty = true;
    if (!known.isStoring) void this.#storeAll(reading, known);
  }

  /** @throws AppError `unavailable` */
  async of(call: Context): Promise<Taint> {
    const { userId } = call;
    const row = await selectContext(this.#db, userId, contextOf(call));
    if (row === undefined || !(row.isTainted || row.isFinancial)) return UNTAINTED;
    const { isTainted, isFinancial: financial, sources: sealed } = row;
    const key = sealed === null ? undefined : await ignoreDecryptionFailure(() => this.#userKeys.toOpen(this.#db, userId, sealed));
    const text = key && sealed && (await ignoreDecryptionFailure(async () => open(key, associatedData(call), sealed).toString('utf8')));
    return { isTainted, isFinancial: financial, sources: text === undefined || text === null ? [] : JSON.parse(text) };
  }

  async #taint(context: Context, known: Known, financial: boolean): Promise<void> {
    const startedAt = performance.now();
    await taintContext(this.#db, context.userId, contextOf(context), financial);
    known.taintedAt = startedAt;
    if (financial) known.financialAt = startedAt;
  }

  /** One statement at a time for each context, so that many reads don't cause as many writes. */
  async #storeAll(context: Context, known: Known): Promise<void> {
    known.isStoring = true;
    try {
      while (known.isDirty) {
        known.isDirty = false;
        await this.#store(context, known.sources);
      }
    } catch (error) {
      this.#logger.warn({ err: describeError(error) }, 'the sources of a result could not be stored');
    } finally {
      known.isStoring = false;
    }
  }

  async #store(context: Context, sources: readonly ReadSource[]): Promise<void> {
    const key = await this.#userKeys.forUser(this.#db, context.userId);
    await storeSources(this.#db, context.userId, contextOf(context), seal(key, associatedData(context), JSON.stringify(sources)));
  }

  #of(context: Context): Known {
    const name = `${context.userId} ${contextOf(context)}`;
    const known = this.#known.get(name) ?? untouched();
    this.#known.set(name, known);
    return known;
  }
}

/** The result of a call. */
export function readingOf({ userId, client, configured }: Call): Reading {
  const { integrity, provider } = configured.action;
  return { userId, client, action: configured.name, integrity, provider };
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
function contextOf({ client }: Context): string {
  return client === undefined ? 'user' : `client:${client.id}`;
}

function readSource({ action }: Reading, { author, name, time }: Source): ReadSource {
  const shown = { ...(author !== undefined && { author }), ...(name !== undefined && { name }), ...(time !== undefined && { time }) };
  return { action, ...shown };
}

function isSame(one: ReadSource, other: ReadSource): boolean {
  return one.action === other.action && one.author === other.author && one.name === other.name;
}

function associatedData(context: Context) {
  return { table: 'contexts', column: 'sources', userId: context.userId, rowId: contextOf(context) };
}
