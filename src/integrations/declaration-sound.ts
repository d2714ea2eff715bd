import { isObject } from '../validation/is-object.ts';
import {
  type ActionDeclaration,
  type AgentDeclaration,
  actionDeclaration,
  agentsDeclaration,
  BANK_PRODUCTS,
  defaultsDeclaration,
  type IntegrationsDocument,
  needsDeclaration,
  SCOPE_NAMES,
} from './declaration.ts';

const UNREADABLE = 'unreadable';

/**
 * What of a document with diagnostics of shape can still be looked at for others: every action that is well-shaped.
 * Scopes or products that can't be read are taken as all there are, so that no action lacks them.
 */
export function parseValidSubset(value: unknown): IntegrationsDocument {
  const { defaults, agents } = members(value);
  const sound = Object.entries(members(agents)).flatMap(([name, agent]) => {
    const part = agentsDeclaration.safeParse({ [name]: agent }).data?.[name] ?? soundAgent(members(agent));
    return part === undefined ? [] : [[name, part]];
  });
  return { version: 1, defaults: defaultsDeclaration.safeParse(defaults).data, agents: Object.fromEntries(sound) };
}

function soundAgent({ provider, scopes, products, actions }: Record<string, unknown>): AgentDeclaration | undefined {
  const about = { description: UNREADABLE, actions: soundActions(actions) };
  if (provider === 'workspace') return { provider, ...about, scopes: needsDeclaration.scopes.safeParse(scopes).data ?? [...SCOPE_NAMES] };
  if (provider === 'bank')
    return { provider, ...about, products: needsDeclaration.products.safeParse(products).data ?? [...BANK_PRODUCTS] };
  return undefined;
}

function soundActions(actions: unknown): Record<string, ActionDeclaration> {
  return Object.fromEntries(
    Object.entries(members(actions)).flatMap(([name, action]) => {
      const { data } = actionDeclaration.safeParse(action);
      return data === undefined ? [] : [[name, data]];
    }),
  );
}

function members(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
