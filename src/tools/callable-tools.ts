import type { AgentAccountRow } from '../executor/call/agent-accounts-repository.ts';
import { type CallerGrant, isPermitted, permittedAccounts } from '../executor/call/client-grant.ts';
import { accountsFor, coversAny, labelKey } from '../executor/call/select-account.ts';
import { ACCOUNT_ARGUMENT, hasOwnAccount } from '../executor/checks/tool-call.ts';
import type { Catalog, ConfiguredAction } from '../integrations/catalog.ts';
import type { Providers } from '../providers/open-providers.ts';
import type { ShownTool } from '../sources/tool-binding.ts';
import type { Tool } from './tool.ts';
import { type ToolSchema, toToolSchema } from './tool-schema.ts';

/** More accounts are not listed. */
const LISTED_ACCOUNTS = 20;

/** An action that a caller can call now. */
export interface CallableAction {
  configured: ConfiguredAction;
  /** Accounts of which the caller selects one; none: there is only one. */
  choices: readonly AgentAccountRow[];
  /** Of a source's tool: as the account that is used without a choice has approved it. */
  shown?: ShownTool;
}

/**
 * The actions that a caller can call now, in the catalog's order: enabled, permitted, and with an account that has granted
 * a scope for it, if its provider has accounts. An account that has to be reconnected counts: the error of a call says so.
 *
 * @param grant undefined: the user in person
 */
export function callableActions(
  catalog: Catalog,
  accounts: readonly AgentAccountRow[],
  providers: Providers,
  grant: CallerGrant | undefined,
): CallableAction[] {
  const permitted = permittedAccounts(grant, accounts);
  return [...catalog.actions.values()].flatMap((configured) => {
    const { action, policy } = configured;
    if (!policy.enabled || !providers.isConfigured(action.provider)) return [];
    if (grant !== undefined && !isPermitted(grant, configured)) return [];
    const { provider, pinned } = action;
    // There is nothing that it could work with before an account is connected.
    if (!providers.hasAccounts(provider)) return permitted.length > 0 ? [{ configured, choices: [] }] : [];
    const own = accountsFor(permitted, { provider, source: pinned?.source });
    const needs = providers.needs(provider);
    const covering = own.filter((account) => action.scopes.length === 0 || coversAny(account, action.scopes, needs));
    const usable = pinned === undefined ? covering : covering.filter(({ tools }) => tools?.has(action.name));
    const usual = usable.find(({ isDefault }) => isDefault) ?? usable[0];
    if (usual === undefined) return [];
    const shown = usual.tools?.get(action.name);
    if (grant !== undefined && shown !== undefined && !isPermitted(grant, { ...configured, action: shown })) return [];
    return [{ configured, choices: own.length > 1 ? usable : [], ...(shown !== undefined && { shown }) }];
  });
}

export async function toTool(
  { configured: { tool: name, description: configured, action }, choices, shown }: CallableAction,
  { actions }: Pick<Catalog, 'actions'>,
): Promise<Tool> {
  const { input } = shown ?? (await action.schemas());
  const { description, effect } = shown ?? { description: configured, effect: action.effect };
  const schema = toToolSchema(input);
  const offersAccount = choices.length > 0 && !hasOwnAccount(input);
  return {
    name,
    description: inToolNames(description, actions),
    input: describedInToolNames(offersAccount ? withAccount(schema, choices) : schema, actions),
    effect,
    mayExpose: action.mayExpose,
  };
}

function withAccount(schema: ToolSchema, choices: readonly AgentAccountRow[]): ToolSchema {
  const usual = choices.find(({ isDefault }) => isDefault);
  const { properties, required = [] } = schema;
  return {
    ...schema,
    properties: { ...properties, [ACCOUNT_ARGUMENT]: accountProperty(choices, usual) },
    ...(usual === undefined && { required: [...required, ACCOUNT_ARGUMENT] }),
  };
}

/** Labels select accounts, and ids those that share their label. */
function accountProperty(choices: readonly AgentAccountRow[], usual: AgentAccountRow | undefined): ToolSchema {
  const labels = Map.groupBy(choices, ({ label }) => labelKey(label));
  const isShared = ({ label }: AgentAccountRow) => (labels.get(labelKey(label))?.length ?? 0) > 1;
  const nameOf = (account: AgentAccountRow) => (isShared(account) ? account.id : account.label);
  const legend = choices
    .filter(isShared)
    .map(({ id, label, masks }) => ` ${id}: ${[label, ...masks.map((mask) => `…${mask}`)].join(' ')}.`);
  const description = `Account to use${usual === undefined ? '' : `; default ${nameOf(usual)}`}.`;
  if (choices.length > LISTED_ACCOUNTS) return { type: 'string', description };
  return { type: 'string', description: description + legend.join(''), enum: choices.map(nameOf) };
}

/** Names of actions in a text, as a model knows them. */
function inToolNames(text: string, actions: Catalog['actions']): string {
  return text.replace(/[\w.-]+/g, (word) => {
    const name = word.endsWith('.') ? word.slice(0, -1) : word;
    const tool = actions.get(name)?.tool;
    return tool === undefined ? word : tool + word.slice(name.length);
  });
}

function describedInToolNames(schema: ToolSchema, actions: Catalog['actions']): ToolSchema {
  const { description, items, properties, anyOf } = schema;
  const inside = (one: ToolSchema) => describedInToolNames(one, actions);
  return {
    ...schema,
    ...(description !== undefined && { description: inToolNames(description, actions) }),
    ...(items !== undefined && { items: inside(items) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(inside) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, inside(one)])),
    }),
  };
}
