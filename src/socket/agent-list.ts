import type { AgentAccountRow } from '../agents/agent-accounts-repository.ts';
import type { Catalog, ConfiguredAgent } from '../agents/catalog.ts';
import { missingScopes } from '../providers/workspace-scopes.ts';
import type { Provider } from '../vault/grants-repository.ts';

type AgentStatus = 'ready' | 'not_connected' | 'needs_attention' | 'not_configured';

/** Schemas are made when shown, and cost some milliseconds: once for each version of the integrations. */
const shownActions = new WeakMap<ConfiguredAgent, object[]>();

/**
 * What a user can do: every agent with its accounts and actions.
 *
 * @param isConfigured whether the server has the provider at all
 */
export function listAgents(catalog: Catalog, accounts: readonly AgentAccountRow[], isConfigured: (provider: Provider) => boolean): object {
  const agents = [...catalog.agents.values()].map((agent) => {
    const own = accounts.filter(({ provider }) => provider === agent.provider);
    return {
      name: agent.name,
      description: agent.description,
      provider: agent.provider,
      status: isConfigured(agent.provider) ? statusOf(agent, own) : 'not_configured',
      accounts: own.map(({ id, label, status, isDefault }) => ({ id, label, status, default: isDefault })),
      actions: actionsOf(agent),
    };
  });
  return { revision: catalog.revision, agents };
}

/** Ready with one account that works and has granted what the agent needs; the others may lack something. */
function statusOf(agent: ConfiguredAgent, accounts: readonly AgentAccountRow[]): AgentStatus {
  if (accounts.length === 0) return 'not_connected';
  const works = ({ status, scopes }: AgentAccountRow) => {
    const missing: readonly string[] = agent.provider === 'workspace' ? missingScopes(scopes) : [];
    return status === 'active' && !agent.needs.some((need) => missing.includes(need));
  };
  return accounts.some(works) ? 'ready' : 'needs_attention';
}

function actionsOf(agent: ConfiguredAgent): object[] {
  const known = shownActions.get(agent);
  if (known !== undefined) return known;
  const shown = agent.actions
    .filter(({ policy }) => policy.enabled)
    .map(({ name, description, action, policy }) => ({
      name,
      description,
      effect: action.effect,
      approval: policy.approval,
      input: action.input.jsonSchema,
      output: action.output.jsonSchema,
    }));
  shownActions.set(agent, shown);
  return shown;
}
