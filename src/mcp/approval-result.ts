import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { pollUntil } from '../clock/poll-until.ts';
import { AppError } from '../errors.ts';
import { type ApprovalOutcome, EDITED } from '../executor/approvals/approval-outcomes.ts';
import { APPROVAL_RESULT_TOOL_NAME } from '../integrations/catalog.ts';
import { toErrorResult, toToolResult, withText } from './call-results.ts';
import type { McpClient, McpDeps } from './mcp-deps.ts';

/** Clients give up after a minute, some after half of one. */
const WAIT_MS = 25_000;
const POLL_MS = 1_000;
const UNDECIDED: ReadonlySet<ApprovalOutcome['status']> = new Set(['pending', 'running']);

/** How an approval ended, for the client that asked. */
export const APPROVAL_RESULT_TOOL: Tool = {
  name: APPROVAL_RESULT_TOOL_NAME,
  description:
    'After approval_required: waits up to 25 s for the user’s decision and returns what the call gave, or `pending`; then ask the user and call this again.',
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'string', description: 'approvalId of the error.' } },
    required: ['id'],
  },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
};

/**
 * Waits for the end of an approval.
 *
 * @param signal ends the wait when the client leaves
 * @throws AppError `not_found`, also for the approval of another client or user; `invalid_token`
 */
export async function awaitOutcome(
  { executor, clock }: Pick<McpDeps, 'executor' | 'clock'>,
  client: McpClient,
  approvalId: string,
  signal: AbortSignal,
): Promise<ApprovalOutcome> {
  const look = () => executor.outcome(client, approvalId);
  return pollUntil(clock, look, ({ status }) => isEnd(status), { everyMs: POLL_MS, limitMs: WAIT_MS, signal });
}

/** Arguments of the tool. @throws AppError `invalid_request` */
export function approvalIdOf(given: unknown): string {
  // Models also send it under the name that the error has for it.
  const { id, approvalId = id } = (given ?? {}) as { id?: unknown; approvalId?: unknown };
  if (typeof approvalId === 'string') return approvalId;
  throw new AppError('invalid_request', 'id: is missing.');
}

/**
 * The call's own result where there is one; else how it ended, or where to go on.
 *
 * @param url of the approval's page
 * @param toolOf the tool of an action
 */
export function outcomeResult(
  { status, edited, result, error }: ApprovalOutcome,
  approvalId: string,
  url: string,
  toolOf: (action: string) => string | undefined,
): CallToolResult {
  if (error !== undefined) return toErrorResult({ ...error, details: undefined }, edited && `${error.message} ${EDITED}`);
  if (status === 'pending') {
    const hint = `The user hasn’t decided yet. Ask the user to open ${url}, then call ${APPROVAL_RESULT_TOOL_NAME} with id ${approvalId}.`;
    return withText({ status, approvalId, url, hint });
  }
  if (result === undefined) return { ...withText({ status, ...(edited && { edited }) }), ...(isEnd(status) && { isError: true }) };
  return toToolResult(result, toolOf);
}

function isEnd(status: ApprovalOutcome['status']): boolean {
  return !UNDECIDED.has(status);
}
