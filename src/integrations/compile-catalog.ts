import { type LazyAction, toLazyAction } from '../actions/action.ts';
import { BUILT_INS } from '../actions/built-ins.ts';
import { didYouMean, nearestName } from '../validation/nearest-name.ts';
import type { Catalog, ConfiguredAction, ConfiguredAgent } from './catalog.ts';
import {
  type ActionDeclaration,
  type AgentDeclaration,
  type CallDeclaration,
  DECLARATION_KEYS,
  type DefaultPolicy,
  type IntegrationsDocument,
  integrationsDocument,
  type UseDeclaration,
} from './declaration.ts';
import { withinAgent } from './declaration-coverage.ts';
import { type Diagnostic, Diagnostics } from './declaration-diagnostics.ts';
import { DECLARED_CAP, resolveCap, resolvePolicy, usualCap } from './declaration-policy.ts';
import { parseValidSubset } from './declaration-sound.ts';

/** What the integrations file may say, and what becomes of it. */
export const integrationsFormat = {
  schema: integrationsDocument,
  parseValidSubset,
  compile: compileCatalog,
  nearestKey: (unknown: string) => nearestName(unknown, DECLARATION_KEYS),
};

/** Makes an action of a declared method; undefined when the declaration can't be used, and `diagnostics` says why. */
type Declare = (name: string, agent: AgentDeclaration, declaration: CallDeclaration, diagnostics: Diagnostics) => LazyAction | undefined;

/** What all actions of one file share. */
interface Shared {
  defaults: DefaultPolicy;
  /** undefined: no action is declared. */
  declare: Declare | undefined;
}

async function compileCatalog(
  document: IntegrationsDocument,
  revision: string,
): Promise<{ compiled: Catalog } | { diagnostics: readonly Diagnostic[] }> {
  const found: Diagnostic[] = [];
  const shared = { defaults: document.defaults?.policy ?? {}, declare: declaresCalls(document) ? await loadDeclare() : undefined };
  const agents = new Map<string, ConfiguredAgent>();
  for (const [name, agent] of Object.entries(document.agents)) {
    agents.set(name, compileAgent(name, agent, shared, new Diagnostics(found, ['agents', name])));
  }
  if (found.length > 0) return { diagnostics: found };
  const actions = [...agents.values()].flatMap((agent) => agent.actions);
  return { compiled: { revision, agents, actions: new Map(actions.map((action) => [action.name, action])) } };
}

function declaresCalls({ agents }: IntegrationsDocument): boolean {
  return Object.values(agents).some(({ actions }) => Object.values(actions ?? {}).some((action) => 'call' in action));
}

/** What it takes is loaded only where there are any. */
async function loadDeclare(): Promise<Declare> {
  const { declaredAction, loadTools } = await import('./declared/declared-action.ts');
  const tools = await loadTools();
  return (name, agent, declaration, diagnostics) => {
    const action = declaredAction(name, agent, declaration, tools, diagnostics);
    return action && toLazyAction(action);
  };
}

function compileAgent(name: string, agent: AgentDeclaration, shared: Shared, diagnostics: Diagnostics): ConfiguredAgent {
  const actions: ConfiguredAction[] = [];
  for (const [key, declaration] of Object.entries(agent.actions ?? impliedActions(name, agent))) {
    const compiled = compileAction(`${name}.${key}`, agent, declaration, shared, diagnostics.under('actions', key));
    if (compiled !== undefined) actions.push({ ...compiled, agent: name });
  }
  if (agent.actions === undefined && actions.length === 0) {
    diagnostics.inKey('has no built-in actions of its name that its scopes or products cover: list its actions');
  }
  const needs = agent.provider === 'workspace' ? agent.scopes : agent.products;
  return { name, provider: agent.provider, description: agent.description, needs, actions };
}

/** Without a list: the built-in actions of the agent's name, as far as what it may use exposes. */
function impliedActions(name: string, agent: AgentDeclaration): Record<string, UseDeclaration> {
  const own = [...BUILT_INS.values()].filter((action) => action.name.startsWith(`${name}.`) && 'action' in withinAgent(action, agent));
  return Object.fromEntries(own.map((action) => [action.name.slice(name.length + 1), { use: action.name }]));
}

function compileAction(
  name: string,
  agent: AgentDeclaration,
  declaration: ActionDeclaration,
  { defaults, declare }: Shared,
  diagnostics: Diagnostics,
): Omit<ConfiguredAction, 'agent'> | undefined {
  const action = 'use' in declaration ? usedAction(agent, declaration.use, diagnostics.under('use')) : undefined;
  const declared = 'call' in declaration ? declare?.(name, agent, declaration, diagnostics) : undefined;
  const found = action ?? declared;
  if (found === undefined) return undefined;
  return {
    name,
    description: declaration.description ?? found.description,
    action: found,
    policy: resolvePolicy(found, declaration.policy ?? {}, defaults, diagnostics.under('policy')),
    capBytes: resolveCap(declaration.cap, action === undefined ? DECLARED_CAP : usualCap(action), diagnostics.under('cap')),
  };
}

function usedAction(agent: AgentDeclaration, name: string, diagnostics: Diagnostics): LazyAction | undefined {
  const action = BUILT_INS.get(name);
  if (action === undefined) {
    diagnostics.inValue(`there is no built-in action ${name}${didYouMean(name, BUILT_INS.keys())}`);
    return undefined;
  }
  const within = withinAgent(action, agent);
  if ('action' in within) return within.action;
  diagnostics.inValue(within.refusal);
  return undefined;
}
