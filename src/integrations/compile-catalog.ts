import { BUILT_INS } from '../actions/built-ins.ts';
import { type LazyAction, toLazyAction } from '../actions/shared/action.ts';
import type { SourceSettings } from '../providers/mcp/source-settings.ts';
import type { FindCall } from '../providers/shared/declared-call.ts';
import type { ProviderDescriptor } from '../providers/shared/provider.ts';
import { didYouMean, nearestName } from '../validation/nearest-name.ts';
import { actionRevision } from './action-revision.ts';
import { type Catalog, type ConfiguredAction, type ConfiguredAgent, RESERVED_TOOL_NAMES, TOOL_NAME_MAX_LENGTH } from './catalog.ts';
import { type AgentScope, withinAgent } from './declaration-coverage.ts';
import { MOST_CAP_BYTES, resolveCap, resolvePolicy } from './declaration-policy.ts';
import {
  type ActionDeclaration,
  type AgentDeclaration,
  type CallDeclaration,
  createDeclarations,
  type DefaultPolicy,
  type IntegrationsDocument,
  type ToolDeclaration,
  type UseDeclaration,
} from './file/declaration.ts';
import { type Diagnostic, Diagnostics } from './file/diagnostics.ts';
import type { Compilation, IntegrationsFormat } from './file/integrations-file.ts';
import { parseValidSubset } from './file/parse-valid-subset.ts';
import { SOURCE_PROVIDER } from './file/source-declaration.ts';
import type * as sourceActions from './source-actions.ts';

/**
 * The integrations file's format: its schema, and how it is compiled.
 *
 * @param readSecret of the variables that sources name; default: there are none
 */
export function createIntegrationsFormat(
  providers: readonly ProviderDescriptor[],
  readSecret: sourceActions.ReadSecret = () => ({ value: undefined }),
): IntegrationsFormat<Catalog> {
  const schemas = createDeclarations(providers);
  return {
    schema: schemas.document,
    parseValidSubset: (value) => parseValidSubset(value, schemas, providers),
    compile: (document, revision) => compileCatalog(document, revision, providers, readSecret),
    nearestKey: (unknown) => nearestName(unknown, schemas.keys),
  };
}

/** Makes an action of a declared method; undefined if the declaration is invalid, with the reason in `diagnostics`. */
type Declare = (name: string, agent: AgentScope, declaration: CallDeclaration, diagnostics: Diagnostics) => LazyAction | undefined;

/** Common to all actions of one file. */
interface Shared {
  providers: ReadonlyMap<string, ProviderDescriptor>;
  defaults: DefaultPolicy;
  /** undefined: no action is declared. */
  declare: Declare | undefined;
  sources: ReadonlyMap<string, SourceSettings>;
  /** undefined: no agent uses a source. */
  ofSources: SourceActions | undefined;
}

type SourceActions = typeof sourceActions;

async function compileCatalog(
  document: IntegrationsDocument,
  revision: string,
  descriptors: readonly ProviderDescriptor[],
  readSecret: sourceActions.ReadSecret,
): Promise<Compilation<Catalog>> {
  const found: Diagnostic[] = [];
  const providers = new Map(descriptors.map((descriptor) => [descriptor.name, descriptor]));
  const declare = declaresCalls(document) ? await loadDeclare(descriptors) : undefined;
  const ofSources = usesSources(document) ? await import('./source-actions.ts') : undefined;
  const sources = ofSources?.compileSources(document.sources ?? {}, readSecret, new Diagnostics(found)) ?? new Map();
  const shared: Shared = { providers, defaults: document.defaults?.policy ?? {}, declare, sources, ofSources };
  const agents = new Map<string, ConfiguredAgent>();
  for (const [name, agent] of Object.entries(document.agents)) {
    const compiled = compileAgent(name, agent, shared, new Diagnostics(found, ['agents', name]));
    if (compiled !== undefined) agents.set(name, compiled);
  }
  const actions = [...agents.values()].flatMap((agent) => agent.actions);
  const tools = nameTools(actions, found);
  ofSources?.checkHashes(actions, (name) => actionDiagnostics(found, name));
  if (found.length > 0) return { diagnostics: found };
  return { compiled: { revision, agents, sources, actions: new Map(actions.map((action) => [action.name, action])), tools } };
}

/** The table of tool names. Two actions can't have one name, as `a_b.c` and `a.b_c` would. */
function nameTools(actions: readonly ConfiguredAction[], found: Diagnostic[]): Map<string, string> {
  const tools = new Map<string, string>();
  for (const { name, tool } of actions) {
    const diagnostics = actionDiagnostics(found, name);
    const other = tools.get(tool);
    if (RESERVED_TOOL_NAMES.has(tool)) diagnostics.inKey(`is ${tool} as a model’s tool, a name that is taken: rename it`);
    if (other === undefined) tools.set(tool, name);
    else diagnostics.inKey(`is ${tool} as a model’s tool, as ${other} is: rename one of them`);
    if (tool.length > TOOL_NAME_MAX_LENGTH) {
      diagnostics.inKey(`is ${tool} as a model’s tool, which has more than ${TOOL_NAME_MAX_LENGTH} characters: shorten the names`);
    }
  }
  return tools;
}

/** Of an action by its full name: agents' names have no dots. */
function actionDiagnostics(found: Diagnostic[], name: string): Diagnostics {
  const [agent = '', action = ''] = name.split('.');
  return new Diagnostics(found, ['agents', agent, 'actions', action]);
}

function usesSources({ sources, agents }: IntegrationsDocument): boolean {
  return sources !== undefined || Object.values(agents).some(({ provider }) => provider === SOURCE_PROVIDER);
}

function declaresCalls({ agents }: IntegrationsDocument): boolean {
  return Object.values(agents).some(({ actions }) => Object.values(actions ?? {}).some((action) => 'call' in action));
}

/** The compiler is loaded only if there are declared actions. */
async function loadDeclare(providers: readonly ProviderDescriptor[]): Promise<Declare> {
  const { declaredAction, loadTools } = await import('./declared/declared-action.ts');
  const tools = await loadTools();
  const calls = new Map<string, FindCall>();
  for (const { name, calls: load } of providers) if (load !== undefined) calls.set(name, await load());
  return (name, agent, declaration, diagnostics) => {
    const found = calls.get(agent.provider.name)?.(declaration.call, agent.needs);
    const action = found && declaredAction(name, agent.provider.name, found, declaration, tools, diagnostics);
    return action && toLazyAction(action);
  };
}

function compileAgent(name: string, agent: AgentDeclaration, shared: Shared, diagnostics: Diagnostics): ConfiguredAgent | undefined {
  if (agent.provider === SOURCE_PROVIDER) return compileSourceAgent(name, agent, shared, diagnostics);
  const provider = shared.providers.get(agent.provider);
  if (provider === undefined) return undefined;
  const scope = { provider, needs: (agent[provider.needs.key] ?? []) as readonly string[] };
  const actions: ConfiguredAction[] = [];
  for (const [key, declaration] of Object.entries(agent.actions ?? impliedActions(name, scope))) {
    const compiled = compileAction(`${name}.${key}`, scope, declaration, shared, diagnostics.under('actions', key));
    if (compiled !== undefined) actions.push({ ...compiled, agent: name, tool: `${name}_${key}` });
  }
  if (agent.actions === undefined && actions.length === 0) {
    diagnostics.inKey('has no built-in actions of its name within its scopes or products: list its actions');
  }
  return { name, provider: provider.name, description: agent.description, needs: scope.needs, actions };
}

function compileSourceAgent(
  name: string,
  { source: sourceName, description, actions: declared }: AgentDeclaration,
  { defaults, sources, ofSources }: Shared,
  diagnostics: Diagnostics,
): ConfiguredAgent | undefined {
  const source = ofSources?.namedSource(String(sourceName), sources, diagnostics);
  if (ofSources === undefined || source === undefined) return undefined;
  const actions = Object.entries(declared as Record<string, ToolDeclaration>).map(([key, declaration]) => {
    const own = diagnostics.under('actions', key);
    const action = ofSources.sourceAction(`${name}.${key}`, source, declaration, own);
    const configured = configure(`${name}.${key}`, action, declaration, { defaults, source, mostBytes: MOST_CAP_BYTES }, own);
    const policy = ofSources.isOpenDispatcher(declaration) ? { ...configured.policy, approval: 'always' as const } : configured.policy;
    return { ...configured, policy, agent: name, tool: `${name}_${key}` };
  });
  return { name, provider: SOURCE_PROVIDER, description, needs: [], source: source.name, actions };
}

/** Without a list: the built-in actions of the agent's name within its scopes or products. */
function impliedActions(name: string, agent: AgentScope): Record<string, UseDeclaration> {
  const own = [...BUILT_INS.values()].filter((action) => action.name.startsWith(`${name}.`) && 'action' in withinAgent(action, agent));
  return Object.fromEntries(own.map((action) => [action.name.slice(name.length + 1), { use: action.name }]));
}

function compileAction(
  name: string,
  agent: AgentScope,
  declaration: ActionDeclaration,
  { defaults, declare }: Shared,
  diagnostics: Diagnostics,
): Omit<ConfiguredAction, 'agent' | 'tool'> | undefined {
  const action = 'use' in declaration ? usedAction(agent, declaration.use, diagnostics.under('use')) : undefined;
  const declared = 'call' in declaration ? declare?.(name, agent, declaration, diagnostics) : undefined;
  const found = action ?? declared;
  if (found === undefined) return undefined;
  return configure(name, found, declaration, { defaults, mostBytes: declared && MOST_CAP_BYTES }, diagnostics);
}

interface Bounds {
  defaults: DefaultPolicy;
  /** Most that the file may permit as output; undefined: the action's own limit. */
  mostBytes: number | undefined;
  /** Of an action that calls a tool. */
  source?: SourceSettings;
}

function configure(
  name: string,
  action: LazyAction,
  declaration: ActionDeclaration,
  { defaults, mostBytes, source }: Bounds,
  diagnostics: Diagnostics,
): Omit<ConfiguredAction, 'agent' | 'tool'> {
  const policy = resolvePolicy(action, declaration.policy ?? {}, defaults, diagnostics.under('policy'));
  const capBytes = resolveCap(action, declaration.cap, diagnostics.under('cap'), mostBytes);
  const description = declaration.description ?? action.description;
  return { name, description, action, policy, capBytes, revision: actionRevision(declaration, action, { policy, capBytes }, source) };
}

function usedAction(agent: AgentScope, name: string, diagnostics: Diagnostics): LazyAction | undefined {
  const action = BUILT_INS.get(name);
  if (action === undefined) {
    diagnostics.inValue(`there is no built-in action ${name}${didYouMean(name, BUILT_INS.keys())}`);
    return undefined;
  }
  const within = withinAgent(action, agent);
  if ('action' in within) return within.action;
  diagnostics.inValue(within.rejection);
  return undefined;
}
