import { plainSchema } from './json-schema.ts';
import type { Tool } from './tool.ts';

/**
 * Tools of the Model Context Protocol (modelcontextprotocol.io/specification, “Tools”). Input schemas hold for draft 7 as
 * for 2020-12, the protocol's default. The output's schema says only that results are objects: whole ones would cost
 * twice as many tokens as all the rest, and are in the list of the WebSocket.
 */
export function mcpTools(tools: readonly Tool[]): object[] {
  return tools.map(({ name, description, input, output, effect, mayExpose }) => ({
    name,
    description,
    inputSchema: plainSchema(input),
    ...(isObjectSchema(output) && { outputSchema: { type: 'object' } }),
    annotations: {
      readOnlyHint: effect === 'read',
      destructiveHint: effect === 'destructive' || mayExpose,
      openWorldHint: true,
    },
  }));
}

/** A declared action may return anything. */
function isObjectSchema(schema: { type?: unknown }): boolean {
  return schema.type === 'object';
}
