import { type ListToolsResult, ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import { callableTools } from '../tools/callable-tools.ts';
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
  { userId, clientId }: McpClient,
  cursor: string | undefined,
): Promise<ListToolsResult> {
  if (cursor !== undefined && !CURSOR.test(cursor)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such page.');
  const start = Number(cursor ?? 0);
  const client = await executor.client(userId, clientId);
  const tools = await callableTools(catalog(), await executor.accounts(userId), providers, client);
  const all = [...(mcpTools(tools) as Tool[]), APPROVAL_RESULT_TOOL];
  const end = start + PAGE;
  return { tools: all.slice(start, end), ...(end < all.length && { nextCursor: String(end) }) };
}
