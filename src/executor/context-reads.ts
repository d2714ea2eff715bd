import { hash, randomUUID } from 'node:crypto';
import type { Labels, Source } from '../actions/labels.ts';
import { type DataKey, open, seal } from '../crypto/envelope.ts';
import type { Database } from '../database/database.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import { boundedMap } from '../rate-limit/bounded-map.ts';
import { isObject } from '../validation/is-object.ts';
import { textsIn } from '../validation/texts-in.ts';
import { ignoreDecryptionFailure } from '../vault/ignore-decryption-failure.ts';
import type { UserKeys } from '../vault/user-keys.ts';
import { type Context, contextOf } from './context-name.ts';
import { fingerprintsOf } from './fingerprints.ts';
import type { Reading } from './taint.ts';
import { type ContextRead, insertRead, selectReads } from './taint-repository.ts';

/** Who was read by what, as a question shows it. */
export interface ReadSource extends Pick<Source, 'author' | 'name' | 'time'> {
  action: string;
}

/** With the fingerprints of what was read, by which its repetition is recognized. */
export interface FingerprintedSource extends ReadSource {
  fingerprints: Buffer;
}

/** The row's encrypted part. */
type Stored = (ReadSource & { prints: string })[];

const MAX_READS = 20;
const MAX_SOURCES = 20;
/** Fingerprints of one read: of about 35,000 characters. */
const MAX_FINGERPRINTS = 4_096;
/** Equal results are stored once, as long as a process remembers them and their row is surely there. */
const REMEMBERED_READS = 5_000;
const REPEAT_MS = 5 * 60_000;
const REPEAT_READS = MAX_READS / 2;

/** Remembers what was read in each context within the last hour, and in a thread as long as it exists: whose text it was, and by what its repetition is recognized. */
export class ContextReads {
  readonly #db: Database;
  readonly #userKeys: UserKeys;
  readonly #logger: Logger;
  /** The hash of a result's fingerprints, by its own. */
  readonly #keys = boundedMap<string>(REMEMBERED_READS);
  /** When a result was stored, by the hash of its fingerprints, and as which of its context. */
  readonly #stored = boundedMap<{ at: number; place: number }>(REMEMBERED_READS);
  /** How many were stored, by context. */
  readonly #places = boundedMap<number>(REMEMBERED_READS);
  /** By context. */
  readonly #storing = new Map<string, Promise<void>>();

  constructor(db: Database, userKeys: UserKeys, logger: Logger) {
    this.#db = db;
    this.#userKeys = userKeys;
    this.#logger = logger;
  }

  /** Stores whose text a result contains. The caller need not wait; failures are logged, because the taint itself is stored. */
  record(reading: Reading, output: unknown, { integrity, sources }: Pick<Labels, 'integrity' | 'sources'>): void {
    if (integrity === 'own') return;
    const context = contextKey(reading);
    // What is read again and again has its fingerprints computed once.
    const result = hash('sha256', `${context} ${JSON.stringify([reading.action, sources, output])}`, 'base64');
    const known = this.#keys.get(result);
    const at = this.#db.clock.monotonic();
    const place = this.#places.get(context) ?? 0;
    if (known !== undefined && this.#isStored(known, at, place)) return;
    const read = fingerprinted(reading, output, sources);
    const key = hash('sha256', `${context} ${JSON.stringify(read)}`, 'base64');
    this.#keys.set(result, key);
    if (this.#isStored(key, at, place)) return;
    this.#places.set(context, place + 1);
    this.#stored.set(key, { at, place });
    const storing = (this.#storing.get(context) ?? Promise.resolve())
      .then(() => this.#store(reading, read))
      .catch((error: unknown) => {
        this.#stored.delete(key);
        this.#logger.warn({ err: describeError(error) }, 'the sources of a result could not be stored');
      })
      .finally(() => {
        if (this.#storing.get(context) === storing) this.#storing.delete(context);
      });
    this.#storing.set(context, storing);
  }

  /** What others wrote and was read in a context, newest first. @throws AppError `unavailable` */
  async of(context: Context): Promise<FingerprintedSource[]> {
    await this.#storing.get(contextKey(context));
    const { userId } = context;
    const rows = await selectReads(this.#db, userId, contextOf(context), MAX_READS);
    // Each with its own key: there is another one since the user's keys were renewed.
    const keyFor = this.#userKeys.forRecords(this.#db, userId);
    const open = (row: ContextRead) => ignoreDecryptionFailure(async () => opened(await keyFor(row.sources), userId, row));
    const reads = await Promise.all(rows.map(open));
    return reads.flatMap((read) => read ?? []);
  }

  #isStored(key: string, at: number, place: number): boolean {
    const stored = this.#stored.get(key);
    return stored !== undefined && at - stored.at < REPEAT_MS && place - stored.place < REPEAT_READS;
  }

  async #store(context: Context, read: Stored): Promise<void> {
    const { userId, thread } = context;
    const id = randomUUID();
    const key = await this.#userKeys.forUser(this.#db, userId);
    const sources = seal(key, associatedData(userId, id), JSON.stringify(read));
    await insertRead(this.#db, { userId, context: contextOf(context), thread, id, sources, kept: MAX_READS });
  }
}

/** Without sources, the whole result is of unknown people. */
function fingerprinted({ action }: Reading, output: unknown, sources: readonly Source[]): Stored {
  const others = sources.filter(({ integrity }) => integrity === 'others').slice(0, MAX_SOURCES);
  if (others.length === 0) return [{ action, prints: printsOf(textsIn(output), MAX_FINGERPRINTS) }];
  const parts = partsOf(output, new Set(others.map(({ item }) => item)));
  const most = Math.ceil(MAX_FINGERPRINTS / others.length);
  return others.map(({ item, author, name, time, fields }) => {
    const about = { ...(author !== undefined && { author }), ...(name !== undefined && { name }), ...(time !== undefined && { time }) };
    // An item that isn't found is all of the result.
    return { action, ...about, prints: printsOf(textsIn(onlyFields(parts.get(item), fields) ?? output), most) };
  });
}

function printsOf(texts: readonly string[], max: number): string {
  return fingerprintsOf(texts, max).toString('base64');
}

/** The parts of a result that are items, by their ids. */
function partsOf(output: unknown, items: ReadonlySet<string>): Map<string, unknown> {
  const found = new Map<string, unknown>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value)) {
      if (typeof value.id === 'string' && items.has(value.id)) found.set(value.id, value);
      else Object.values(value).forEach(visit);
    }
  };
  visit(output);
  return found;
}

/** What others wrote of an item. */
function onlyFields(part: unknown, fields: Source['fields']): unknown {
  return fields === undefined || !isObject(part) ? part : fields.map((field) => part[field]);
}

function opened(key: DataKey, userId: string, { id, sources }: ContextRead): FingerprintedSource[] {
  const stored: Stored = JSON.parse(open(key, associatedData(userId, id), sources).toString('utf8'));
  return stored.map(({ prints, ...source }) => ({ ...source, fingerprints: Buffer.from(prints, 'base64') }));
}

function contextKey(context: Context): string {
  return `${context.userId} ${contextOf(context)}`;
}

function associatedData(userId: string, rowId: string) {
  return { table: 'context_reads', column: 'sources', userId, rowId };
}
