import type { Action, LazyAction } from '../actions/action.ts';
import type { Provider } from '../vault/grants-repository.ts';

export type ApprovalRule = 'never' | 'destructive' | 'always';

/** What the operator allows of one action. */
export interface Policy {
  enabled: boolean;
  approval: ApprovalRule;
  timeoutMs: number;
  /** At most so many calls of one user in so many milliseconds. */
  rate: { calls: number; perMs: number };
  /** Allow-lists by name: every value must match one of the patterns (`*` stands for anything). */
  allow: Record<string, readonly string[]>;
  /** Whole account and routing numbers. */
  unmasked: boolean;
}

/** An action as one version of the integrations file exposes it. */
export interface ConfiguredAction {
  /** `agent.action`: how callers name it. */
  name: string;
  agent: string;
  description: string;
  action: LazyAction;
  policy: Policy;
  /** Largest output, bytes of JSON. */
  capBytes: number;
}

/** With its code: what a call needs. */
export type LoadedAction = Omit<ConfiguredAction, 'action'> & { action: Action };

export interface ConfiguredAgent {
  name: string;
  provider: Provider;
  description: string;
  /** Workspace: scope names; bank: products. */
  needs: readonly string[];
  actions: ConfiguredAction[];
}

/** One version of the integrations file, compiled. Runs in flight keep the one they began with. */
export interface Catalog {
  revision: string;
  agents: ReadonlyMap<string, ConfiguredAgent>;
  /** By full name. */
  actions: ReadonlyMap<string, ConfiguredAction>;
}
