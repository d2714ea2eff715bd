import { z } from 'zod';
import type { Executor } from '../executor/executor.ts';
import { type Endpoint, endpoint } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import type { Catalog } from '../integrations/catalog.ts';
import type { Providers } from '../providers/open-providers.ts';
import { TOOL_FORMATS } from '../tools/tool.ts';
import { text } from '../validation/validate.ts';

export interface ToolsDeps {
  executor: Pick<Executor, 'accounts' | 'client'>;
  catalog(): Catalog;
  providers: Providers;
}

/** Actions as tools of models. */
export function toolsRouter(deps: ToolsDeps, middleware: EndpointMiddleware): EndpointRouter {
  return endpointRouter('Agents', [listTools(deps)], middleware);
}

function listTools({ executor, catalog, providers }: ToolsDeps): Endpoint {
  return endpoint({
    method: 'get',
    path: '/tools',
    summary: 'List actions as tools of a model',
    description:
      'The actions that the caller can call now, in the format that the vendor’s API takes. Call one with `POST /agents/{action}`, with the tool’s name and the model’s arguments as they are. With `query`, only those that fit it best, eight at most.',
    auth: 'credential',
    query: z.strictObject({
      format: z.enum(TOOL_FORMATS).default('mcp').describe('The format of a vendor or of MCP.'),
      query: text(500).trim().min(1).optional().describe('What a tool should do, in a few English words: “close a ticket”.'),
      strict: z.enum(['true', 'false']).default('false').describe('`true`: schemas for the vendor’s strict mode (OpenAI, Anthropic).'),
    }),
    response: z.object({ tools: z.array(z.looseObject({})) }).meta({ id: 'Tools' }),
    async handle({ caller: { userId, clientId }, query: { format, query, strict } }) {
      // Not before the first use: each start would load them.
      const [{ callableActions, toTool }, { toolsLike }, { formatTools }] = await Promise.all([
        import('../tools/callable-tools.ts'),
        import('../tools/tools-like.ts'),
        import('../tools/tool-formats.ts'),
      ]);
      const client = clientId === undefined ? undefined : await executor.client({ userId, clientId });
      const current = catalog();
      const actions = callableActions(current, await executor.accounts(userId), providers, client);
      const all = () => Promise.all(actions.map((action) => toTool(action, current)));
      const tools = query === undefined ? await all() : await toolsLike(query, actions, current);
      return { json: { tools: formatTools(tools, format, strict === 'true') as Record<string, unknown>[] } };
    },
  });
}
