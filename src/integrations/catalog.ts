import type { Action, LazyAction } from '../actions/shared/action.ts';
import type { SourceSettings } from '../providers/mcp/source-settings.ts';
import type { Provider } from '../providers/shared/provider.ts';

export type ApprovalRule = 'never' | 'destructive' | 'always';

/** The tool that tells an MCP client how an approval ended. */
export const APPROVAL_RESULT_TOOL_NAME = 'approval_result';
/** The tools that stand for those that a long list leaves out. */
export const FIND_TOOLS_NAME = 'find_tools';
export const CALL_TOOL_NAME = 'call_tool';
/** Longest name of a tool that every vendor accepts. The names' characters are those of agents and actions. */
export const TOOL_NAME_MAX_LENGTH = 64;
/** Names of tools that no action may have. */
export const RESERVED_TOOL_NAMES: ReadonlySet<string> = new Set([APPROVAL_RESULT_TOOL_NAME, FIND_TOOLS_NAME, CALL_TOOL_NAME]);

/** The operator's policy for one action. */
export interface Policy {
  enabled: boolean;
  approval: ApprovalRule;
  /** What happens to a call that others see, or that deletes, after others' text was read: it asks, or is refused. */
  tainted: 'ask' | 'deny';
  /**
   * What happens to a call of the user in person that strangers see, after a bank's data was read: it asks, or is refused like
   * the same call of a client or of the assistant.
   */
  financial: 'ask' | 'deny';
  timeoutMs: number;
  /** Maximum number of calls of one user within `perMs` milliseconds. */
  rate: { calls: number; perMs: number };
  /** Allow-lists by name: every value must match one of the patterns (`*` matches any text). */
  allow: Record<string, readonly string[]>;
  /** Whether account and routing numbers are shown in full. */
  unmasked: boolean;
}

/** The `url:` of a source that the sandbox plays. */
export const SANDBOX_URL = 'sandbox';

/** An action as one version of the integrations file exposes it. */
export interface ConfiguredAction {
  /** `agent.action`: how callers name it. */
  name: string;
  /** `agent_action`: its name as a model's tool, which may not contain dots. */
  tool: string;
  agent: string;
  description: string;
  action: LazyAction;
  policy: Policy;
  /** Largest output, bytes of JSON. */
  capBytes: number;
  /** Identifies what the action does and permits. */
  revision: string;
}

/** With its code, as a call needs it. */
export type LoadedAction = Omit<ConfiguredAction, 'action'> & { action: Action };

export interface ConfiguredAgent {
  name: string;
  provider: Provider;
  description: string;
  /** Workspace: scope names; bank: products; none of a source. */
  needs: readonly string[];
  /** Whose tools its actions are; undefined: the provider's own actions. */
  source?: string | undefined;
  actions: ConfiguredAction[];
}

/** One version of the integrations file, compiled. Running calls keep the version with which they began. */
export interface Catalog {
  /** Of the file's content. */
  revision: string;
  agents: ReadonlyMap<string, ConfiguredAgent>;
  /** Other people's servers, by name. */
  sources: ReadonlyMap<string, SourceSettings>;
  /** By full name. */
  actions: ReadonlyMap<string, ConfiguredAction>;
  /** Full names by tool name. */
  tools: ReadonlyMap<string, string>;
}

/** The full name of an action that is called by it or by its tool name; an unknown name unchanged. */
export function fullName({ tools }: Catalog, name: string): string {
  return tools.get(name) ?? name;
}
