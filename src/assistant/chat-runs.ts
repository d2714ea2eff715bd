import { randomUUID } from 'node:crypto';
import type { UIMessage } from 'ai';
import pLimit, { type LimitFunction } from 'p-limit';
import type { ModelSettings } from '../config/config.ts';
import type { Queryable } from '../database/database.ts';
import { AppError, restarting } from '../errors.ts';
import { detached } from '../observability/log-context.ts';
import { describeError } from '../observability/logger.ts';
import { AnswerRunner } from './answer-runner.ts';
import type { ChatDeps } from './chat-deps.ts';
import { endInterrupted } from './interrupted-runs.ts';
import { Budgets } from './runs/budgets.ts';
import { Run } from './runs/run.ts';
import { RunLeases } from './runs/run-leases.ts';
import {
  countRunning,
  insertRun,
  requestStop,
  type StoredRun,
  selectAbandoned,
  selectReadableRun,
  selectRun,
} from './runs/runs-repository.ts';
import type { Unattended } from './runs/unattended.ts';
import type { ChatStream } from './stream/chat-stream.ts';
import { ChunkStore } from './stream/chunk-store.ts';
import { ChunkWriter } from './stream/chunk-writer.ts';
import { FollowedRuns, type StoredPart } from './stream/followed-runs.ts';
import { chunksOf, messageOf } from './stream/ui-message.ts';
import { type Decided, decisionsOn } from './thread-approvals.ts';
import type { ChatRequest } from './threads/chat-request.ts';
import { applyTurn, type ChatTurn, outdated, turnOf } from './threads/chat-turn.ts';
import type { StoredMessage } from './threads/stored-message.ts';
import type { NewThread } from './threads/threads.ts';

type ThreadOf = { userId: string; threadId: string };

/** How a run is answered. */
export interface How {
  settings: ModelSettings;
  /** Left out: a front end has asked for it. */
  unattended?: Unattended;
}

export interface Beginning extends How {
  /** Within the transaction that begins it. */
  prepare?(tx: Queryable): Promise<void>;
}

/** A thread that its user doesn't follow. */
export interface UnattendedThread {
  thread: ThreadOf;
  /** The first message. */
  text: string;
  of: NewThread;
}

/** How long after its end a run is sent again to a client that was cut off. */
const REPLAY_SECONDS = 60;
const BUSY_SECONDS = 5;
const SWEPT_AT_ONCE = 100;

/** Runs of the assistant: begins them, and lets clients read them, also those of other replicas. Loaded with the first chat. */
export class ChatRuns {
  readonly #deps: ChatDeps;
  readonly #store: ChunkStore;
  readonly #leases: RunLeases;
  readonly #budgets: Budgets;
  readonly #answering: AnswerRunner;
  /**
   * Runs that begin or end at once would take all connections, and other requests would wait for one until they fail. They
   * wait here instead, where nothing times out.
   */
  readonly #connectionLimit: LimitFunction;
  readonly #followed: FollowedRuns<StoredRun>;
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;

  constructor(deps: ChatDeps) {
    this.#deps = deps;
    this.#store = new ChunkStore(deps.db, deps.userKeys);
    this.#leases = new RunLeases(deps.db, deps.config.limits.runLeaseMs, deps.polls);
    this.#followed = new FollowedRuns((run, from) => this.#stored(run, from), deps.clock);
    this.#budgets = new Budgets(deps.config.modelBudget, deps.clock);
    this.#connectionLimit = pLimit(Math.max(1, Math.floor(deps.config.limits.databaseConnections / 2)));
    this.#answering = new AnswerRunner(deps, this.#budgets, this.#connectionLimit);
    // biome-ignore lint/suspicious/noExplicitAny: the library's own global
    (globalThis as any).AI_SDK_LOG_WARNINGS = false;
  }

  /**
   * Begins a run.
   *
   * @throws AppError `conflict` while another one of the thread is running, or when the client's view of it is outdated;
   * `approval_required` when the thread's last answer waits for the user; `rate_limited` for too many runs, or a budget that
   * is used up; `invalid_request`
   */
  async send(userId: string, request: ChatRequest, settings: ModelSettings): Promise<ChatStream> {
    const turn = turnOf(request, this.#deps.config.limits.chatMessageBytes);
    const { run } = await this.#start({ userId, threadId: request.id }, turn, { settings });
    return this.#live(run, () => run.rebuilt);
  }

  /**
   * Begins the first run of a thread that its user doesn't follow.
   *
   * @returns once it has begun; `ended` resolves at its end
   * @throws AppError what {@link send} throws
   */
  async begin({ thread, text, of }: UnattendedThread, how: Beginning): Promise<{ ended: Promise<void> }> {
    return this.#start(thread, { kind: 'message', id: randomUUID(), text, of }, how);
  }

  /**
   * Goes on with such a thread, once its user has decided.
   *
   * @returns as {@link begin}
   * @throws AppError `approval_required` while the user hasn't; `conflict` when nothing in it waits; what {@link send} throws
   */
  async goOn(thread: ThreadOf, how: Beginning): Promise<{ ended: Promise<void> }> {
    const messages = await this.#connectionLimit(() => this.#deps.threads.messages(this.#deps.db, thread.userId, thread.threadId));
    const waiting = messages.findLast(hasPending);
    if (waiting === undefined) throw nothingWaits();
    return this.#start(thread, { kind: 'continue', id: waiting.message.id }, how);
  }

  async #start(thread: ThreadOf, turn: ChatTurn, how: Beginning): Promise<{ run: Run; ended: Promise<void> }> {
    this.#assertOpen();
    await this.#connectionLimit(() => this.endAbandoned(thread));
    const decided = await this.#decisions(thread, turn);
    const run = this.#newRun(thread, turn.kind === 'continue' ? turn.id : randomUUID());
    const begun = this.#connectionLimit(() => this.#begin(run, how, turn, decided));
    this.#track(begun.catch(() => {}));
    try {
      await begun;
    } catch (error) {
      run.end();
      throw error;
    }
    const continued = turn.kind === 'continue' ? decided.get(turn.id) : undefined;
    this.#leases.add(run);
    const ended = detached(() => this.#work(run, how, continued));
    this.#track(ended);
    return { run, ended };
  }

  /** The run of a thread, from its beginning; undefined: none is running, or has just ended. */
  async resume(userId: string, threadId: string): Promise<ChatStream | undefined> {
    const found = await selectReadableRun(this.#deps.db, userId, threadId, REPLAY_SECONDS);
    if (found === undefined) return undefined;
    const run = this.#leases.get(found.id);
    if (run !== undefined) return this.#live(run, () => 0);
    return { read: (signal) => this.#followed.read(found, signal), cancel: () => this.cancel(userId, threadId, found.id) };
  }

  /** Stops the run of a thread, on whichever replica it is. @param runId only this one: who read it may be late */
  async cancel(userId: string, threadId: string, runId?: string): Promise<void> {
    const id = await requestStop(this.#deps.db, userId, threadId, runId);
    if (id !== undefined) this.#leases.get(id)?.stop('cancelled');
  }

  /** Ends runs whose replica is gone. @param of only this thread's; left out: those of all, of which none hinders the others */
  async endAbandoned(of?: ThreadOf): Promise<void> {
    for (const run of await selectAbandoned(this.#deps.db, SWEPT_AT_ONCE, of)) {
      await endInterrupted(this.#deps, this.#store, run).catch((error: unknown) => {
        if (of !== undefined) throw error;
        this.#deps.logger.error({ run: run.id, err: describeError(error) }, 'an interrupted run could not be ended');
      });
    }
  }

  userDeleted(userId: string): void {
    for (const run of this.#leases.all()) if (run.userId === userId) run.stop('lost');
  }

  /** Begins no further runs, lets those of this replica end within a time, and interrupts the others. */
  async close(withinMs: number): Promise<void> {
    this.#isClosed = true;
    const limit = new AbortController();
    await Promise.race([this.#idle(), this.#deps.clock.sleep(withinMs, { signal: limit.signal }).catch(() => {})]);
    limit.abort();
    for (const run of this.#leases.all()) run.stop('interrupted');
    await this.#idle();
  }

  #assertOpen(): void {
    if (this.#isClosed) throw restarting();
  }

  #track(work: Promise<void>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }

  /** Resolves once nothing runs: a run that was beginning may have begun meanwhile. */
  async #idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** Decisions of the user since the thread's last run, by message. */
  async #decisions({ userId, threadId }: ThreadOf, turn: ChatTurn): Promise<Map<string, { message: UIMessage; decided: Decided }>> {
    const { db, threads } = this.#deps;
    const found = new Map<string, { message: UIMessage; decided: Decided }>();
    for (const { message } of (await this.#connectionLimit(() => threads.messages(db, userId, threadId))).filter(hasPending)) {
      const decided = await decisionsOn(this.#deps, { userId, thread: threadId }, message);
      found.set(message.id, { message, decided });
    }
    if (turn.kind !== 'continue') return found;
    const { decided } = found.get(turn.id) ?? {};
    if (decided === undefined) throw nothingWaits();
    const [first] = decided.undecided;
    if (first === undefined) return found;
    const details = (first.descriptor ?? { approvalId: first.approvalId }) as Record<string, unknown>;
    throw new AppError('approval_required', `The user has to decide first: ${String(details.url ?? first.approvalId)}`, { details });
  }

  async #begin(
    run: Run,
    { settings, unattended, prepare }: Beginning,
    turn: ChatTurn,
    decided: Map<string, { message: UIMessage; decided: Decided }>,
  ): Promise<void> {
    const { threads, config, catalog } = this.#deps;
    const { userId, threadId } = run;
    const { tools, actions } = catalog();
    const onlyReads = (tool: string) => actions.get(tools.get(tool) ?? '')?.action.effect === 'read';
    await threads.write(userId, async (tx) => {
      // It may have waited for long.
      this.#assertOpen();
      await this.#budgets.assertLeft(tx, userId);
      // One place is left to the user.
      const most = unattended === undefined ? config.limits.runsPerUser : Math.max(1, config.limits.runsPerUser - 1);
      if ((await countRunning(tx, userId)) >= most) await this.#assertFree(tx, run);
      await this.#assertPending(tx, run, decided);
      await applyTurn({ threads, userId, threadId, onlyReads }, tx, turn);
      await prepare?.(tx);
      if (!(await insertRun(tx, { ...identityOf(run), model: settings.name }, config.limits.runLeaseMs))) throw busy();
      const kept = decided.size === 0 ? [] : await threads.messages(tx, userId, threadId);
      for (const { message } of kept) {
        const found = decided.get(message.id);
        if (found !== undefined) await this.#storeDecisions(run, tx, message, found.decided);
      }
    });
  }

  /**
   * The decisions were looked up before the user was locked, which may take a while: another front end's run may have taken
   * them up, and ended, since then.
   *
   * @throws AppError `conflict`
   */
  async #assertPending(tx: Queryable, { userId, threadId }: Run, decided: ReadonlyMap<string, { message: UIMessage }>): Promise<void> {
    if (decided.size === 0) return;
    const now = new Map((await this.#deps.threads.messages(tx, userId, threadId)).map(({ message }) => [message.id, pendingOf(message)]));
    for (const [id, { message }] of decided) if (now.get(id)?.join() !== pendingOf(message).join()) throw outdated();
  }

  /** @throws AppError `conflict` when the thread itself has a run, `rate_limited` when others have */
  async #assertFree(tx: Queryable, { userId, threadId }: Run): Promise<void> {
    if ((await selectReadableRun(tx, userId, threadId, 0)) !== undefined) throw busy();
    const { runsPerUser } = this.#deps.config.limits;
    throw new AppError('rate_limited', `At most ${runsPerUser} conversations are answered at a time.`, { retryAfter: BUSY_SECONDS });
  }

  /** Results are read once only, so they are stored before a model receives them. */
  async #storeDecisions({ userId, threadId }: Run, tx: Queryable, message: UIMessage, { chunks }: Decided): Promise<void> {
    if (chunks.length === 0) return;
    const { parts } = await messageOf(message.id, [...chunksOf(message), ...chunks]);
    await this.#deps.threads.replace(tx, userId, threadId, { ...message, parts });
  }

  #newRun({ userId, threadId }: ThreadOf, messageId: string): Run {
    const identity = { id: randomUUID(), userId, threadId, messageId };
    const { clock, config } = this.#deps;
    return new Run(identity, config.limits, clock, (run) => new ChunkWriter(identity, this.#store, this.#deps, () => run.stop('lost')));
  }

  /** @param continued the message that goes on, in its state before the user's decisions */
  async #work(run: Run, { settings, unattended }: How, continued: { message: UIMessage; decided: Decided } | undefined): Promise<void> {
    try {
      run.emit({ type: 'start', messageId: run.messageId, messageMetadata: { runId: run.id, model: settings.name, status: 'running' } });
      if (continued !== undefined) {
        const rebuilt = chunksOf(continued.message);
        run.rebuilt = rebuilt.length;
        for (const chunk of [...rebuilt, ...continued.decided.chunks]) run.emit(chunk);
      }
      await this.#answering.answer(run, settings, unattended);
    } catch (error) {
      // Its lease ends, and it counts as interrupted.
      this.#deps.logger.error({ err: describeError(error) }, 'a run of the assistant failed');
    } finally {
      run.end();
      this.#leases.remove(run);
    }
  }

  #live(run: Run, skip: () => number): ChatStream {
    return {
      read: (signal) => run.log.read(signal, skip()),
      cancel: () => this.cancel(run.userId, run.threadId, run.id),
    };
  }

  /** What another replica's run has stored since, or an ended one's. */
  async #stored(run: StoredRun, from: number): Promise<StoredPart> {
    const { db } = this.#deps;
    // Before the chunks, so that those of an ended run are complete.
    const current = await selectRun(db, run.userId, run.id);
    if (current?.isAbandoned === true) await endInterrupted(this.#deps, this.#store, current);
    const chunks = await this.#store.read(db, run, from);
    return { chunks, isOver: current?.status !== 'running' || current.isAbandoned };
  }
}

function hasPending({ message }: StoredMessage): boolean {
  return pendingOf(message).length > 0;
}

/** The approvals that a message waits for. */
function pendingOf({ parts }: UIMessage): string[] {
  return parts.flatMap((part) => (part.type === 'dynamic-tool' && part.state === 'approval-requested' ? [part.approval.id] : []));
}

function nothingWaits(): AppError {
  return new AppError('conflict', 'Nothing in this conversation waits for a decision. Load it again.', {
    details: { reason: 'nothing_waits' },
  });
}

function identityOf({ id, userId, threadId, messageId }: Run) {
  return { id, userId, threadId, messageId };
}

function busy(): AppError {
  return new AppError('conflict', 'This conversation is being answered. Wait for the end, or stop it.', { retryAfter: BUSY_SECONDS });
}
