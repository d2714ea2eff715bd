import { CALL_TOOL_NAME, type Catalog, FIND_TOOLS_NAME } from '../../integrations/catalog.ts';
import { callIn, queryIn } from '../../tools/deferred-tools.ts';
import { findTools, type OfferedTools, withSchema } from '../../tools/offered-tools.ts';
import type { ToolCalls } from './tool-calls.ts';

/** The tools that a model finds, beside those that it is told of, by one version of the catalog. */
export type DeferredTools = OfferedTools & { catalog: Catalog };

/** Makes a call of a tool. @throws ToolError */
export type MakeCall = (tool: string, toolCallId: string, given: unknown) => Promise<unknown>;

/** Makes the calls of a model that finds tools: a wrong one gets the schema of the arguments, which it may not have found. */
export function callsWithFinds(calls: ToolCalls, { catalog, listed, deferred }: DeferredTools): MakeCall {
  const isDeferred = new Set(deferred.map(({ configured }) => configured.tool));
  const call: MakeCall = (tool, toolCallId, given) => {
    if (!isDeferred.has(tool)) return calls.call(tool, toolCallId, given);
    return calls.call(tool, toolCallId, given, (error) => withSchema(error, tool, [...listed, ...deferred], catalog));
  };
  return (tool, toolCallId, given) => {
    if (tool === FIND_TOOLS_NAME) return calls.own(async () => findTools(queryIn(given), deferred, catalog));
    if (tool !== CALL_TOOL_NAME) return call(tool, toolCallId, given);
    // What names a tool has become its call already.
    return calls.own(async () => calls.refuse(callIn(given).name));
  };
}
