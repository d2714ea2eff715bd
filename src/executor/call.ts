import { AppError } from '../errors.ts';
import type { Caller } from '../http/endpoint.ts';
import type { LoadedAction } from '../integrations/catalog.ts';
import type { RefreshRow } from '../vault/refresh/refresh-repository.ts';
import type { AgentAccountRow } from './agent-accounts-repository.ts';

export interface Invocation {
  user: Pick<Caller, 'userId'>;
  /** Where the call came from, for the audit log: `socket`. */
  surface: string;
  /** Full name in the catalog. */
  action: string;
  /** Id or label; undefined: the default. */
  account?: string;
  input: unknown;
  /** A change under the same key runs once within 24 hours; reads ignore it. */
  idempotencyKey?: string;
  /** Aborts a read; a change that has started runs to its end. */
  signal: AbortSignal;
  progress?(message: string): void;
}

/** A call that has passed every check that needs no transaction. */
export interface Call {
  userId: string;
  configured: LoadedAction;
  /** Revision of the catalog that the call was checked against. */
  revision: string;
  account: AgentAccountRow;
  /** The account's grant as it was read with the account. */
  grant: RefreshRow | undefined;
  /** The arguments as received. */
  given: unknown;
  /** The arguments as parsed, with defaults. */
  input: unknown;
  /** Hash of action, account and `given`, in hexadecimal digits. */
  argumentsHash: string;
  /** Set only for changes: a repeated read does no harm. */
  idempotencyKey: string | undefined;
  signal: AbortSignal;
  progress: ((message: string) => void) | undefined;
  /** `performance.now()` when the call was received. */
  startedAt: number;
}

/** What a call returns. */
export interface CallResult {
  data: unknown;
  meta: { account: string; accountId: string; ms: number; truncated?: true };
}

export function changesSomething({ action }: LoadedAction): boolean {
  return action.effect !== 'read';
}

/** Whether the provider charges for this call. */
export function isPaid({ configured: { action }, input }: Pick<Call, 'configured' | 'input'>): boolean {
  return action.costs?.(input) ?? false;
}

export function needsApproval({ configured: { action, policy }, input }: Pick<Call, 'configured' | 'input'>): boolean {
  if (policy.approval !== 'destructive') return policy.approval === 'always';
  return action.effect === 'destructive' || (action.exposes?.(input) ?? false);
}

export function aborted(): AppError {
  return new AppError('aborted', 'The call was aborted.');
}
