import { hash } from 'node:crypto';
import type { Source } from '../actions/labels.ts';
import type { Database } from '../database/database.ts';
import type { Call } from './call.ts';
import { contextOf } from './context-name.ts';
import { rememberItems, selectTaintedItems } from './taint-repository.ts';

/** Ids of all providers. */
const ID = /^[\w.@:-]{1,1024}$/;
/** More ids than a call of any action takes. */
const MAX_NAMES = 1_000;

/** Remembers the documents, events and drafts that a context wrote after it had read others' text, because they may repeat it. */
export class WrittenItems {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Remembers what a change writes, for 30 days.
   *
   * @param output undefined: the change is about to be sent
   * @throws AppError `unavailable`
   */
  async remember(call: Call, output: unknown): Promise<void> {
    const { userId, configured, input } = call;
    const items = configured.action.writes?.(input, output) ?? [];
    if (items.length > 0) await rememberItems(this.#db, userId, contextOf(call), { items: items.map(hashOf), of: hashesIn(input) });
  }

  /**
   * Whether the arguments of a call name something that a tainted context wrote: a draft, a file. The call may belong to
   * another context, or come later.
   *
   * @throws AppError `unavailable`
   */
  async isNamedIn({ userId, account, input }: Call): Promise<boolean> {
    const hashes = account.hasTaintedItems ? hashesIn(input) : [];
    return hashes.length > 0 && (await selectTaintedItems(this.#db, userId, hashes)).length > 0;
  }

  /**
   * The sources of a result, of which those are others' that a tainted context wrote.
   *
   * @throws AppError `unavailable`
   */
  async mark({ userId, account }: Call, sources: readonly Source[]): Promise<readonly Source[]> {
    const own = account.hasTaintedItems ? sources.filter(({ integrity }) => integrity === 'own') : [];
    if (own.length === 0) return sources;
    const hashes = own.flatMap(({ item }) => namesOf(item).map(hashOf));
    const written = new Set((await selectTaintedItems(this.#db, userId, hashes)).map((item) => item.toString('hex')));
    const isWritten = ({ item }: Source) => namesOf(item).some((name) => written.has(hashOf(name).toString('hex')));
    return sources.map((source) => (isWritten(source) ? { ...source, integrity: 'others' } : source));
  }
}

/** Hashes of the texts in arguments that may be ids. */
function hashesIn(input: unknown): Buffer[] {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (names.size >= MAX_NAMES) return;
    if (typeof value === 'string') for (const name of ID.test(value) ? namesOf(value) : []) names.add(name);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  visit(input);
  return [...names].map(hashOf);
}

/** An event of a series has the series' id and a time (Calendar API v3, `events.instances`). */
function namesOf(item: string): string[] {
  const end = item.lastIndexOf('_');
  return end > 0 ? [item, item.slice(0, end)] : [item];
}

function hashOf(item: string): Buffer {
  return hash('sha256', item, 'buffer');
}
