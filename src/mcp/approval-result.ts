import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { AppError } from '../errors.ts';
import { type ApprovalOutcome, EDITED } from '../executor/approvals/approval-outcomes.ts';
import { APPROVAL_RESULT_TOOL_NAME } from '../integrations/catalog.ts';
import { toErrorResult, toToolResult, withText } from './call-results.ts';

/** How long the tool waits. Clients give up after a minute, some after half of one. */
export const WAIT_MS = 25_000;

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
  annotations: { readOnlyHint: true, openWorldHint: false },
};

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
  if (result === undefined) return { ...withText({ status, ...(edited && { edited }) }), ...(status !== 'running' && { isError: true }) };
  return toToolResult(result, toolOf);
}
