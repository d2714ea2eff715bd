import type { Assistant } from '../assistant/assistant.ts';
import type { ChatDeps } from '../assistant/chat-deps.ts';
import type { Threads } from '../assistant/threads/threads.ts';
import type { LooksDeps } from '../automations/looking/looks.ts';
import { selectEndedBefore, selectWork } from '../automations/runs/runs-repository.ts';
import { loadOnce } from '../concurrency/load-once.ts';
import type { RecordEvent } from '../events/events.ts';
import type { AutomationNames } from '../executor/approvals/approval-preview.ts';
import { mayHaveGrant } from '../executor/call/thread-grants-repository.ts';
import type { Executor } from '../executor/executor.ts';
import type { Catalog } from '../integrations/catalog.ts';
import { stewardDescriptor } from '../providers/steward/steward-descriptor.ts';
import type { UserKeys } from '../vault/keys/user-keys.ts';
import type { Core } from './core.ts';

export interface AutomationsDeps extends Pick<LooksDeps, 'providers' | 'tokens' | 'statuses' | 'uses'> {
  userKeys: UserKeys;
  emit: RecordEvent;
  threads: Threads;
  catalog(): Catalog;
}

const LOOK_EVERY_MS = 5_000;
/** Runs are kept for 30 days. */
const KEPT_RUNS_MS = 30 * 24 * 3_600_000;

/** What follows from the end of an answer in a run's conversation. Nothing of automations is loaded for others. */
export function automationRunEnded({ clock }: Core, { emit, threads }: Pick<AutomationsDeps, 'emit' | 'threads'>): ChatDeps['runEnded'] {
  return async (tx, run, status, code) => {
    if (!mayHaveGrant(run.threadId)) return;
    const { answerEnded } = await import('../automations/runs/thread-runs.ts');
    await answerEnded({ clock, emit, removeThread: removing(threads) }, tx, run, { status, code });
  };
}

/** The names of the automations that ask a user. */
export function namesOfAutomations(core: Core, { userKeys }: Pick<AutomationsDeps, 'userKeys'>): AutomationNames {
  return async (userId, ids) => {
    const { automationNames } = await import('../automations/automation-names.ts');
    return automationNames({ ...core, userKeys }, userId, ids);
  };
}

/** Automations of all users. What runs them is loaded once one is due. */
export function createAutomations(core: Core, deps: AutomationsDeps & { assistant: Assistant; executor: Pick<Executor, 'accounts'> }) {
  const { config, db, clock, polls } = core;
  const stopping = new AsyncDisposableStack();
  const work = loadOnce(async () => {
    const { AutomationWork } = await import('../automations/automation-work.ts');
    const { threads } = deps;
    return new AutomationWork(
      { ...core, ...deps, removeThread: removing(threads), most: config.limits.automationRuns },
      () => void poll.tick(),
    );
  });
  const looks = loadOnce(async () => {
    const { Looks } = await import('../automations/looking/looks.ts');
    const opened = new Looks({ ...core, ...deps, found: () => poll.wake(0), freed: () => poll.wake(0) });
    stopping.defer(() => opened.stop());
    return opened;
  });
  const look = async () => {
    const { toPlan, toAct, toLook } = await selectWork(db, new Date(clock.now()));
    // Not awaited to their end: an account that can't be reached holds nothing up.
    if (toLook) await (await looks()).begin();
    if (toPlan || toAct) await (await work()).tick();
  };
  const open = loadOnce(async () => {
    const { Automations } = await import('../automations/automations-service.ts');
    return new Automations({ ...core, ...deps, removeThread: removing(deps.threads), runAdded: () => void poll.tick() });
  });
  deps.providers.client(stewardDescriptor)?.proposeIn(
    loadOnce(async () => {
      const { automationProposals } = await import('../automations/proposals.ts');
      const { catalog, executor } = deps;
      return automationProposals({ automations: await open(), catalog, accounts: (userId) => executor.accounts(userId) });
    }),
  );
  const poll = polls.create(look, { everyMs: LOOK_EVERY_MS, failure: 'automations can’t be looked after; retrying' });
  return {
    /** What users do with theirs. */
    open,
    poll,
    /** Resolves when the looks in progress have ended, for tests. */
    looked: async () => (await looks()).settled(),
    /** Ends what is under way and is repeated on another replica. */
    async stop() {
      await poll.stop();
      await stopping.disposeAsync();
    },
    /** Deletes old runs. */
    async sweep() {
      const before = new Date(clock.now() - KEPT_RUNS_MS);
      if ((await selectEndedBefore(db, before, 1)).length > 0) await (await work()).sweep(before);
    },
  };
}

function removing(threads: Threads) {
  return async (...thread: Parameters<Threads['remove']>) => void (await threads.remove(...thread));
}
