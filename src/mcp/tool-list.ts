import { type ListToolsResult, ProtocolError, ProtocolErrorCode, type Tool } from '@modelcontextprotocol/server';
import type { Catalog } from '../integrations/catalog.ts';
import { toTool } from '../tools/callable-tools.ts';
import { deferringTools } from '../tools/deferred-tools.ts';
import { mcpTools } from '../tools/mcp-tools.ts';
import { type OfferedTools, offeredTools } from '../tools/offered-tools.ts';
import { APPROVAL_RESULT_TOOL } from './approval-result.ts';
import type { McpClient, McpDeps } from './mcp-deps.ts';

/** Tools of one page. Clients that show fewer tools than there are would cut the list anyway. */
const PAGE = 250;
const CURSOR = /^\d{1,6}$/;

type ListDeps = Pick<McpDeps, 'catalog' | 'executor' | 'providers' | 'limits'>;

/**
 * What the client may call now, in the catalog's order, so that equal lists are equal texts. A list that would be too long
 * has `find_tools` and `call_tool` in place of the tools of sources.
 *
 * @param cursor of the previous page
 * @throws ProtocolError for a cursor that no page gave
 */
export async function listTools(deps: ListDeps, caller: McpClient, cursor: string | undefined): Promise<ListToolsResult> {
  if (cursor !== undefined && !CURSOR.test(cursor)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such page.');
  const start = Number(cursor ?? 0);
  const current = deps.catalog();
  const { listed, deferred } = await offeredTo(deps, caller, current);
  const end = start + PAGE;
  // Schemas are made for this page only.
  const page = mcpTools(await Promise.all(listed.slice(start, end).map((action) => toTool(action, current)))) as Tool[];
  if (end < listed.length) return { tools: page, nextCursor: String(end) };
  const deferring = deferred.length === 0 ? [] : (mcpTools(deferringTools(deferred, current.agents)) as Tool[]);
  return { tools: [...page, ...deferring, APPROVAL_RESULT_TOOL] };
}

/** The tools of a client's list, and those that it leaves out. */
export async function offeredTo({ executor, providers, limits }: ListDeps, caller: McpClient, catalog: Catalog): Promise<OfferedTools> {
  const client = await executor.client(caller);
  return offeredTools(catalog, await executor.accounts(caller.userId), providers, client, limits);
}
