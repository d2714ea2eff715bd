import type { AgentAccountRow } from '../../executor/call/agent-accounts-repository.ts';
import { type ClientGrant, isPermitted, permittedAccounts } from '../../executor/call/client-grant.ts';
import { accountsFor, coversAny, isReadOnly } from '../../executor/call/select-account.ts';
import type { Catalog, ConfiguredAction, ConfiguredAgent } from '../../integrations/catalog.ts';
import type { Providers } from '../../providers/open-providers.ts';
import type { AgentNeeds } from '../../providers/shared/provider.ts';
import type { ResultOf } from '../frames/server-frames.ts';

type AgentList = ResultOf<'list'>['data'];
type ListedAgent = AgentList['agents'][number];
type AgentStatus = ListedAgent['status'];

/**
 * What a user can do: every agent with its accounts and actions.
 *
 * @param client undefined: the user in person; otherwise only what its grant permits is listed
 */
export async function listAgents(
  catalog: Catalog,
  accounts: readonly AgentAccountRow[],
  providers: Providers,
  client: ClientGrant | undefined,
): Promise<AgentList> {
  const permitted = permittedAccounts(client, accounts);
  const agents = [...catalog.agents.values()].flatMap((agent) => {
    const actions = agent.actions.filter((action) => client === undefined || isPermitted(client, action));
    return client !== undefined && actions.length === 0 ? [] : [{ ...agent, actions }];
  });
  const listed = agents.map(async (agent): Promise<ListedAgent> => {
    const needs = providers.needs(agent.provider);
    const own = accountsFor(permitted, { provider: agent.provider, source: agent.source });
    const isConfigured = providers.isConfigured(agent.provider) && (agent.source === undefined || catalog.sources.has(agent.source));
    return {
      name: agent.name,
      description: agent.description,
      provider: agent.provider,
      ...(agent.source !== undefined && { source: agent.source }),
      status: !isConfigured ? 'not_configured' : providers.hasAccounts(agent.provider) ? statusOf(agent, own, needs) : 'ready',
      accounts: own.map((account) => accountOf(account, agent, needs, client?.id)),
      actions: await actionsOf(agent, own),
    };
  });
  return { revision: catalog.revision, agents: await Promise.all(listed) };
}

/** Ready: at least one action works with at least one account. */
function statusOf({ actions }: ConfiguredAgent, accounts: readonly AgentAccountRow[], provider: AgentNeeds): AgentStatus {
  if (accounts.length === 0) return 'not_connected';
  const enabled = actions.filter(({ policy }) => policy.enabled);
  const suffices = (account: AgentAccountRow) =>
    enabled.some(({ action: { scopes } }) => scopes.length === 0 || coversAny(account, scopes, provider));
  return accounts.some((account) => account.status === 'active' && suffices(account)) ? 'ready' : 'needs_attention';
}

/** `missingScopes`: scopes that the agent's actions use and the account has not granted. */
function accountOf(
  account: AgentAccountRow,
  { needs }: ConfiguredAgent,
  provider: AgentNeeds,
  clientId: string | undefined,
): ListedAgent['accounts'][number] {
  const { id, label, masks, status, isDefault, scopes } = account;
  const missing = provider.missing(scopes).filter((name) => needs.includes(name));
  return {
    id,
    label,
    ...(masks.length > 0 && { masks }),
    status,
    default: isDefault,
    ...(isReadOnly(account, clientId) && { readOnly: true }),
    ...(missing.length > 0 && { missingScopes: missing }),
  };
}

/** Of a source's tools, those that may be called now. */
async function actionsOf({ actions }: ConfiguredAgent, accounts: readonly AgentAccountRow[]): Promise<ListedAgent['actions']> {
  const listed = actions.filter(({ policy }) => policy.enabled).map((action) => actionOf(action, accounts));
  return (await Promise.all(listed)).filter((action) => action !== undefined);
}

async function actionOf(
  { name, tool, description, action, policy }: ConfiguredAction,
  accounts: readonly AgentAccountRow[],
): Promise<ListedAgent['actions'][number] | undefined> {
  const named = { name, tool, approval: policy.approval };
  if (action.pinned === undefined) return { ...named, description, effect: action.effect, ...(await action.schemas()) };
  const usable = accounts.filter(({ tools }) => tools?.has(name));
  const shown = (usable.find(({ isDefault }) => isDefault) ?? usable[0])?.tools?.get(name);
  return shown && { ...named, ...shown };
}
