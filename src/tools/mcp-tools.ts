import { plainSchema } from './json-schema.ts';
import type { Tool } from './tool.ts';

/**
 * Tools of the Model Context Protocol (modelcontextprotocol.io/specification, “Tools”). Input schemas hold for draft 7 as
 * for 2020-12, the protocol's default. A result is an object of `data` and `meta`, as of every call; the
 * schemas of `data` would cost twice as many tokens as all the rest, and are in the list of the WebSocket.
 * `destructiveHint` says nothing of a tool that only reads.
 */
export function mcpTools(tools: readonly Tool[]): object[] {
  return tools.map(({ name, description, input, effect, mayExpose }) => ({
    name,
    description,
    inputSchema: plainSchema(input),
    annotations: {
      readOnlyHint: effect === 'read',
      ...(effect !== 'read' && { destructiveHint: effect === 'destructive' || mayExpose }),
      openWorldHint: true,
    },
  }));
}
