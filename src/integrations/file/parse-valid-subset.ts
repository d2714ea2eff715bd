import type { z } from 'zod';
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
  toolAction,
} from './declaration.ts';
import { SOURCE_PROVIDER } from './source-declaration.ts';

const INVALID = 'invalid';
const INVALID_URL = 'https://invalid.invalid';

/**
 * Keeps every valid action of an invalid document, so that they can be checked further. Invalid scopes or products are
 * replaced by all that exist, so that no action is reported to lack one.
 */
export function parseValidSubset(
  value: unknown,
  schemas: ReturnType<typeof createDeclarations>,
  providers: readonly ProviderDescriptor[],
): IntegrationsDocument {
  const { defaults, agents, sources } = members(value);
  const valid = Object.entries(members(agents)).flatMap(([name, agent]) => {
    const part = schemas.agents.safeParse({ [name]: agent }).data?.[name] ?? validAgent(members(agent), providers);
    return part === undefined ? [] : [[name, part]];
  });
  return {
    version: 1,
    defaults: defaultsDeclaration.safeParse(defaults).data,
    sources: validSources(sources, schemas),
    agents: Object.fromEntries(valid),
  };
}

/** Of an invalid source, only its name, and all trust: no agent is reported to name an unknown one, or to lack trust. */
function validSources(sources: unknown, schemas: ReturnType<typeof createDeclarations>): IntegrationsDocument['sources'] {
  return Object.fromEntries(
    Object.entries(members(sources)).map(([name, source]) => {
      return [name, schemas.sources.safeParse({ [name]: source }).data?.[name] ?? { url: INVALID_URL, label: name, trust: 'operator' }];
    }),
  );
}

function validAgent(agent: Record<string, unknown>, providers: readonly ProviderDescriptor[]): AgentDeclaration | undefined {
  if (agent.provider === SOURCE_PROVIDER) return validSourceAgent(agent);
  const descriptor = providers.find(({ name }) => name === agent.provider);
  if (descriptor === undefined) return undefined;
  const { name: provider, needs, hasAccounts = true } = descriptor;
  const kept = { provider, description: INVALID, actions: validActions(agent.actions, actionDeclaration) };
  if (!hasAccounts) return kept;
  return { ...kept, [needs.key]: needsDeclaration(needs).safeParse(agent[needs.key]).data ?? [...needs.names] };
}

function validSourceAgent({ source, actions }: Record<string, unknown>): AgentDeclaration | undefined {
  if (typeof source !== 'string') return undefined;
  return { provider: SOURCE_PROVIDER, source, description: INVALID, actions: validActions(actions, toolAction) };
}

function validActions<Declaration extends ActionDeclaration>(
  actions: unknown,
  schema: z.ZodType<Declaration>,
): Record<string, Declaration> {
  return Object.fromEntries(
    Object.entries(members(actions)).flatMap(([name, action]) => {
      const { data } = schema.safeParse(action);
      return data === undefined ? [] : [[name, data]];
    }),
  );
}

function members(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
