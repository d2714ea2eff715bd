import { type ListToolsResult, ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import { callableActions, toTool } from '../tools/callable-tools.ts';
import { mcpTools } from '../tools/mcp-tools.ts';
import { APPROVAL_RESULT_TOOL } from './approval-result.ts';
import type { McpClient, McpDeps } from './mcp-deps.ts';

/** Tools of one page. Clients that show fewer tools than there are would cut the list anyway. */
const PAGE = 250;
const CURSOR = /^\d{1,6}$/;

/**
 * What the client may call now, in the catalog's order, so that equal lists are equal texts.
 *
 * @param cursor of the previous page
 * @throws ProtocolError for a cursor that no page gave
 */
export async function listTools(
  { catalog, executor, providers }: Pick<McpDeps, 'catalog' | 'executor' | 'providers'>,
  caller: McpClient,
  cursor: string | undefined,
): Promise<ListToolsResult> {
  if (cursor !== undefined && !CURSOR.test(cursor)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such page.');
  const start = Number(cursor ?? 0);
  const client = await executor.client(caller);
  const current = catalog();
  const actions = callableActions(current, await executor.accounts(caller.userId), providers, client);
  const end = start + PAGE;
  // Schemas are made for this page only.
  const page = mcpTools(await Promise.all(actions.slice(start, end).map((action) => toTool(action, current)))) as Tool[];
  return end < actions.length ? { tools: page, nextCursor: String(end) } : { tools: [...page, APPROVAL_RESULT_TOOL] };
}
