import type { LazyAction } from '../actions/action.ts';
import { loadedAlready } from '../actions/action-outline.ts';
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
import { type Mistake, Mistakes } from './declaration-diagnostics.ts';
import { DECLARED_CAP, resolveCap, resolvePolicy, usualCap } from './declaration-policy.ts';
import { soundPart } from './declaration-sound.ts';

/** What the integrations file may say, and what becomes of it. */
export const integrationsFormat = {
  schema: integrationsDocument,
  soundPart,
  compile: compileCatalog,
  nearestKey: (unknown: string) => nearestName(unknown, DECLARATION_KEYS),
};

/** Makes an action of a declared method; undefined when the declaration can't be used, and `mistakes` says why. */
type Declare = (name: string, agent: AgentDeclaration, declaration: CallDeclaration, mistakes: Mistakes) => LazyAction | undefined;

/** What all actions of one file share. */
interface Shared {
  defaults: DefaultPolicy;
  /** undefined: no action is declared. */
  declare: Declare | undefined;
}

async function compileCatalog(
  document: IntegrationsDocument,
  revision: string,
): Promise<{ compiled: Catalog } | { mistakes: readonly Mistake[] }> {
  const found: Mistake[] = [];
  const shared = { defaults: document.defaults?.policy ?? {}, declare: declaresCalls(document) ? await loadDeclare() : undefined };
  const agents = new Map<string, ConfiguredAgent>();
  for (const [name, agent] of Object.entries(document.agents)) {
    agents.set(name, compileAgent(name, agent, shared, new Mistakes(found, ['agents', name])));
  }
  if (found.length > 0) return { mistakes: found };
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
  return (name, agent, declaration, mistakes) => {
    const action = declaredAction(name, agent, declaration, tools, mistakes);
    return action && loadedAlready(action);
  };
}

function compileAgent(name: string, agent: AgentDeclaration, shared: Shared, mistakes: Mistakes): ConfiguredAgent {
  const actions: ConfiguredAction[] = [];
  for (const [key, declaration] of Object.entries(agent.actions ?? impliedActions(name, agent))) {
    const compiled = compileAction(`${name}.${key}`, agent, declaration, shared, mistakes.under('actions', key));
    if (compiled !== undefined) actions.push({ ...compiled, agent: name });
  }
  if (agent.actions === undefined && actions.length === 0) {
    mistakes.inKey('has no built-in actions of its name that its scopes or products cover: list its actions');
  }
  const needs = agent.provider === 'workspace' ? agent.scopes : agent.products;
  return { name, provider: agent.provider, description: agent.description, needs, actions };
}

/** Without a list: the built-in actions of the agent's name, as far as what it may use reaches. */
function impliedActions(name: string, agent: AgentDeclaration): Record<string, UseDeclaration> {
  const own = [...BUILT_INS.values()].filter((action) => action.name.startsWith(`${name}.`) && 'action' in withinAgent(action, agent));
  return Object.fromEntries(own.map((action) => [action.name.slice(name.length + 1), { use: action.name }]));
}

function compileAction(
  name: string,
  agent: AgentDeclaration,
  declaration: ActionDeclaration,
  { defaults, declare }: Shared,
  mistakes: Mistakes,
): Omit<ConfiguredAction, 'agent'> | undefined {
  const action = 'use' in declaration ? usedAction(agent, declaration.use, mistakes.under('use')) : undefined;
  const declared = 'call' in declaration ? declare?.(name, agent, declaration, mistakes) : undefined;
  const found = action ?? declared;
  if (found === undefined) return undefined;
  return {
    name,
    description: declaration.description ?? found.description,
    action: found,
    policy: resolvePolicy(found, declaration.policy ?? {}, defaults, mistakes.under('policy')),
    capBytes: resolveCap(declaration.cap, action === undefined ? DECLARED_CAP : usualCap(action), mistakes.under('cap')),
  };
}

function usedAction(agent: AgentDeclaration, name: string, mistakes: Mistakes): LazyAction | undefined {
  const action = BUILT_INS.get(name);
  if (action === undefined) {
    mistakes.inValue(`there is no built-in action ${name}${didYouMean(name, BUILT_INS.keys())}`);
    return undefined;
  }
  const within = withinAgent(action, agent);
  if ('action' in within) return within.action;
  mistakes.inValue(within.refusal);
  return undefined;
}
