import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock/clock.ts';
import { afterCommit, type Database, type Queryable } from '../database/database.ts';
import { lockExistingUser } from '../database/user-lock.ts';
import { AppError } from '../errors.ts';
import type { RecordEvent } from '../events/events.ts';
import { updateThreadGrants } from '../executor/call/thread-grants-repository.ts';
import type { Catalog } from '../integrations/catalog.ts';
import type { UserKeys } from '../vault/keys/user-keys.ts';
import {
  type AutomationRow,
  type AutomationState,
  cancelDueRuns,
  countAutomations,
  deleteAutomation,
  insertAutomation,
  lockAutomation,
  selectAutomation,
  selectAutomations,
  selectOwnAccounts,
  updateAutomation,
  waitsByHand,
} from './automations-repository.ts';
import { checkAccounts, checkActions, namedAccounts } from './definition/check-definition.ts';
import { type AutomationPatch, type Definition, grantOf, type NewAutomation } from './definition/definition.ts';
import { nextOccurrence } from './definition/schedule.ts';
import { openDefinition, sealDefinition } from './definition/sealed-definition.ts';
import { kindOf, type Trigger, triggerAccount } from './definition/trigger.ts';
import { ensureWatches } from './looking/ensure-watches.ts';
import { CURSOR, insertRun, type NewRun, type RunRow, selectLatestRuns, selectRuns, selectThreadIds } from './runs/runs-repository.ts';

const MAX_AUTOMATIONS = 50;

type States = Pick<AutomationRow, 'state' | 'pausedBy' | 'dueAt' | 'failures'>;

const NEW: States = { state: 'active', pausedBy: null, dueAt: null, failures: 0 };

export interface AutomationsDeps {
  db: Database;
  clock: Clock;
  userKeys: UserKeys;
  emit: RecordEvent;
  catalog(): Catalog;
  /** Deletes a conversation with all that belongs to it. */
  removeThread(tx: Queryable, userId: string, threadId: string): Promise<void>;
  /** Called once a run by hand is stored. */
  runAdded(): void;
}

/** A run as its user sees it. */
export type AutomationRun = Omit<RunRow, 'userId' | 'occurrence'>;

/** An automation as its user sees it. */
export interface Automation extends Omit<AutomationRow, 'definition' | 'namedAccounts'> {
  definition: Definition;
  lastRun: AutomationRun | null;
}

export interface RunsQuery {
  limit: number;
  /** `next` of the page before. */
  before?: string | undefined;
}

/** What runs without its user: made and changed by the user. */
export class Automations {
  readonly #deps: AutomationsDeps;

  constructor(deps: AutomationsDeps) {
    this.#deps = deps;
  }

  /**
   * Makes an automation.
   *
   * @throws AppError `invalid_request` for actions that can't be called and accounts that aren't the user's, `conflict` when
   * the user has too many, `invalid_token` when the user was deleted
   */
  async create(userId: string, { state, ...definition }: NewAutomation): Promise<Automation> {
    return this.#write(userId, async (tx) => {
      await this.#assertPossible(tx, userId, definition);
      const id = randomUUID();
      const states = this.#states(NEW, state, definition, true);
      await insertAutomation(tx, userId, { id, ...states, ...(await this.#columns(tx, userId, id, definition)) });
      await this.#changed(tx, userId, id);
      return this.#read(tx, userId, id);
    });
  }

  /** Checks whether an automation could be made now; makes none. @throws AppError like {@link create} */
  assertPossible(userId: string, definition: Definition): Promise<void> {
    return this.#assertPossible(this.#deps.db, userId, definition);
  }

  /** Oldest first. */
  async list(userId: string): Promise<Automation[]> {
    const { db } = this.#deps;
    const [rows, runs] = await Promise.all([selectAutomations(db, userId), selectLatestRuns(db, userId)]);
    const keyOf = this.#deps.userKeys.forRecords(db, userId);
    const last = new Map(runs.map((run) => [run.automationId, run]));
    return Promise.all(
      rows.map(async (row) => {
        const { id, definition } = row;
        return shown(row, openDefinition(await keyOf(definition), { userId, id }, definition), last.get(id));
      }),
    );
  }

  /** @throws AppError `not_found` */
  get(userId: string, id: string): Promise<Automation> {
    return this.#read(this.#deps.db, userId, id);
  }

  /**
   * Changes what a patch names. An automation that becomes active again begins anew: its failures are forgotten, and its
   * next run is the next one from now.
   *
   * @throws AppError `not_found`, and as {@link create}
   */
  async change(userId: string, id: string, { state, budget, ...given }: AutomationPatch): Promise<Automation> {
    return this.#write(userId, async (tx) => {
      const row = await lockAutomation(tx, userId, id);
      if (row === undefined) throw noSuchAutomation();
      const before = await this.#opened(tx, userId, row);
      const definition: Definition = { ...before, ...given, budget: { ...before.budget, ...budget } };
      const begins = given.trigger !== undefined || (state === 'active' && row.state === 'paused');
      if (begins || given.does !== undefined || given.actions !== undefined || given.accounts !== undefined)
        await this.#check(tx, userId, definition);
      const states = this.#states(row, state, definition, begins);
      const columns = await this.#columns(tx, userId, id, definition);
      await updateAutomation(tx, userId, { id, ...states, ...columns }, begins);
      const isOtherGrant = given.actions !== undefined || given.accounts !== undefined || given.when_asked !== undefined;
      if (isOtherGrant) await updateThreadGrants(tx, userId, id, grantOf(definition));
      if (states.state === 'paused') await cancelDueRuns(tx, userId, [id], new Date(this.#deps.clock.now()));
      await this.#changed(tx, userId, id);
      return this.#read(tx, userId, id);
    });
  }

  /** Deletes an automation with its runs and their conversations. @throws AppError `not_found` */
  async delete(userId: string, id: string): Promise<void> {
    await this.#write(userId, async (tx) => {
      if ((await lockAutomation(tx, userId, id)) === undefined) throw noSuchAutomation();
      for (const thread of await selectThreadIds(tx, userId, id)) await this.#deps.removeThread(tx, userId, thread);
      await deleteAutomation(tx, userId, id);
      await this.#changed(tx, userId, id);
    });
  }

  /** Adds a run for now, also of a paused automation. @throws AppError `not_found`; `conflict` when the one before has not begun */
  async run(userId: string, id: string): Promise<AutomationRun> {
    return this.#write(userId, async (tx) => {
      if ((await lockAutomation(tx, userId, id)) === undefined) throw noSuchAutomation();
      if (await waitsByHand(tx, userId, id)) throw new AppError('conflict', 'It is about to run.');
      const run = byHand(id, new Date(this.#deps.clock.now()));
      await insertRun(tx, userId, run, run.plannedAt);
      afterCommit(tx, () => this.#deps.runAdded());
      return { ...run, status: 'due', threadId: null, startedAt: null, endedAt: null, error: null };
    });
  }

  /**
   * A page of an automation's runs, the latest first.
   *
   * @returns `next`: where the next page begins; null: this is the last one
   * @throws AppError `not_found`; `invalid_request` for an invalid cursor
   */
  async runs(userId: string, id: string, { limit, before }: RunsQuery): Promise<{ runs: AutomationRun[]; next: string | null }> {
    const { db } = this.#deps;
    if (before !== undefined && !CURSOR.test(before)) throw new AppError('invalid_request', 'before: must be the "next" of a page.');
    const [row, found] = await Promise.all([selectAutomation(db, userId, id), selectRuns(db, userId, id, { before, limit: limit + 1 })]);
    if (row === undefined) throw noSuchAutomation();
    const runs = found.slice(0, limit);
    return { runs, next: found.length > limit ? (runs.at(-1)?.cursor ?? null) : null };
  }
  /** A transaction that has locked the user: their changes of automations and accounts are decided one at a time. */
  async #write<Result>(userId: string, work: (tx: Queryable) => Promise<Result>): Promise<Result> {
    const { db, userKeys } = this.#deps;
    // Outside the transaction, because the key service may be slow.
    await userKeys.forUser(db, userId);
    return db.transaction(async (tx) => {
      await lockExistingUser(tx, userId);
      return work(tx);
    }, userId);
  }

  async #read(db: Queryable, userId: string, id: string): Promise<Automation> {
    const row = await selectAutomation(db, userId, id);
    if (row === undefined) throw noSuchAutomation();
    return shown(row, await this.#opened(db, userId, row), (await selectRuns(db, userId, id, { before: undefined, limit: 1 }))[0]);
  }

  async #assertPossible(tx: Queryable, userId: string, definition: Definition): Promise<void> {
    if ((await countAutomations(tx, userId)) >= MAX_AUTOMATIONS)
      throw new AppError('conflict', `There are ${MAX_AUTOMATIONS} automations. Delete one of them first.`);
    await this.#check(tx, userId, definition);
  }

  async #check(tx: Queryable, userId: string, definition: Definition): Promise<void> {
    const catalog = this.#deps.catalog();
    await checkActions(catalog, definition);
    checkAccounts(catalog, definition, await selectOwnAccounts(tx, userId));
  }

  /** @param given undefined: stays as it is. @param begins its next run is planned anew */
  #states(row: States, given: AutomationState | undefined, { trigger }: Definition, begins: boolean): States {
    const state = given ?? row.state;
    if (state === 'paused') return { state, pausedBy: row.pausedBy ?? 'user', dueAt: null, failures: row.failures };
    const isNew = row.state === 'paused';
    return { state, pausedBy: null, dueAt: begins ? this.#next(trigger) : row.dueAt, failures: isNew ? 0 : row.failures };
  }

  #next(trigger: Trigger): Date | null {
    return trigger.type === 'schedule' ? new Date(nextOccurrence(trigger, this.#deps.clock.now())) : null;
  }

  /** The columns that follow from a definition. */
  async #columns(tx: Queryable, userId: string, id: string, definition: Definition) {
    const { trigger } = definition;
    const key = await this.#deps.userKeys.forUser(tx, userId);
    return {
      kind: kindOf(trigger),
      accountId: triggerAccount(trigger),
      namedAccounts: namedAccounts(definition),
      definition: sealDefinition(key, { userId, id }, definition),
    };
  }

  async #opened(db: Queryable, userId: string, { id, definition }: AutomationRow): Promise<Definition> {
    return openDefinition(await this.#deps.userKeys.toOpen(db, userId, definition), { userId, id }, definition);
  }

  async #changed(tx: Queryable, userId: string, automation: string): Promise<void> {
    await ensureWatches(tx, userId, this.#deps.clock);
    await this.#deps.emit(tx, userId, 'automation.changed', { automation });
  }
}

function shown(
  { definition: _, namedAccounts: __, ...row }: AutomationRow,
  definition: Definition,
  lastRun: AutomationRun | undefined,
): Automation {
  return { ...row, definition, lastRun: lastRun ?? null };
}

function noSuchAutomation(): AppError {
  return new AppError('not_found', 'There is no such automation.');
}

function byHand(automationId: string, plannedAt: Date): NewRun {
  const id = randomUUID();
  return { id, automationId, occurrence: `manual:${id}`, event: null, isTainted: false, isFinancial: false, plannedAt, late: false };
}
