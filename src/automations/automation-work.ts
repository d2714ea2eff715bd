import { inChunks } from '../database/retention.ts';
import { describeError } from '../observability/logger.ts';
import { removeRun } from './runs/run-ending.ts';
import { RunStarter, type StarterDeps } from './runs/run-starter.ts';
import { selectEndedBefore, selectWork } from './runs/runs-repository.ts';
import { planDue } from './runs/schedule-planner.ts';

const SWEPT_AT_ONCE = 100;

/** What a replica does for automations: plans schedules whose time has come, begins runs, and deletes old ones. */
export class AutomationWork {
  readonly #deps: StarterDeps;
  readonly #starter: RunStarter;

  /** @param freed called when a run has ended, so that another one can begin */
  constructor(deps: StarterDeps, freed: () => void) {
    this.#deps = deps;
    this.#starter = new RunStarter(deps, freed);
  }

  async tick(): Promise<void> {
    const { db, clock, logger } = this.#deps;
    await planDue(this.#deps, (error) =>
      logger.warn({ err: describeError(error) }, 'an automation could not be planned; it is tried again'),
    );
    const { toAct } = await selectWork(db, new Date(clock.now()));
    if (toAct) await this.#starter.act();
  }

  /** Deletes runs that ended before a time, with their conversations. */
  async sweep(before: Date): Promise<void> {
    const { db, clock } = this.#deps;
    await inChunks(clock, async () => {
      const old = await selectEndedBefore(db, before, SWEPT_AT_ONCE);
      for (const run of old) await db.transaction((tx) => removeRun(this.#deps, tx, run), run.userId);
      return { isFull: old.length === SWEPT_AT_ONCE };
    });
  }
}
