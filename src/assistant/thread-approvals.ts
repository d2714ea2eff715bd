import type { UIMessage, UIMessageChunk } from 'ai';
import type { Clock } from '../clock/clock.ts';
import { AppError, asAppError } from '../errors.ts';
import type { ApprovalOutcome } from '../executor/approvals/approval-outcomes.ts';
import type { Executor } from '../executor/executor.ts';
import type { Catalog } from '../integrations/catalog.ts';
import type { ToolFailure } from '../tools/tool-error.ts';
import { toolOutput } from '../tools/tool-output.ts';
import { failedCall } from './stream/open-parts.ts';

type ToolPart = Extract<UIMessage['parts'][number], { type: 'dynamic-tool' }>;

export interface ApprovalDeps {
  executor: Pick<Executor, 'outcome'>;
  clock: Clock;
  catalog(): Catalog;
}

/** The decisions on a message's calls, as far as they are known. */
export interface Decided {
  /** They tell a front end what has become of the calls. */
  chunks: UIMessageChunk[];
  /** Approvals that are not decided yet. */
  undecided: { approvalId: string; descriptor: unknown }[];
}

const WAIT_MS = 15_000;
const LOST: ToolFailure = { code: 'outcome_unknown', message: 'What became of this call is no longer known.' };
const NOT_KEPT: ToolFailure = { code: 'outcome_unknown', message: 'The call ran, but its result is no longer kept.' };
const UNDECIDED: ToolFailure = {
  code: 'aborted',
  message: 'The user did not decide in time, or the question ended. The call was not made.',
};

/** Looks up what has become of the calls of a message that waited for the user. What a client says about it doesn't count. */
export async function decisionsOn(deps: ApprovalDeps, thread: { userId: string; thread: string }, message: UIMessage): Promise<Decided> {
  const decided: Decided = { chunks: [], undecided: [] };
  const deadline = deps.clock.monotonic() + WAIT_MS;
  for (const part of message.parts) {
    if (part.type !== 'dynamic-tool' || part.state !== 'approval-requested') continue;
    const { id: approvalId, descriptor } = part.approval;
    const outcome = await ended(deps, thread, approvalId, deadline);
    const chunks = chunksOf(deps, part, approvalId, outcome);
    if (chunks === undefined) decided.undecided.push({ approvalId, descriptor });
    else decided.chunks.push(...chunks);
  }
  return decided;
}

/** @returns undefined: it is not known any more */
async function ended(
  { executor, clock }: ApprovalDeps,
  thread: { userId: string; thread: string },
  id: string,
  deadline: number,
): Promise<ApprovalOutcome | undefined> {
  try {
    return await executor.outcome(thread, id, { limitMs: deadline - clock.monotonic() });
  } catch (thrown) {
    if (asAppError(thrown).code === 'not_found') return undefined;
    throw thrown;
  }
}

/** @param outcome undefined: it is not known any more. @returns undefined: it is not decided yet */
function chunksOf(
  { catalog }: ApprovalDeps,
  { toolCallId, toolName }: ToolPart,
  approvalId: string,
  outcome: ApprovalOutcome | undefined,
): UIMessageChunk[] | undefined {
  const decision = (approved: boolean): UIMessageChunk => ({ type: 'tool-approval-response', approvalId, approved });
  const failed = (failure: ToolFailure) => failedCall({ toolCallId, toolName, isComplete: true }, failure);
  switch (outcome?.status) {
    case undefined:
      return [failed(LOST)];
    case 'done': {
      if (outcome.result === undefined) return [decision(true), failed(NOT_KEPT)];
      const output = toolOutput(outcome.result, (action) => catalog().actions.get(action)?.tool);
      return [decision(true), { type: 'tool-output-available', toolCallId, output, dynamic: true }];
    }
    case 'failed':
      return [decision(true), failed(outcome.error ?? { code: 'internal', message: 'It failed.' })];
    case 'denied':
      return [decision(false), { type: 'tool-output-denied', toolCallId }];
    case 'expired':
    case 'ended':
      return [failed(UNDECIDED)];
    case 'pending':
      return undefined;
    case 'running':
      throw new AppError('conflict', 'The approved call is still running. Try again.');
  }
}
