import type { LazyAction } from '../actions/shared/action.ts';
import type { ProviderDescriptor } from '../providers/shared/provider.ts';

/** What an agent may use. */
export interface AgentScope {
  provider: ProviderDescriptor;
  /** Names of scopes or products. */
  needs: readonly string[];
}

/**
 * Limits a built-in action to what its agent may use, so that a user's wider consent does not widen the agent.
 *
 * @returns the action, or why the agent must not use it
 */
export function withinAgent(action: LazyAction, { provider, needs }: AgentScope): { action: LazyAction } | { rejection: string } {
  const { name, scopes, requires } = action;
  if (action.provider !== provider.name) {
    return { rejection: `${name} works with the provider ${action.provider}, this agent with ${provider.name}` };
  }
  const { key } = provider.needs;
  if (requires !== undefined && !needs.includes(requires)) return { rejection: `${name} needs ${requires} in the agent’s ${key}` };
  if (scopes.length === 0) return { action };
  const shared = scopes.filter((scope) => needs.includes(scope));
  if (shared.length === 0) return { rejection: `${name} needs one of these in the agent’s ${key}: ${scopes.join(', ')}` };
  return { action: { ...action, scopes: shared, load: async () => ({ ...(await action.load()), scopes: shared }) } };
}
