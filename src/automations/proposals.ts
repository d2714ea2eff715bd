import type { AgentAccountRow } from '../executor/call/agent-accounts-repository.ts';
import { covers } from '../executor/call/client-grant.ts';
import { selectAccount } from '../executor/call/select-account.ts';
import { type Catalog, fullName } from '../integrations/catalog.ts';
import type {
  AutomationProposals,
  CheckedProposal,
  ProposedDefinition,
  ProposedTrigger,
} from '../providers/steward/automation-proposals.ts';
import { validate } from '../validation/validate.ts';
import type { Automations } from './automations-service.ts';
import { namedAccounts } from './definition/check-definition.ts';
import { type Definition, newAutomation } from './definition/definition.ts';
import { PROVIDER_OF_EVENT } from './definition/trigger.ts';

interface ProposalsDeps {
  automations: Pick<Automations, 'assertPossible' | 'create'>;
  catalog(): Catalog;
  /** A user’s connected accounts. */
  accounts(userId: string): Promise<readonly AgentAccountRow[]>;
}

/** Automations that a model or a client proposes: made only once the user has approved the call. */
export function automationProposals({ automations, catalog, accounts }: ProposalsDeps): AutomationProposals {
  return {
    async check(userId, proposed) {
      const current = catalog();
      const own = await accounts(userId);
      const { state: _, ...definition } = validate(newAutomation, withIds(proposed, current, own));
      await automations.assertPossible(userId, definition);
      return { automation: { ...definition, does: proposed.does }, ...described(definition, current, own) };
    },
    async create(userId, automation) {
      const { id } = await automations.create(userId, validate(newAutomation, automation));
      return { id };
    },
  };
}

/** Models know accounts by their labels, and actions by their tools. */
function withIds(proposed: ProposedDefinition, catalog: Catalog, own: readonly AgentAccountRow[]): object {
  const { trigger, actions, accounts } = proposed;
  return {
    ...proposed,
    trigger: triggerWithId(trigger, own),
    ...(actions !== undefined && { actions: actions.map((name) => fullName(catalog, name)) }),
    ...(accounts !== undefined && { accounts: accounts.map((wanted) => selectAccount(own, 'such', wanted).id) }),
  };
}

function triggerWithId(trigger: ProposedTrigger, own: readonly AgentAccountRow[]): object {
  if (trigger.type === 'schedule') return trigger;
  const event = trigger.event as keyof typeof PROVIDER_OF_EVENT;
  const provider = PROVIDER_OF_EVENT[event];
  // Of any account, if none is named.
  if (provider === undefined && trigger.account === undefined) return trigger;
  const candidates = provider === undefined ? own : own.filter((account) => account.provider === provider);
  return { ...trigger, account: selectAccount(candidates, provider ?? 'such', trigger.account).id };
}

function described(
  definition: Definition,
  { actions }: Catalog,
  own: readonly AgentAccountRow[],
): Pick<CheckedProposal, 'permits' | 'labels'> {
  const isCovered = (name: string) => definition.actions.some((pattern) => covers(pattern, name));
  const permitted = [...actions.values()].filter(({ name, policy }) => policy.enabled && isCovered(name));
  const labels = namedAccounts(definition).map((id) => [id, own.find((account) => account.id === id)?.label ?? id]);
  return {
    permits: permitted.map(({ name, action }) => ({ name, use: action.name, effect: action.effect })),
    labels: Object.fromEntries(labels),
  };
}
