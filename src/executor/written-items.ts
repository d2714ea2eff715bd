import { hash } from 'node:crypto';
import type { Source } from '../actions/labels.ts';
import type { Database } from '../database/database.ts';
import type { Call } from './call.ts';
import { itemsOf } from './call-items.ts';
import { contextOf } from './context-name.ts';
import { rememberItems, selectTaintedItems } from './taint-repository.ts';

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
    if (items.length === 0) return;
    const of = hashesOf(itemsOf(call, undefined) ?? []);
    await rememberItems(this.#db, userId, contextOf(call), { items: items.map(hashOf), of });
  }

  /**
   * Whether the arguments of a call name something that a tainted context wrote: a draft, a file. The call may belong to
   * another context, or come later.
   *
   * @throws AppError `unavailable`
   */
  async isNamedIn(call: Call): Promise<boolean> {
    const { userId, account } = call;
    if (!account.hasTaintedItems) return false;
    const items = itemsOf(call, undefined);
    return items === undefined || (await selectTaintedItems(this.#db, userId, hashesOf(items))).length > 0;
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

function hashesOf(items: Iterable<string>): Buffer[] {
  return [...new Set([...items].flatMap(namesOf))].map(hashOf);
}

/** An event of a series has the series' id and a time (Calendar API v3, `events.instances`). */
function namesOf(item: string): string[] {
  const end = item.lastIndexOf('_');
  return end > 0 ? [item, item.slice(0, end)] : [item];
}

function hashOf(item: string): Buffer {
  return hash('sha256', item, 'buffer');
}
