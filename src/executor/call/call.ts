import type { Undo } from '../../actions/shared/action.ts';
import type { Labels, Taint } from '../../actions/shared/labels.ts';
import { AppError } from '../../errors.ts';
import type { LoadedAction } from '../../integrations/catalog.ts';
import type { Principal } from '../../principal.ts';
import type { GrantInUse } from '../../vault/refresh/refresh-repository.ts';
import type { AgentAccountRow } from './agent-accounts-repository.ts';
import type { ClientGrant } from './client-grant.ts';
import type { ThreadGrant } from './thread-grants-repository.ts';

export interface Invocation {
  /** With `clientId`: a client, which may do what its grant permits. */
  user: Pick<Principal, 'userId' | 'clientId' | 'access'>;
  /** Where the call came from, for the audit log: `socket`, `http`, `mcp` or `assistant`. */
  surface: string;
  /** The thread in which the assistant calls, on behalf of the user in person. It exists. */
  thread?: string;
  /** Addresses that the user typed in that thread: `addressesIn` of the user's own messages. */
  named?: ReadonlySet<string>;
  /** Full name in the catalog, or the tool name, with which `input` may name the account. */
  action: string;
  /** Id or label; undefined: the default. */
  account?: string | undefined;
  input: unknown;
  /** A change under the same key runs once within 24 hours; reads ignore it. */
  idempotencyKey?: string | undefined;
  /** Aborts a read; a change that has started runs to its end. */
  signal: AbortSignal;
  progress?(message: string): void;
}

/** A call that has passed every check that needs no transaction. */
export interface Call {
  userId: string;
  configured: LoadedAction;
  /** Revision of the action that the call was checked against. */
  revision: string;
  account: AgentAccountRow;
  /** undefined: the user in person. */
  client: ClientGrant | undefined;
  /** The thread in which the assistant calls; undefined: only the user or the client decides what is called. */
  thread: string | undefined;
  /** What the assistant may do in that thread; undefined: what the user may, who began it. */
  threadGrant: ThreadGrant | undefined;
  /** Addresses that the user typed in the thread, in lower case. */
  named: ReadonlySet<string>;
  /** The addresses of all of the user's accounts, in lower case; of a call that isn't gated, those of the provider's. */
  ownAddresses: readonly string[];
  /** The account's grant as it was read with the account. */
  grant: GrantInUse | undefined;
  /** The arguments as received. */
  rawInput: unknown;
  /** The arguments as parsed, with defaults. */
  input: unknown;
  /** Hash of action, account and `rawInput`, in hexadecimal digits. */
  argumentsHash: string;
  /** The user has changed the arguments, and approved them. */
  edited?: true;
  /** Of the facts that were checked for this run. */
  version?: string | undefined;
  /** What was read before in the call's context; undefined: it wasn't looked up. */
  taint?: Taint;
  /** Set only for changes: a repeated read does no harm. */
  idempotencyKey: string | undefined;
  /** Most bytes of its output. */
  capBytes: number;
  signal: AbortSignal;
  progress: ((message: string) => void) | undefined;
  /** When the call was received, by the monotonic clock. */
  startedAt: number;
}

/** What a call returns; `edited`: the user changed its arguments before approving it; `drafted`: in place of what the user would be asked about. */
export interface CallResult {
  data: unknown;
  meta: {
    account: string;
    accountId: string;
    ms: number;
    labels?: Labels;
    truncated?: true;
    /** What is left out and how to read on, if it is truncated. */
    hint?: string;
    undo?: Undo;
    edited?: true;
    drafted?: true;
  };
}

export function changesSomething({ action }: LoadedAction): boolean {
  return action.effect !== 'read';
}

/** Whether the provider charges for this call. */
export function isPaid({ configured: { action }, input }: Pick<Call, 'configured' | 'input'>): boolean {
  return action.costs?.(input) ?? false;
}

export function aborted(): AppError {
  return new AppError('aborted', 'The call was aborted.');
}
