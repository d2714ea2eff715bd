import type { Effect } from '../shared/declared-call.ts';
import type { ProviderSession } from '../shared/provider.ts';

/** When an automation runs, as its proposer says it; see {@link AutomationTrigger}. */
export interface ProposedTrigger {
  type: 'schedule' | 'event';
  /** Id or label; left out: the usual one. */
  account?: string;
  [member: string]: unknown;
}

/** An automation as its proposer says it: what is left out has its default. */
export interface ProposedDefinition {
  name: string;
  trigger: ProposedTrigger;
  does: AutomationDoes;
  /** Names of actions or of their tools, or patterns as of tokens. */
  actions?: readonly string[];
  /** Ids or labels. */
  accounts?: readonly string[];
  when_asked?: string;
}

/** When an automation runs: at planned times, or when something happens. Named as the API names it. */
export type AutomationTrigger =
  | { type: 'schedule'; every: string; at: string; on?: string | number | undefined; time_zone: string }
  | {
      type: 'event';
      event: string;
      account?: string | null | undefined;
      minutes_before?: number | undefined;
      filter?: object | undefined;
    };

/** What a run of a proposed automation does: a prompt for the assistant, or only a notification. */
export type AutomationDoes = { type: 'prompt'; prompt: string } | { type: 'notify' };

/** An automation as it would be made, with its defaults. */
export interface ProposedAutomation {
  name: string;
  trigger: AutomationTrigger;
  does: AutomationDoes;
  /** Names of actions, or patterns as of tokens. */
  actions: readonly string[];
  /** Ids of accounts; null: all, also later ones. */
  accounts: readonly string[] | null;
  when_asked: 'wait' | 'skip' | 'draft';
  budget: { steps: number; tokens: number; cost?: number | null | undefined; runs_per_hour: number; runs_per_day: number };
}

/** With what a person reads about it. */
export interface CheckedProposal {
  automation: ProposedAutomation;
  /** What it may do today; `use`: the built-in action’s own name, else the configured one. */
  permits: readonly { name: string; use: string; effect: Effect }[];
  /** Labels of all accounts that it names, by id. */
  labels: Readonly<Record<string, string>>;
}

/** What the service does with proposals of automations. */
export interface AutomationProposals {
  /**
   * Changes nothing.
   *
   * @throws AppError `invalid_request` with the field’s name, `conflict` when the user has as many as can be
   */
  check(userId: string, definition: ProposedDefinition): Promise<CheckedProposal>;
  /** Makes one that was checked. @throws AppError like {@link check} */
  create(userId: string, automation: ProposedAutomation): Promise<{ id: string }>;
}

/** The service itself, on behalf of one user. */
export interface StewardSession extends ProviderSession {
  checkAutomation(definition: ProposedDefinition): Promise<CheckedProposal>;
  createAutomation(automation: ProposedAutomation): Promise<{ id: string }>;
}
