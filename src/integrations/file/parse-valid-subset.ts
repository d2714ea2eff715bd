import type { ProviderDescriptor } from '../../providers/shared/provider.ts';
import { isObject } from '../../validation/is-object.ts';
import {
  type ActionDeclaration,
  type AgentDeclaration,
  actionDeclaration,
  type createDeclarations,
  defaultsDeclaration,
  type IntegrationsDocument,
  needsDeclaration,
} from './declaration.ts';

const INVALID = 'invalid';

/**
 * Keeps every valid action of an invalid document, so that they can be checked further. Invalid scopes or products are
 * replaced by all that exist, so that no action is reported to lack one.
 */
export function parseValidSubset(
  value: unknown,
  schemas: ReturnType<typeof createDeclarations>,
  providers: readonly ProviderDescriptor[],
): IntegrationsDocument {
  const { defaults, agents } = members(value);
  const valid = Object.entries(members(agents)).flatMap(([name, agent]) => {
    const part = schemas.agents.safeParse({ [name]: agent }).data?.[name] ?? validAgent(members(agent), providers);
    return part === undefined ? [] : [[name, part]];
  });
  return { version: 1, defaults: defaultsDeclaration.safeParse(defaults).data, agents: Object.fromEntries(valid) };
}

function validAgent(agent: Record<string, unknown>, providers: readonly ProviderDescriptor[]): AgentDeclaration | undefined {
  const descriptor = providers.find(({ name }) => name === agent.provider);
  if (descriptor === undefined) return undefined;
  const { name: provider, needs } = descriptor;
  const declared = needsDeclaration(needs).safeParse(agent[needs.key]).data ?? [...needs.names];
  return { provider, description: INVALID, actions: validActions(agent.actions), [needs.key]: declared };
}

function validActions(actions: unknown): Record<string, ActionDeclaration> {
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
