import type { FinishReason, LanguageModel, UIMessageChunk } from 'ai';
import type { LimitFunction } from 'p-limit';
import { loadOnce } from '../concurrency/load-once.ts';
import type { ModelSettings } from '../config/config.ts';
import { ignoreUserDeleted } from '../database/database-errors.ts';
import { AppError } from '../errors.ts';
import { Storing } from '../executor/audit/storing.ts';
import type { Catalog } from '../integrations/catalog.ts';
import { type Preferences, selectPreferences } from '../preferences/preferences-repository.ts';
import { toTool } from '../tools/callable-tools.ts';
import { deferringTools } from '../tools/deferred-tools.ts';
import { offeredTools } from '../tools/offered-tools.ts';
import type { ChatDeps } from './chat-deps.ts';
import { type LoopInput, runLoop } from './loop/agent-loop.ts';
import { callIds, type History, namedAddresses } from './loop/model-messages.ts';
import { ToolCalls } from './loop/tool-calls.ts';
import { boundedModel } from './models/bounded-model.ts';
import { fixedCallModel } from './models/fixed-call.ts';
import { languageModel } from './models/language-models.ts';
import { modelError, modelFailure } from './models/model-errors.ts';
import { namedCalls, toldOnly } from './models/named-calls.ts';
import type { Budgets } from './runs/budgets.ts';
import type { Run } from './runs/run.ts';
import type { RunStatus } from './runs/runs-repository.ts';
import { endRun, selectRun, type Usage, updateUsage } from './runs/runs-repository.ts';
import { assertBudgetLeft, type Unattended } from './runs/unattended.ts';
import { storeAnswer } from './store-answer.ts';
import { messageOf } from './stream/ui-message.ts';
import type { Summary } from './threads/threads.ts';

type Model = Exclude<LanguageModel, string>;

/** How a run ended. */
interface Ending {
  status: Exclude<RunStatus, 'running'>;
  finishReason?: string | undefined;
  error?: AppError;
}

interface Answer {
  run: Run;
  settings: ModelSettings;
  unattended: Unattended | undefined;
}

/** What an answer begins with. */
type Asked = History & { preferences: Preferences };

/** Lets models answer, and stores their answers. */
export class AnswerRunner {
  readonly #deps: ChatDeps;
  readonly #budgets: Budgets;
  readonly #connectionLimit: LimitFunction;
  readonly #models = new Map<string, () => Promise<Model>>();

  /** @param turns for what needs a connection at the beginning and the end of a run */
  constructor(deps: ChatDeps, budgets: Budgets, connectionLimit: LimitFunction) {
    this.#deps = deps;
    this.#budgets = budgets;
    this.#connectionLimit = connectionLimit;
  }

  /** Runs to the end. What it sends goes to the run; its message is stored at the end. @param unattended no front end has asked for it */
  async answer(run: Run, settings: ModelSettings, unattended?: Unattended): Promise<void> {
    const usage: Usage = { steps: 0, inputTokens: 0, outputTokens: 0, cost: 0 };
    const history = await this.#connectionLimit(() => this.#history(run)).catch((error: unknown) => this.#failed(run, settings, error));
    if ('status' in history) return this.#end(run, settings, history, usage);
    const calls = new ToolCalls(this.#deps, run, await namedAddresses(history.messages));
    const ending = await this.#loop({ run, settings, unattended }, calls, history, usage);
    if (run.isLost) return;
    for (const chunk of await calls.settle(run.parts.calls)) run.emit(chunk);
    const status = ending.status === 'done' && calls.hasPendingApprovals ? 'awaiting_approval' : ending.status;
    await this.#end(run, settings, { ...ending, status }, usage);
  }

  async #end(run: Run, settings: ModelSettings, ending: Ending, usage: Usage): Promise<void> {
    this.#conclude(run, settings, ending, usage);
    await this.#store(run, ending, usage);
  }

  async #history({ userId, threadId }: Run): Promise<Asked> {
    const { db, threads } = this.#deps;
    const [messages, summary, preferences] = await Promise.all([
      threads.messages(db, userId, threadId),
      threads.summary(db, userId, threadId),
      selectPreferences(db, userId),
    ]);
    return { messages, summary, preferences };
  }

  /** Never rejects. */
  async #loop({ run, settings, unattended }: Answer, calls: ToolCalls, { preferences, ...history }: Asked, usage: Usage): Promise<Ending> {
    const { clock, config } = this.#deps;
    const { limits } = config;
    try {
      const deadline = clock.monotonic() + limits.runMs;
      const bounds = { stepCalls: limits.runStepCalls, outputBytes: limits.runOutputBytes, deadline, callIds: callIds(history.messages) };
      const bounded = boundedModel(await this.#model(settings, unattended), bounds, clock);
      const { names, tools, deferred } = await this.#connectionLimit(() => this.#tools(run));
      const told = new Set(tools.map(({ name }) => name));
      const model = namedCalls(toldOnly(bounded, told), names, deferred !== undefined);
      const untold = [...names.keys()].filter((name) => !told.has(name));
      const beforeStep = () => this.#beforeStep(run, usage, unattended);
      const storeSummary = (summary: Summary) => this.#storeSummary(run, summary);
      const finishReason = await runLoop({
        run,
        clock,
        settings,
        model,
        tools,
        untold,
        deferred,
        calls,
        history,
        preferences,
        limits,
        usage,
        beforeStep,
        storeSummary,
      });
      return run.stopReason === undefined ? { status: 'done', finishReason } : this.#stopped(run, settings);
    } catch (error) {
      if (run.stopReason !== undefined) return this.#stopped(run, settings);
      return this.#failed(run, settings, error);
    }
  }

  #stopped(run: Run, settings: ModelSettings): Ending {
    if (run.stopReason !== 'timeout') return { status: run.stopReason === 'cancelled' ? 'cancelled' : 'interrupted' };
    const seconds = Math.round(this.#deps.config.limits.runMs / 1000);
    const message = `The model ${settings.name} did not finish within ${seconds} seconds.`;
    return { status: 'failed', error: new AppError('provider_timeout', message) };
  }

  #failed(run: Run, settings: ModelSettings, thrown: unknown): Ending {
    const error = modelError(thrown, settings.name);
    const { logger } = this.#deps;
    if (!(thrown instanceof AppError))
      logger.warn({ run: run.id, model: settings.name, code: error.code, ...modelFailure(thrown) }, 'a model failed');
    // What was begun of the answer isn't read any more.
    run.abandon();
    return { status: 'failed', error };
  }

  /** The last chunks: they end what is open, and say how the run ended. */
  #conclude(run: Run, settings: ModelSettings, { status, error, finishReason }: Ending, usage: Usage): void {
    const failure = error && { error: { code: error.code, message: error.message } };
    const messageMetadata = { runId: run.id, model: settings.name, status, usage, ...failure };
    const ends: UIMessageChunk[] = [...run.parts.endsOfTexts(), { type: 'message-metadata', messageMetadata }];
    if (error !== undefined) ends.push({ type: 'error', errorText: error.message });
    if (status === 'cancelled' || status === 'interrupted') ends.push({ type: 'abort', reason: status });
    const reason = finishReason === undefined ? {} : { finishReason: finishReason as FinishReason };
    for (const chunk of [...ends, { type: 'finish', ...reason, messageMetadata } as const]) run.emit(chunk);
  }

  async #store(run: Run, { status, error }: Ending, usage: Usage): Promise<void> {
    const message = await messageOf(run.messageId, await run.log.chunks());
    const { threads } = this.#deps;
    await new Storing(this.#deps, run.id, 'chat').store('an answer could not be stored', async () => {
      // First, because no part of a run is stored after its end.
      const isFlushed = await run.flush();
      if (run.isLost) return;
      if (!isFlushed) throw new AppError('unavailable', 'The end of an answer could not be stored.');
      const store = () =>
        threads.write(run.userId, async (tx) => {
          await updateUsage(tx, run, usage);
          // Another replica may have ended it, or its user is gone.
          if (!(await endRun(tx, run, status, error?.code ?? null))) return;
          await storeAnswer(threads, tx, run, message);
          await this.#deps.runEnded(tx, run, status, error?.code ?? null);
        });
      await this.#connectionLimit(store).catch(ignoreUserDeleted);
    });
  }

  async #beforeStep(run: Run, usage: Usage, unattended: Unattended | undefined): Promise<void> {
    const { db } = this.#deps;
    if (!(await updateUsage(db, run, usage))) run.stop('lost');
    // The run itself has been counted when it began.
    await this.#budgets.assertLeft(db, run.userId, 'runs');
    if (unattended !== undefined) await assertBudgetLeft(db, run, unattended.budget);
  }

  async #storeSummary({ id, userId, threadId }: Run, summary: Summary): Promise<void> {
    const { threads } = this.#deps;
    await threads.write(userId, async (tx) => {
      // Another run may have begun since, and replaced messages.
      if ((await selectRun(tx, userId, id))?.status === 'running') await threads.setSummary(tx, userId, threadId, summary);
    });
  }

  /** The names of all tools, those that a model is told of, and those that it finds. */
  async #tools({ userId, threadId }: Run): Promise<Pick<LoopInput, 'tools' | 'deferred'> & { names: Catalog['tools'] }> {
    const { executor, providers, config } = this.#deps;
    const catalog = this.#deps.catalog();
    const [accounts, grant] = await Promise.all([executor.accounts(userId), executor.threadGrant(userId, threadId)]);
    const offered = await offeredTools(catalog, accounts, providers, grant, config.limits);
    const tools = await Promise.all(offered.listed.map((action) => toTool(action, catalog)));
    const names = catalog.tools;
    if (offered.deferred.length === 0) return { names, tools, deferred: undefined };
    return { names, tools: [...tools, ...deferringTools(offered.deferred, catalog.agents)], deferred: { catalog, ...offered } };
  }

  async #model(settings: ModelSettings, unattended: Unattended | undefined): Promise<Model> {
    if (unattended?.call !== undefined) return fixedCallModel(unattended.call);
    const load = this.#models.get(settings.name) ?? loadOnce(() => languageModel(settings));
    this.#models.set(settings.name, load);
    return load();
  }
}
