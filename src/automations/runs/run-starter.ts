import type { Assistant } from '../../assistant/assistant.ts';
import type { Unattended } from '../../assistant/runs/unattended.ts';
import type { Database, Queryable } from '../../database/database.ts';
import { lockExistingUser } from '../../database/user-lock.ts';
import { AppError, asAppError } from '../../errors.ts';
import { contextOf } from '../../executor/call/context-name.ts';
import { insertThreadGrant, runThreadId } from '../../executor/call/thread-grants-repository.ts';
import { taintThread } from '../../executor/taint/taint-repository.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import { describeError, type Logger } from '../../observability/logger.ts';
import type { RunCause, Telemetry } from '../../observability/telemetry.ts';
import type { UserKeys } from '../../vault/keys/user-keys.ts';
import { type Definition, grantOf } from '../definition/definition.ts';
import { openDefinition } from '../definition/sealed-definition.ts';
import { openRunEvent, type RunEvent } from '../looking/run-event.ts';
import { selectPlanned } from './planning-repository.ts';
import { type RunEndingDeps, runEnded } from './run-ending.ts';
import { runText } from './run-text.ts';
import { beginRun, type ClaimedRun, claimRuns, countStarted, endClaimed, postponeRun, type RunEnd, resumeRun } from './runs-repository.ts';

export interface StarterDeps extends RunEndingDeps {
  db: Database;
  userKeys: UserKeys;
  assistant: Pick<Assistant, 'beginUnattended' | 'goOnUnattended'>;
  catalog(): Catalog;
  logger: Logger;
  telemetry: Telemetry;
  /** Runs of this replica at a time. */
  most: number;
}

/** Rejects when a run may not begin, within the transaction that begins it. */
type Check = (tx: Queryable) => Promise<void>;

/** How long a claim lasts if its replica ends. */
const LEASE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const RETRY_MS = 10_000;
const MOST_ATTEMPTS = 6;
/** Errors of what surrounds a run, not of the run. */
const PASSING: ReadonlySet<string> = new Set(['unavailable', 'internal']);

/** Begins runs whose time has come, and goes on with those whose user has decided; a bounded number at a time. */
export class RunStarter {
  readonly #deps: StarterDeps;
  readonly #freed: () => void;
  #active = 0;

  /** @param freed called when a run has ended, so that another one can begin */
  constructor(deps: StarterDeps, freed: () => void) {
    this.#deps = deps;
    this.#freed = freed;
  }

  /** Claims runs while there are places and runs: those that only tell take none. Resolves once they have begun. */
  async act(): Promise<void> {
    const { db, clock, most } = this.#deps;
    for (;;) {
      const now = clock.now();
      const limit = most - this.#active;
      if (limit <= 0) return;
      const claimed = await claimRuns(db, { now: new Date(now), until: new Date(now + LEASE_MS), limit });
      await Promise.all(claimed.map((run) => this.#tryToAct(run)));
      if (claimed.length < limit) return;
    }
  }

  async #tryToAct(run: ClaimedRun): Promise<void> {
    try {
      await this.#act(run);
    } catch (thrown) {
      await this.#failed(run, thrown).catch((error: unknown) => {
        this.#deps.logger.warn({ run: run.id, err: describeError(error) }, 'a run of an automation waits for its lease to end');
      });
    }
  }

  async #act(run: ClaimedRun): Promise<void> {
    const { db, userKeys } = this.#deps;
    const { userId, automationId: id } = run;
    const automation = await selectPlanned(db, userId, id);
    if (automation === undefined) return;
    const definition = openDefinition(await userKeys.toOpen(db, userId, automation.definition), { userId, id }, automation.definition);
    if (run.status === 'waiting') return this.#goOn(run, definition);
    if (automation.state === 'paused' && !run.occurrence.startsWith('manual:')) return this.#end(run, 'cancelled', null);
    const within = async (tx: Queryable) => {
      // It was read before the user was locked, and may have been paused or narrowed since.
      if ((await selectPlanned(tx, userId, id))?.revision !== automation.revision) throw claimEnded();
      await this.#assertWithinLimits(tx, run, definition);
    };
    if (definition.does.type === 'notify') await this.#end(run, 'done', null, within);
    else await this.#begin(run, definition, within);
    const { clock, telemetry } = this.#deps;
    telemetry.runBegan(causeOf(run), Math.max(0, clock.now() - run.plannedAt.getTime()) / 1_000);
  }

  /**
   * Within a transaction that has locked the user: of runs that begin at the same time, no more begin than the limits permit.
   *
   * @throws AppError
   */
  async #assertWithinLimits(tx: Queryable, run: ClaimedRun, { budget }: Definition): Promise<void> {
    const now = this.#deps.clock.now();
    const since = { hour: new Date(now - HOUR_MS), day: new Date(now - DAY_MS) };
    const { ofHour, ofDay } = await countStarted(tx, run.userId, run.automationId, since);
    if (ofHour < budget.runs_per_hour && ofDay < budget.runs_per_day) return;
    throw new AppError('rate_limited', 'This automation has run often enough for now.', { details: { reason: 'too_many_runs' } });
  }

  async #begin(run: ClaimedRun, definition: Definition, check: Check): Promise<void> {
    const { assistant, clock } = this.#deps;
    const { userId, automationId } = run;
    const threadId = runThreadId(run.id);
    const event = await this.#eventOf(run);
    const text = runText(definition, run, event);
    const prepare = async (tx: Queryable) => {
      await check(tx);
      // Another replica may have begun it since.
      if (!(await beginRun(tx, run, threadId, new Date(clock.now())))) throw claimEnded();
      await insertThreadGrant(tx, userId, threadId, grantOf(definition));
      const { isTainted, isFinancial } = run;
      const accountIds = event === undefined ? [] : [event.account];
      await taintThread(tx, userId, { id: threadId, name: contextOf({ thread: threadId }) }, { isTainted, isFinancial, accountIds });
    };
    const thread = { thread: { userId, threadId }, text, of: { title: definition.name, automationId } };
    this.#follow(await assistant.beginUnattended(thread, { unattended: this.#unattended(definition), prepare }));
  }

  async #goOn(run: ClaimedRun, definition: Definition): Promise<void> {
    const { userId, threadId } = run;
    if (threadId === null) return;
    const prepare = async (tx: Queryable) => {
      if (!(await resumeRun(tx, run))) throw claimEnded();
    };
    this.#follow(await this.#deps.assistant.goOnUnattended({ userId, threadId }, { unattended: this.#unattended(definition), prepare }));
  }

  #follow({ ended }: { ended: Promise<void> }): void {
    this.#active += 1;
    void ended.finally(() => {
      this.#active -= 1;
      this.#freed();
    });
  }

  #unattended({ budget, does }: Definition): Unattended {
    const { steps, tokens, cost } = budget;
    if (does.type !== 'action') return { budget: { steps, tokens, cost } };
    // An action that there is no more is called by its name, and the call says so.
    const tool = this.#deps.catalog().actions.get(does.action)?.tool ?? does.action;
    const input = does.account === null ? does.input : { ...does.input, account: does.account };
    return { budget: { steps, tokens, cost }, call: { tool, input } };
  }

  async #failed(run: ClaimedRun, thrown: unknown): Promise<void> {
    const { db, clock, logger } = this.#deps;
    const error = asAppError(thrown);
    const { code, retryAfter, details } = error;
    const later = (seconds: number) => postponeRun(db, run, new Date(clock.now() + seconds * 1_000));
    if (code === 'conflict' && details?.reason === 'claim_ended') return;
    if (run.status === 'waiting') {
      if (code === 'approval_required') return postponeRun(db, run, null);
      if (code === 'conflict' && details?.reason === 'nothing_waits') return this.#end(run, 'done', null);
      return later(retryAfter ?? RETRY_MS / 1_000);
    }
    if (details?.reason === 'too_many_runs') return this.#end(run, 'skipped', code);
    const isBusy = code === 'rate_limited' && details?.budget === undefined;
    if (isBusy) return later(retryAfter ?? RETRY_MS / 1_000);
    if (PASSING.has(code) && run.attempts < MOST_ATTEMPTS) {
      logger.warn({ run: run.id, err: describeError(thrown) }, 'a run of an automation could not begin; it is tried again');
      return later((RETRY_MS / 1_000) * 2 ** (run.attempts - 1));
    }
    return this.#end(run, 'failed', code);
  }

  /** @param check rejects when it must not end so */
  async #end(run: ClaimedRun, status: RunEnd, error: string | null, check?: Check): Promise<void> {
    const { db, clock } = this.#deps;
    await db.transaction(async (tx) => {
      await lockExistingUser(tx, run.userId);
      await check?.(tx);
      if (await endClaimed(tx, run, { status, error, now: new Date(clock.now()) })) await runEnded(this.#deps, tx, { ...run, status });
    }, run.userId);
  }

  async #eventOf({ userId, id, event }: ClaimedRun): Promise<RunEvent | undefined> {
    if (event === null) return undefined;
    const { db, userKeys } = this.#deps;
    return openRunEvent(await userKeys.toOpen(db, userId, event), { userId, id }, event);
  }
}

function causeOf({ event, occurrence }: ClaimedRun): RunCause {
  if (occurrence.startsWith('manual:')) return 'user';
  return event === null ? 'schedule' : 'event';
}

function claimEnded(): AppError {
  return new AppError('conflict', 'This run has begun already.', { details: { reason: 'claim_ended' } });
}
