import {
  type CallToolRequest,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type AppError, asAppError } from '../errors.ts';
import type { ApprovalOutcome } from '../executor/approvals/approval-outcomes.ts';
import type { AskedPreview } from '../executor/executor.ts';
import { APPROVAL_RESULT_TOOL_NAME } from '../integrations/catalog.ts';
import { describeError } from '../observability/logger.ts';
import { cutText } from '../validation/cut-text.ts';
import { isObject } from '../validation/is-object.ts';
import { approvalIdOf, outcomeResult, WAIT_MS } from './approval-result.ts';
import { toBeApproved, toErrorResult, toToolResult } from './call-results.ts';
import { type McpClient, type McpDeps, SURFACE } from './mcp-deps.ts';
import { progressOf } from './progress.ts';
import { type AskedState, type AskedStates, hashOfCall } from './request-state.ts';

type ToolParams = CallToolRequest['params'];

/** Name of the question in a result that requires input. */
const QUESTION = 'approval';

/**
 * Calls a tool. What the executor refuses is a result with `isError`, which a model can read; only a tool that doesn't
 * exist is an error of the protocol.
 *
 * @throws ProtocolError
 */
export async function callTool(
  deps: McpDeps,
  client: McpClient,
  states: AskedStates,
  params: ToolParams,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const progress = progressOf(context, deps.clock);
  try {
    const asked = context.mcpReq.requestState<AskedState>();
    if (asked !== undefined) return await answered(deps, client, asked, params, context);
    if (params.name === APPROVAL_RESULT_TOOL_NAME) return await outcomeOf(deps, client, approvalIdOf(params.arguments), context);
    const result = await invoke(deps, client, params, context, progress.message);
    return toToolResult(result, (action) => toolOf(deps, action));
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    const error = asAppError(thrown);
    if (error.code === 'internal') deps.logger.error({ err: describeError(thrown) }, 'a call over MCP failed');
    if (error.code === 'approval_required') return ask(states, params, error, context);
    const running = error.code === 'conflict' ? error.details?.approvalId : undefined;
    // Some clients show models the text only.
    const wayOn = running === undefined ? '' : ` Call ${APPROVAL_RESULT_TOOL_NAME} with id ${running}.`;
    return toErrorResult(error, error.message + wayOn);
  } finally {
    progress.end();
  }
}

function invoke(
  { executor, catalog }: McpDeps,
  user: McpClient,
  { name, arguments: input }: ToolParams,
  { mcpReq: { signal } }: ServerContext,
  progress: (message: string) => void,
) {
  // Actions are known by their tools' names only, so that a client calls what it was shown.
  if (!catalog().tools.has(name)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${cutText(name, 100)}`);
  return executor.invoke({ user, surface: SURFACE, action: name, input, signal, progress });
}

/** Where the client can show a page, it is asked to; any other is told the page's address. */
async function ask(
  states: AskedStates,
  params: ToolParams,
  error: AppError,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  if (!showsPages(context)) return toErrorResult(error, toBeApproved(error));
  const { approvalId, url, summary } = error.details as unknown as AskedPreview;
  return inputRequired({
    inputRequests: { [QUESTION]: inputRequired.elicitUrl({ url, message: `Steward needs your approval: ${summary}` }) },
    requestState: await states.mint({ approvalId, call: hashOfCall(params) }, context),
  });
}

/** Whether the client declares that it can ask the user to open an address (“Elicitation”, URL mode). */
function showsPages({ mcpReq: { envelope } }: ServerContext): boolean {
  const declared: unknown = (envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
  const elicitation = isObject(declared) ? declared.elicitation : undefined;
  return isObject(elicitation) && elicitation.url !== undefined;
}

/** The call again, after the user was shown the page: its end, or that it isn't decided yet. It isn't run again. */
async function answered(
  deps: McpDeps,
  client: McpClient,
  { approvalId, call }: AskedState,
  params: ToolParams,
  context: ServerContext,
): Promise<CallToolResult> {
  if (call !== hashOfCall(params)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'This state is another call’s.');
  const view = inputResponse(context.mcpReq.inputResponses, QUESTION);
  // The user has put it off.
  if (view.kind === 'elicit' && view.action !== 'accept') {
    return shown(deps, approvalId, await deps.executor.outcome(client, approvalId));
  }
  return outcomeOf(deps, client, approvalId, context);
}

async function outcomeOf(deps: McpDeps, client: McpClient, approvalId: string, { mcpReq }: ServerContext): Promise<CallToolResult> {
  const wait = { limitMs: WAIT_MS, forDecision: true, signal: mcpReq.signal };
  return shown(deps, approvalId, await deps.executor.outcome(client, approvalId, wait));
}

function shown(deps: McpDeps, approvalId: string, outcome: ApprovalOutcome): CallToolResult {
  return outcomeResult(outcome, approvalId, deps.approvalUrl(approvalId), (action) => toolOf(deps, action));
}

function toolOf({ catalog }: McpDeps, action: string): string | undefined {
  return catalog().actions.get(action)?.tool;
}
