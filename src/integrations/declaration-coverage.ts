import type { LazyAction } from '../actions/action.ts';
import type { AgentDeclaration } from './declaration.ts';

type Product = Extract<AgentDeclaration, { provider: 'bank' }>['products'][number];

/** Products that built-in actions of the bank live on; the others do with any. */
const PRODUCTS: Readonly<Record<string, Product>> = {
  'bank.transactions': 'transactions',
  'bank.changes': 'transactions',
  'bank.numbers': 'auth',
};

/**
 * A built-in action limited to what its agent may use, so that a user's wider
 * consent doesn't widen the agent; or why the agent may not use it at all.
 */
export function withinAgent(action: LazyAction, agent: AgentDeclaration): { action: LazyAction } | { refusal: string } {
  const { name, scopes } = action;
  if (action.provider !== agent.provider) {
    return { refusal: `${name} works with the provider ${action.provider}, this agent with ${agent.provider}` };
  }
  if (agent.provider === 'bank') {
    const product = PRODUCTS[name];
    const missing = product !== undefined && !agent.products.includes(product);
    return missing ? { refusal: `${name} needs ${product} in the agent’s products` } : { action };
  }
  if (scopes.length === 0) return { action };
  const shared = scopes.filter((scope) => agent.scopes.includes(scope));
  if (shared.length === 0) return { refusal: `${name} needs one of these in the agent’s scopes: ${scopes.join(', ')}` };
  return { action: { ...action, scopes: shared, load: async () => ({ ...(await action.load()), scopes: shared }) } };
}
