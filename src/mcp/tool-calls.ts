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
import { APPROVAL_RESULT_TOOL_NAME, CALL_TOOL_NAME, FIND_TOOLS_NAME } from '../integrations/catalog.ts';
import { describeError } from '../observability/logger.ts';
import { callIn, noSuchTool, queryIn } from '../tools/deferred-tools.ts';
import { findTools, withSchema } from '../tools/offered-tools.ts';
import { cutText } from '../validation/cut-text.ts';
import { isObject } from '../validation/is-object.ts';
import { approvalIdOf, outcomeResult, WAIT_MS } from './approval-result.ts';
import { toBeApproved, toErrorResult, toToolResult, withText } from './call-results.ts';
import { type McpClient, type McpDeps, SURFACE } from './mcp-deps.ts';
import { type Progress, progressOf } from './progress.ts';
import { type AskedState, type AskedStates, hashOfCall } from './request-state.ts';
import { offeredTo } from './tool-list.ts';

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
    if (params.name === CALL_TOOL_NAME) {
      // From here on it is a call of that tool, so that a question and its answer are about the tool itself.
      const called = callIn(params.arguments);
      await assertKnown(deps, client, called.name);
      return await callNamed(deps, client, states, called, context, progress).catch((error: unknown) =>
        explained(deps, client, called, error),
      );
    }
    return await callNamed(deps, client, states, params, context, progress);
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    const error = asAppError(thrown);
    if (error.code === 'internal') deps.logger.error({ err: describeError(thrown) }, 'a call over MCP failed');
    const running = error.code === 'conflict' ? error.details?.approvalId : undefined;
    // Some clients show models the text only.
    const wayOn = running === undefined ? '' : ` Call ${APPROVAL_RESULT_TOOL_NAME} with id ${running}.`;
    return toErrorResult(error, error.message + wayOn);
  } finally {
    progress.end();
  }
}

/** @throws AppError, ProtocolError */
async function callNamed(
  deps: McpDeps,
  client: McpClient,
  states: AskedStates,
  params: ToolParams,
  context: ServerContext,
  progress: Progress,
): Promise<CallToolResult | InputRequiredResult> {
  const asked = context.mcpReq.requestState<AskedState>();
  if (asked !== undefined) return answered(deps, client, asked, params, context);
  if (params.name === APPROVAL_RESULT_TOOL_NAME) return outcomeOf(deps, client, approvalIdOf(params.arguments), context);
  if (params.name === FIND_TOOLS_NAME) return found(deps, client, queryIn(params.arguments));
  try {
    const result = await invoke(deps, client, params, context, progress.message);
    return toToolResult(result, (action) => toolOf(deps, action));
  } catch (thrown) {
    const error = asAppError(thrown);
    if (error.code === 'approval_required') return ask(states, params, error, context);
    throw thrown;
  }
}

/** The tools that a list has left out, as far as they fit a query. */
async function found(deps: McpDeps, client: McpClient, query: string): Promise<CallToolResult> {
  const catalog = deps.catalog();
  const { deferred } = await offeredTo(deps, client, catalog);
  return withText({ ...(await findTools(query, deferred, catalog)) });
}

/** The error of a call whose model may not know the tool's arguments: with their schema. */
async function explained(deps: McpDeps, client: McpClient, { name }: ToolParams, thrown: unknown): Promise<never> {
  const error = asAppError(thrown);
  if (error.code !== 'invalid_request') throw thrown;
  const catalog = deps.catalog();
  const { listed, deferred } = await offeredTo(deps, client, catalog);
  throw await withSchema(error, name, [...listed, ...deferred], catalog);
}

async function invoke(
  deps: McpDeps,
  user: McpClient,
  { name, arguments: input }: ToolParams,
  { mcpReq: { signal } }: ServerContext,
  progress: (message: string) => void,
) {
  await assertKnown(deps, user, name).catch(() => {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${cutText(name, 100)}`);
  });
  return deps.executor.invoke({ user, surface: SURFACE, action: name, input, signal, progress });
}

/** Actions are known by their tools' names only, so that a client calls what it was shown. @throws AppError `not_found`, which is on record */
async function assertKnown({ executor, catalog }: McpDeps, user: McpClient, name: string): Promise<void> {
  if (!catalog().tools.has(name)) await executor.refuse({ user, surface: SURFACE, action: name }, noSuchTool(name));
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
