import { hash } from 'node:crypto';
import { type Source, type Taint, taintOf, UNTAINTED, within } from '../../actions/shared/labels.ts';
import type { Database } from '../../database/database.ts';
import { UNKNOWN_ITEM } from '../../providers/shared/items.ts';
import type { ActionRun } from '../call/action-run.ts';
import type { Call } from '../call/call.ts';
import { allOf, type Items, idsIn, itemsOf } from '../call/call-items.ts';
import { contextOf } from '../call/context-name.ts';
import { rememberItems, selectLabelledItems, selectLabels, selectWrittenAt } from './written-items-repository.ts';

/** Remembers what was written in which context, and whether that had read others' text or a bank's data, which it may repeat. */
export class WrittenItems {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Remembers that a change is about to be sent, if what it writes has a label: its result may be lost.
   *
   * @throws AppError `unavailable`
   */
  async announce(call: Call): Promise<void> {
    await this.#remember(call, call.configured.action.writes?.(call.input, undefined) ?? [], itemsOf(call, undefined), true);
  }

  /**
   * Remembers what a change has written.
   *
   * @throws AppError `unavailable`
   */
  async remember(call: Call, run: Pick<ActionRun, 'used' | 'wrote'>, output: unknown): Promise<void> {
    const { writes } = call.configured.action;
    if (writes === undefined) return;
    const of = allOf(itemsOf(call, undefined), run.used);
    await this.#remember(call, [...writes(call.input, output), ...(run.wrote ?? [])], of, false);
    if (run.wrote === undefined) await this.#remember(call, [UNKNOWN_ITEM], of, true);
  }

  /**
   * Remembers that a change was sent whose outcome isn't known: what it has created may be there under any id.
   *
   * @throws AppError `unavailable`
   */
  async lost(call: Call, run: Pick<ActionRun, 'used' | 'wrote'>): Promise<void> {
    const { writes } = call.configured.action;
    if (writes === undefined) return;
    const written = [...writes(call.input, undefined), ...(run.wrote ?? []), UNKNOWN_ITEM];
    await this.#remember(call, written, allOf(itemsOf(call, undefined), run.used), true);
  }

  /**
   * The labels of what a call names. It may belong to another context than the one that wrote that, or come later.
   *
   * @param facts of the action; undefined: they weren't read, or it has none
   * @throws AppError `unavailable`
   */
  async labelsOfNamed(call: Call, facts: unknown): Promise<Taint> {
    const isNamed = call.account.hasLabelledItems;
    return isNamed ? this.#labelsOf(call, itemsOf(call, facts), calledNames) : UNTAINTED;
  }

  /**
   * When the context of a call last changed what it names, or put something into that, within a day.
   *
   * @returns undefined: it didn't
   * @throws AppError `unavailable`
   */
  async changedAt(call: Call, facts: unknown): Promise<Date | undefined> {
    const names = [...(itemsOf(call, facts) ?? [])].flatMap(calledNames);
    return names.length === 0 ? undefined : selectWrittenAt(this.#db, call.userId, contextOf(call), hashesOf(names), this.#now());
  }

  /**
   * The labels of what a result or an error repeats.
   *
   * @param sources of a result, if its action tells them; else what its ids name
   * @throws AppError `unavailable`
   */
  async labelsOfRead(call: Call, run: Pick<ActionRun, 'used'>, output: unknown, sources?: readonly Source[]): Promise<Taint> {
    if (!call.account.hasLabelledItems) return UNTAINTED;
    // The ids that a declared action names are those of its whole response.
    const isNamed = run.used?.size !== 0;
    const reported = sources === undefined && !isNamed ? idsIn(output) : new Set(sources?.map(({ item }) => item));
    return this.#labelsOf(call, allOf(itemsOf(call, undefined), reported, run.used), namesOf);
  }

  /**
   * The sources of a result, of which those are others' that a tainted context wrote.
   *
   * @throws AppError `unavailable`
   */
  async mark({ userId, account }: Call, sources: readonly Source[]): Promise<readonly Source[]> {
    const own = account.hasLabelledItems ? sources.filter(({ integrity }) => integrity === 'own') : [];
    if (own.length === 0) return sources;
    const names = ({ item }: Source) => [...namesOf(item), UNKNOWN_ITEM];
    const rows = await selectLabelledItems(this.#db, userId, hashesOf(own.flatMap(names)));
    const tainted = new Set(rows.filter(({ isTainted }) => isTainted).map(({ item }) => item.toString('hex')));
    const isTainted = (source: Source) => hashesOf(names(source)).some((name) => tainted.has(name.toString('hex')));
    return sources.map((source) => (isTainted(source) ? { ...source, integrity: 'others' } : source));
  }

  #now(): Date {
    return new Date(this.#db.clock.now());
  }

  /** @param ids undefined: unknown ones */
  async #labelsOf({ userId }: Call, ids: Items, names: (id: string) => string[]): Promise<Taint> {
    if (ids?.has(UNKNOWN_ITEM) !== false) return selectLabels(this.#db, userId);
    // What was written under an unknown id may be what is named.
    return taintOf(...(await selectLabelledItems(this.#db, userId, hashesOf([...ids, UNKNOWN_ITEM].flatMap(names)))));
  }

  async #remember(call: Call, written: readonly string[], used: Items, onlyLabelled: boolean): Promise<void> {
    const { userId, account, taint = UNTAINTED } = call;
    if (written.length === 0) return;
    const [items, of] = [hashesOf(written.flatMap(writtenNames)), hashesOf([...(used ?? [])].flatMap(namesOf))];
    const labels = used === undefined && account.hasLabelledItems ? await selectLabels(this.#db, userId) : UNTAINTED;
    await rememberItems(this.#db, userId, contextOf(call), { items, of, labels: taintOf(taint, labels), at: this.#now() }, onlyLabelled);
  }
}

/**
 * The item's own id, and those of the series that it may be an event of: `<series>_<time>` (Calendar API v3,
 * `events.instances`). A series that was split off another has such an id itself.
 */
export function namesOf(id: string): string[] {
  const names = [id];
  for (let end = id.lastIndexOf('_'); end > 0 && names.length < 3; end = id.lastIndexOf('_', end - 1)) names.push(id.slice(0, end));
  return names;
}

/** A call that names a folder, a series or a thread is about what is in it, too. */
function calledNames(id: string): string[] {
  return [...namesOf(id), within(id)];
}

/** What names an event of a series says that something was written in that. */
function writtenNames(id: string): string[] {
  const [own = id, ...series] = namesOf(id);
  return [own, ...series.map(within)];
}

export function hashesOf(names: Iterable<string>): Buffer[] {
  return [...new Set(names)].map((name) => hash('sha256', name, 'buffer'));
}
