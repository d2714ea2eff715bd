import type { UIMessageChunk } from 'ai';
import type { Clock } from '../../clock/clock.ts';
import type { Limits } from '../../config/limits.ts';
import type { Database } from '../../database/database.ts';
import { AppError, asAppError } from '../../errors.ts';
import { STORING_MS } from '../../executor/audit/storing.ts';
import type { Executor, LinkedPreview } from '../../executor/executor.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import { describeError, type Logger } from '../../observability/logger.ts';
import { noSuchTool } from '../../tools/deferred-tools.ts';
import { type ToolFailure, toolErrorText } from '../../tools/tool-error.ts';
import { type ToolOutput, toolOutput } from '../../tools/tool-output.ts';
import { renewLeases } from '../runs/runs-repository.ts';
import { failedCall, type OpenCall } from '../stream/open-parts.ts';

export interface ToolCallDeps {
  db: Database;
  clock: Clock;
  config: { limits: Pick<Limits, 'runLeaseMs'> };
  executor: Pick<Executor, 'invoke' | 'refuse'>;
  catalog(): Catalog;
  logger: Logger;
}

/** Whose calls they are. */
export interface CallingRun {
  id: string;
  userId: string;
  threadId: string;
  signal: AbortSignal;
  /** Resolves once it is stored that a call is being made. @throws AppError */
  recorded(toolCallId: string): Promise<void>;
}

/** How a call ended; `pending`: it waits for the user's approval. */
type Outcome = { output: ToolOutput } | { pending: LinkedPreview } | { error: AppError };

const SURFACE = 'assistant';
/** After a run was stopped: a change that has started has this long to end, and what follows from it to be stored. */
const SETTLE_MS = 15_000 + STORING_MS;
const NOT_CALLED: ToolFailure = { code: 'aborted', message: 'The call was not made.' };
const UNKNOWN: ToolFailure = { code: 'outcome_unknown', message: 'It is not known whether this ran.' };

const none = () => undefined;

type Explain = (error: AppError) => Promise<AppError>;

/** A failure that the library turns into its {@link toolErrorText}. */
class ToolError extends Error {
  constructor(failure: ToolFailure) {
    super(failure.message);
    this.name = failure.code;
    // No log shows a stack of it.
    this.stack = toolErrorText(failure);
  }
}

/** The calls that a model makes in one run. Each is checked by the executor like any other caller's. */
export class ToolCalls {
  readonly #deps: ToolCallDeps;
  readonly #run: CallingRun;
  readonly #named: ReadonlySet<string>;
  readonly #outcomes = new Map<string, Promise<Outcome>>();
  readonly #pending = new Map<string, LinkedPreview>();

  /** @param named addresses that the user has typed in the thread */
  constructor(deps: ToolCallDeps, run: CallingRun, named: ReadonlySet<string>) {
    this.#deps = deps;
    this.#run = run;
    this.#named = named;
  }

  /** Whether a call waits for the user's approval. */
  get hasPendingApprovals(): boolean {
    return this.#pending.size > 0;
  }

  /** The question about a call that waits for the user's approval. */
  pendingOf(toolCallId: string): LinkedPreview | undefined {
    return this.#pending.get(toolCallId);
  }

  /**
   * Makes a call.
   *
   * @param explain what the model is told of its error, if it may not know the tool's arguments
   * @throws ToolError
   */
  async call(tool: string, toolCallId: string, input: unknown, explain: Explain = async (error) => error): Promise<unknown> {
    const made = this.#make(tool, toolCallId, input, explain);
    this.#outcomes.set(toolCallId, made);
    const outcome = await made;
    if ('error' in outcome) throw new ToolError(outcome.error);
    return 'pending' in outcome ? { pending: outcome.pending.approvalId } : outcome.output;
  }

  /** Puts a call on record whose tool there is not. @throws AppError `not_found` */
  refuse(tool: string): Promise<never> {
    const { userId } = this.#run;
    return this.#deps.executor.refuse({ user: { userId }, surface: SURFACE, action: tool }, noSuchTool(tool));
  }

  /** What a tool of the service's own gives. @throws ToolError */
  async own<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (thrown) {
      throw thrown instanceof ToolError ? thrown : new ToolError(this.#failure(thrown));
    }
  }

  /** Chunks with the results of calls that the stopped run has not sent. Waits for changes that have started. */
  async settle(open: readonly OpenCall[]): Promise<UIMessageChunk[]> {
    const limit = new AbortController();
    const overdue: Promise<undefined> = this.#deps.clock.sleep(SETTLE_MS, { signal: limit.signal, ref: false }).then(none, none);
    const chunks = await Promise.all(
      open.map(async (call) => this.#settled(call, await Promise.race([this.#outcomes.get(call.toolCallId), overdue]))),
    );
    limit.abort();
    return chunks;
  }

  /** The chunk that tells of a call that waits for approval. */
  approvalRequest(toolCallId: string, preview: LinkedPreview): UIMessageChunk {
    return {
      type: 'tool-approval-request',
      approvalId: preview.approvalId,
      toolCallId,
      approvalDescriptor: preview,
      reason: preview.summary,
    };
  }

  #changes(tool: string): boolean {
    const { tools, actions } = this.#deps.catalog();
    return actions.get(tools.get(tool) ?? '')?.action.effect !== 'read';
  }

  /**
   * After the call has waited, for other calls or for the database: the user may have stopped the run, or another replica
   * may have told the user that it was interrupted.
   *
   * @throws AppError `aborted`
   */
  async #assertRunning(): Promise<void> {
    const { db, config } = this.#deps;
    const [lease] = await renewLeases(db, [this.#run], config.limits.runLeaseMs);
    if (lease === undefined || lease.cancelled) throw new AppError('aborted', 'The answer was stopped before this call was made.');
  }

  #settled(call: OpenCall, outcome: Outcome | undefined): UIMessageChunk {
    const { toolCallId } = call;
    if (outcome === undefined) return failedCall(call, this.#outcomes.has(toolCallId) ? UNKNOWN : NOT_CALLED);
    if ('output' in outcome) return { type: 'tool-output-available', toolCallId, output: outcome.output, dynamic: true };
    if ('pending' in outcome) return this.approvalRequest(toolCallId, outcome.pending);
    return failedCall(call, outcome.error);
  }

  async #make(tool: string, toolCallId: string, input: unknown, explain: Explain): Promise<Outcome> {
    const { executor, catalog } = this.#deps;
    const { id, userId, threadId, signal } = this.#run;
    try {
      if (this.#changes(tool)) {
        await this.#run.recorded(toolCallId);
        await this.#assertRunning();
      }
      const result = await executor.invoke({
        user: { userId },
        thread: threadId,
        named: this.#named,
        surface: SURFACE,
        action: tool,
        input,
        idempotencyKey: `${id}:${toolCallId}`,
        signal,
      });
      return { output: toolOutput(result, (action) => catalog().actions.get(action)?.tool) };
    } catch (thrown) {
      const error = this.#failure(thrown);
      if (error.code === 'approval_required') {
        const pending = error.details as unknown as LinkedPreview;
        this.#pending.set(toolCallId, pending);
        return { pending };
      }
      return { error: await explain(error) };
    }
  }

  #failure(thrown: unknown): AppError {
    const error = asAppError(thrown);
    if (error.code === 'internal') this.#deps.logger.error({ err: describeError(thrown) }, 'a call of the assistant failed');
    return error;
  }
}
