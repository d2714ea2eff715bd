import { fitting, jsonBytes } from '../actions/shared/fitting.ts';
import type { Limits } from '../config/limits.ts';
import { AppError } from '../errors.ts';
import type { AgentAccountRow } from '../executor/call/agent-accounts-repository.ts';
import type { CallerGrant } from '../executor/call/client-grant.ts';
import { MODEL_RESULT_BYTES } from '../executor/call/result-size.ts';
import type { Catalog } from '../integrations/catalog.ts';
import type { Providers } from '../providers/open-providers.ts';
import { type CallableAction, callableActions, toTool } from './callable-tools.ts';
import { plainSchema } from './json-schema.ts';
import { mcpTools } from './mcp-tools.ts';
import type { JsonSchema } from './tool-schema.ts';
import { toolsLike } from './tools-like.ts';

/** Whose actions make a list long: the operator chooses the others one by one. */
const MANY_TOOLS = 'mcp';
/** Whose actions a long list leaves out: those, and what is rarely asked for. */
const DEFERRED_PROVIDERS: ReadonlySet<string> = new Set([MANY_TOOLS, 'steward']);
const NONE_FOUND = 'No tool fits. Say what it should do in other words, or tell the user that there is none.';
const MORE_FOUND = 'More tools fit, but not into this result: say more exactly what the tool should do.';

/** What `find_tools` gives. */
export interface FoundTools {
  /** Definitions as in `tools/list` of the Model Context Protocol, the best one first. */
  tools: object[];
  hint?: string;
}

/** The actions that a caller can call now, as a model is offered them. */
export interface OfferedTools {
  /** Those whose definitions the model gets at once. */
  listed: readonly CallableAction[];
  /** Those that it finds with `find_tools`, and calls with `call_tool`. */
  deferred: readonly CallableAction[];
}

/**
 * The tools of a list, and those that it leaves out because it would be too long for a model.
 *
 * @param grant undefined: the user in person
 * @param limits the longest list without any left out: bytes of definitions as JSON, and their number
 */
export async function offeredTools(
  catalog: Catalog,
  accounts: readonly AgentAccountRow[],
  providers: Providers,
  grant: CallerGrant | undefined,
  limits: Pick<Limits, 'toolListBytes' | 'toolListTools'>,
): Promise<OfferedTools> {
  const actions = callableActions(catalog, accounts, providers, grant);
  const mayBeLong = actions.some(({ configured }) => configured.action.provider === MANY_TOOLS);
  if (!mayBeLong || (await isShort(actions, catalog, limits))) return { listed: actions, deferred: [] };
  return { listed: actions.filter((action) => !isDeferred(action)), deferred: actions.filter(isDeferred) };
}

function isDeferred({ configured }: CallableAction): boolean {
  return DEFERRED_PROVIDERS.has(configured.action.provider);
}

async function isShort(
  actions: readonly CallableAction[],
  catalog: Catalog,
  { toolListBytes, toolListTools }: Pick<Limits, 'toolListBytes' | 'toolListTools'>,
): Promise<boolean> {
  if (actions.length > toolListTools) return false;
  return jsonBytes(mcpTools(await Promise.all(actions.map((action) => toTool(action, catalog))))) <= toolListBytes;
}

/** The best of some tools for what a model is looking for: as many of them as a result may hold. */
export async function findTools(query: string, actions: readonly CallableAction[], catalog: Catalog): Promise<FoundTools> {
  const found = mcpTools(await toolsLike(query, actions, catalog));
  const tools = found.length === 0 ? [] : fitting(found, MODEL_RESULT_BYTES);
  const hint = found.length === 0 ? NONE_FOUND : tools.length < found.length ? MORE_FOUND : undefined;
  return { tools, ...(hint !== undefined && { hint }) };
}

/** Largest schema in an error, bytes of JSON. */
const SCHEMA_BYTES = 6_000;
/** Begins what an error says for a model only. */
const FOR_MODEL = '\nThe schema of its arguments: ';

/**
 * What a model can put a rejected call right with, which had not read the tool's definition or has forgotten it: its schema.
 *
 * @returns the error itself if it is not about the arguments, or the schema is too large
 */
export async function withSchema(error: AppError, tool: string, actions: readonly CallableAction[], catalog: Catalog): Promise<AppError> {
  const schema = error.code === 'invalid_request' ? await schemaOfTool(tool, actions, catalog) : undefined;
  if (schema === undefined || jsonBytes(schema) > SCHEMA_BYTES) return error;
  const message = error.message + FOR_MODEL + JSON.stringify(schema);
  return new AppError(error.code, message, { details: { ...error.details, schema }, cause: error });
}

/** The schema of a tool's arguments, as its caller would find it; undefined: it can't be called now. */
async function schemaOfTool(tool: string, actions: readonly CallableAction[], catalog: Catalog): Promise<JsonSchema | undefined> {
  const found = actions.find(({ configured }) => configured.tool === tool);
  return found && plainSchema((await toTool(found, catalog)).input);
}
