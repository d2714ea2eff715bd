import { type NodeMcpRequestHandler, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server';
import { describeError } from '../observability/logger.ts';
import { isObject } from '../validation/is-object.ts';
import { negotiated } from './content-negotiation.ts';
import type { McpClient, McpDeps } from './mcp-deps.ts';
import { mcpServer } from './mcp-server.ts';
import { AskedStates } from './request-state.ts';
import { singleMessage } from './single-message.ts';

/** Comments on an open stream, so that proxies don't cut it. */
const KEEP_ALIVE_MS = 15_000;
/** Streams for changes of lists that this process keeps open. */
const MAX_SUBSCRIPTIONS = 1_024;

type FetchHandler = McpHttpHandler['fetch'];

export interface McpHandler {
  /** Serves one request of a client that is signed in. */
  serve(request: Parameters<NodeMcpRequestHandler>[0], response: Parameters<NodeMcpRequestHandler>[1], client: McpClient): Promise<void>;
  /** Tells the clients that listen that the tools are others now. */
  toolsChanged(): void;
  /** Ends open streams. */
  close(): Promise<void>;
}

/**
 * The protocol's revision 2026-07-28, and the earlier ones by the same server. Nothing is kept between requests, so that
 * each may reach another replica.
 *
 * @param bodyBytes largest body
 */
export function mcpHandler(deps: McpDeps, bodyBytes: number): McpHandler {
  const states = new AskedStates(deps.stateKeys, deps.clock);
  const report = (error: Error) => deps.logger.debug({ err: describeError(error) }, 'a request to /mcp was rejected');
  const handler = createMcpHandler(({ era, authInfo }) => mcpServer(deps, authInfo?.extra?.client as McpClient, states, era), {
    onerror: report,
    maxRequestBodySize: bodyBytes,
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    keepAliveMs: KEEP_ALIVE_MS,
  });
  const one: FetchHandler = async (request, options) => {
    if (request.method !== 'POST') return handler.fetch(request, options);
    const read = await singleMessage(request);
    if ('rejection' in read) return read.rejection;
    const { message } = read;
    const isListening = isObject(message) && message.method === 'subscriptions/listen';
    return negotiated(request, isListening, () => handler.fetch(request, { ...options, parsedBody: message }));
  };
  const serve = toNodeHandler({ fetch: one }, { onerror: report, maxRequestBodySize: bodyBytes });
  return {
    serve(request, response, client) {
      // The credential itself stays out of the SDK's reach.
      request.auth = { token: '', clientId: client.clientId, scopes: [], extra: { client } };
      return serve(request, response);
    },
    toolsChanged: () => handler.notify.toolsChanged(),
    close: () => handler.close(),
  };
}
