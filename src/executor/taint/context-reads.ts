import { hash, randomUUID } from 'node:crypto';
import type { Labels, Source } from '../../actions/shared/labels.ts';
import { UserConcurrency } from '../../concurrency/user-concurrency.ts';
import { type DataKey, open, seal } from '../../crypto/envelope.ts';
import type { Database } from '../../database/database.ts';
import { describeError, type Logger } from '../../observability/logger.ts';
import { boundedMap } from '../../rate-limit/bounded-map.ts';
import { isObject } from '../../validation/is-object.ts';
import { type TextIn, textsIn } from '../../validation/texts-in.ts';
import { ignoreDecryptionFailure } from '../../vault/keys/ignore-decryption-failure.ts';
import type { UserKeys } from '../../vault/keys/user-keys.ts';
import { type ConversationScope, contextOf } from '../call/context-name.ts';
import { passagesIn } from './passages.ts';
import type { Reading } from './taint.ts';
import { type ContextRead, insertRead, selectReads } from './taint-repository.ts';
import { wordHashes } from './word-hashes.ts';

/** Who was read by what, as a question shows it. */
export interface ReadSource extends Pick<Source, 'author' | 'name' | 'time'> {
  action: string;
}

/** With the hashes of what was read, by which its repetition is recognized. */
export interface SourceWithHashes extends ReadSource {
  /** Its id at the provider; undefined: it is unknown. */
  item?: string;
  /** Of its passages. */
  hashes: ReadonlySet<string>;
  /** Of its words, one after the other, but for its name. */
  words: string;
}

/** The row's encrypted part, with the hashes one after the other. */
type Stored = (ReadSource & Partial<Pick<SourceWithHashes, 'item' | 'words'>> & { prints: string })[];

const MAX_READS = 20;
const MAX_SOURCES = 20;
/** Of one read. */
const MAX_HASHES = 4_096;
const MAX_CHARACTERS = 200_000;
const MAX_WORDS = 8_192;
const MAX_WORD_CHARACTERS = 8 * MAX_WORDS;
/** A result that equals one of the last ones of its context is not stored again: their rows are surely there. */
const REPEAT_READS = MAX_READS / 2;
const REPEAT_MS = 5 * 60_000;
const REMEMBERED_CONTEXTS = 2_000;
/** Each has 8 characters ({@link passagesIn}). */
const HASHES = /.{8}/g;

/** Remembers what was read in each context within the last hour, and in a thread as long as it exists: whose text it was, and by what its repetition is recognized. */
export class ContextReads {
  readonly #db: Database;
  readonly #userKeys: UserKeys;
  readonly #logger: Logger;
  /** The hashes of the last results, and when they were stored, by context. */
  readonly #recent = boundedMap<{ result: string; at: number }[]>(REMEMBERED_CONTEXTS);
  /** By context, one after the other. */
  readonly #storing = new UserConcurrency(1);

  constructor(db: Database, userKeys: UserKeys, logger: Logger) {
    this.#db = db;
    this.#userKeys = userKeys;
    this.#logger = logger;
  }

  /** Stores whose text a result contains. The caller need not wait; failures are logged, because the taint itself is stored. */
  record(reading: Reading, output: unknown, { integrity, sources }: Pick<Labels, 'integrity' | 'sources'>): void {
    if (integrity === 'own') return;
    const context = contextKey(reading);
    const at = this.#db.clock.monotonic();
    const result = hash('sha256', JSON.stringify([reading.action, sources, output]), 'base64');
    const recent = (this.#recent.get(context) ?? []).filter((one) => at - one.at < REPEAT_MS);
    if (recent.some((one) => one.result === result)) return;
    this.#recent.set(context, [...recent, { result, at }].slice(-REPEAT_READS));
    const read = hashed(reading, output, sources);
    this.#storing
      .run(context, () => this.#store(reading, read))
      .catch((error: unknown) => {
        this.#recent.delete(context);
        this.#logger.warn({ err: describeError(error) }, 'the sources of a result could not be stored');
      });
  }

  /** What others wrote and was read in a context, newest first. @throws AppError `unavailable` */
  async of(context: ConversationScope): Promise<SourceWithHashes[]> {
    // After what is being stored.
    await this.#storing.run(contextKey(context), async () => {});
    const { userId } = context;
    const rows = await selectReads(this.#db, userId, contextOf(context), MAX_READS);
    // Each with its own key: there is another one since the user's keys were renewed.
    const keyFor = this.#userKeys.forRecords(this.#db, userId);
    const open = (row: ContextRead) => ignoreDecryptionFailure(async () => opened(await keyFor(row.sources), userId, row));
    const reads = await Promise.all(rows.map(open));
    return reads.flatMap((read) => read ?? []);
  }

  async #store(context: ConversationScope, read: Stored): Promise<void> {
    const { userId, thread } = context;
    const id = randomUUID();
    const key = await this.#userKeys.forUser(this.#db, userId);
    const sources = seal(key, associatedData(userId, id), JSON.stringify(read));
    await insertRead(this.#db, { userId, context: contextOf(context), thread, id, sources, kept: MAX_READS });
  }
}

/** Without sources, the whole result is of unknown people. */
function hashed({ action }: Reading, output: unknown, sources: readonly Source[]): Stored {
  const others = sources.filter(({ integrity }) => integrity === 'others').slice(0, MAX_SOURCES);
  const all = textsIn(output);
  if (others.length === 0) return [{ action, prints: hashesIn(all, 1), words: wordsIn(all, 1) }];
  const parts = partsOf(output, new Set(others.map(({ item }) => item)));
  return others.map(({ item, fields, ...about }) => {
    const part = onlyFields(parts.get(item), fields);
    // An item that isn't found is all of the result.
    const texts = part === undefined ? all : textsIn(part);
    const prints = hashesIn(texts, others.length);
    return { ...readSource({ action, ...about }), item, prints, words: wordsIn(texts, others.length, about.name) };
  });
}

/** The hashes of a source's passages, of its beginning. @param count of the sources that share what a read may have */
function hashesIn(texts: readonly TextIn[], count: number): string {
  const found = new Set<string>();
  let left = MAX_CHARACTERS / count;
  for (const { text } of texts) {
    for (const passage of passagesIn(text.slice(0, left))) {
      found.add(passage.hash);
      if (found.size >= MAX_HASHES / count) return [...found].join('');
    }
    left -= text.length;
    if (left <= 0) break;
  }
  return [...found].join('');
}

/** The hashes of a source's words, of its beginning. @param count see {@link hashesIn} @param name not of this */
function wordsIn(texts: readonly TextIn[], count: number, name?: string): string {
  let left = MAX_WORD_CHARACTERS / count;
  const own = texts.flatMap(({ text }) => {
    const part = text === name || left <= 0 ? '' : text.slice(0, left);
    left -= part.length;
    return part === '' ? [] : [part];
  });
  return wordHashes(own, Math.floor(MAX_WORDS / count));
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

function opened(key: DataKey, userId: string, { id, sources }: ContextRead): SourceWithHashes[] {
  const stored: Stored = JSON.parse(open(key, associatedData(userId, id), sources).toString('utf8'));
  return stored.map(({ prints, words = '', ...source }) => ({ ...source, words, hashes: new Set(prints.match(HASHES)) }));
}

/** As a question shows it. */
export function readSource({ action, author, name, time }: ReadSource): ReadSource {
  return { action, ...(author !== undefined && { author }), ...(name !== undefined && { name }), ...(time !== undefined && { time }) };
}

function contextKey(context: ConversationScope): string {
  return `${context.userId} ${contextOf(context)}`;
}

function associatedData(userId: string, rowId: string) {
  return { table: 'context_reads', column: 'sources', userId, rowId };
}
