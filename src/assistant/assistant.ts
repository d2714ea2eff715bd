import { importInTurns } from '../concurrency/import-in-turns.ts';
import { loadOnce } from '../concurrency/load-once.ts';
import type { ModelSettings } from '../config/config.ts';
import { AppError, restarting } from '../errors.ts';
import type { Principal } from '../principal.ts';
import { inPerson } from '../principal.ts';
import type { ChatDeps } from './chat-deps.ts';
import type { Beginning, ChatRuns, UnattendedThread } from './chat-runs.ts';
import { type BudgetOfDay, Budgets } from './runs/budgets.ts';
import { selectAbandoned } from './runs/runs-repository.ts';
import type { Unattended } from './runs/unattended.ts';
import type { ChatStream } from './stream/chat-stream.ts';
import type { ChatRequest } from './threads/chat-request.ts';

/** How an answer is begun that no front end has asked for. */
type UnattendedStart = Required<Pick<Beginning, 'unattended' | 'prepare'>>;

/** A model as front ends see it. */
export interface ShownModel {
  name: string;
  default: boolean;
  standIn: boolean;
}

/** The assistant. What runs models is loaded with the first chat. */
export class Assistant {
  readonly #deps: ChatDeps;
  readonly #load: () => Promise<ChatRuns>;
  #loaded: ChatRuns | undefined;
  #isClosed = false;

  constructor(deps: ChatDeps) {
    this.#deps = deps;
    this.#load = loadOnce(() => this.#loadRuns());
  }

  /**
   * Begins a run in a thread, which is begun if there is none.
   *
   * @throws AppError `assistant_disabled` without a model; `forbidden` for a client; what {@link ChatRuns.send} throws
   */
  async send(principal: Principal, request: ChatRequest): Promise<ChatStream> {
    const { userId } = inPerson(principal, 'use the assistant');
    const settings = this.#model(request.model);
    return (await this.#runs()).send(userId, request, settings);
  }

  /**
   * Begins a thread that its user doesn't follow.
   *
   * @throws AppError `assistant_disabled` without a model, if it needs one; what {@link ChatRuns.begin} throws
   */
  async beginUnattended(thread: UnattendedThread, how: UnattendedStart): Promise<{ ended: Promise<void> }> {
    return (await this.#runs()).begin(thread, { ...how, settings: await this.#settingsOf(how.unattended) });
  }

  /** Goes on with such a thread, once its user has decided. @throws AppError what {@link ChatRuns.goOn} throws */
  async goOnUnattended(thread: { userId: string; threadId: string }, how: UnattendedStart): Promise<{ ended: Promise<void> }> {
    return (await this.#runs()).goOn(thread, { ...how, settings: await this.#settingsOf(how.unattended) });
  }

  /** The run of a thread, from its beginning; undefined: none is running. @throws AppError `forbidden`, `assistant_disabled` */
  async resume(principal: Principal, threadId: string): Promise<ChatStream | undefined> {
    const { userId } = inPerson(principal, 'use the assistant');
    this.#model(undefined);
    return (await this.#runs()).resume(userId, threadId);
  }

  /** Stops the run of a thread, on whichever replica it is. @param runId only this one; undefined: whichever it is */
  async cancel(userId: string, threadId: string, runId?: string): Promise<void> {
    await (await this.#runs()).cancel(userId, threadId, runId);
  }

  /** Ends runs whose replica is gone, so that their messages can be read. @param of only this thread's. @returns whether there were any */
  async endAbandoned(of?: { userId: string; threadId: string }): Promise<boolean> {
    if ((await selectAbandoned(this.#deps.db, 1, of)).length === 0) return false;
    await (await this.#load()).endAbandoned(of);
    return true;
  }

  models(): ShownModel[] {
    return this.#deps.models.map(({ name, isStandIn }, index) => ({ name, default: index === 0, standIn: isStandIn === true }));
  }

  budget(userId: string): Promise<BudgetOfDay> {
    return new Budgets(this.#deps.config.modelBudget, this.#deps.clock).ofDay(this.#deps.db, userId);
  }

  /** Ends the user's runs on this replica; nothing more is stored of them. */
  userDeleted(userId: string): void {
    this.#loaded?.userDeleted(userId);
  }

  /** Lets running answers end within a time, and begins none. */
  async close(withinMs: number): Promise<void> {
    this.#isClosed = true;
    await this.#loaded?.close(withinMs);
  }

  async #loadRuns(): Promise<ChatRuns> {
    await importInTurns([...this.#deps.models.slice(0, 1).map(({ provider }) => `@ai-sdk/${provider}`), 'ai']);
    const { ChatRuns } = await import('./chat-runs.ts');
    this.#loaded = new ChatRuns(this.#deps);
    return this.#loaded;
  }

  async #runs(): Promise<ChatRuns> {
    if (this.#isClosed) throw restarting();
    return this.#load();
  }

  async #settingsOf({ call }: Unattended): Promise<ModelSettings> {
    return call === undefined ? this.#model(undefined) : (await import('./models/fixed-call.ts')).FIXED_CALL;
  }

  #model(name: string | undefined): ModelSettings {
    const { models } = this.#deps;
    if (models.length === 0) throw new AppError('assistant_disabled', 'No model is configured on this server.');
    const found = name === undefined ? models[0] : models.find((one) => one.name === name);
    if (found !== undefined) return found;
    throw new AppError('invalid_request', `model: one of ${models.map((one) => one.name).join(', ')}.`);
  }
}
