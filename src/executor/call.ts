import { AppError } from '../errors.ts';
import type { Caller } from '../http/endpoint.ts';
import type { LoadedAction } from '../integrations/catalog.ts';
import type { AgentAccountRow } from './agent-accounts-repository.ts';

export interface Invocation {
  user: Pick<Caller, 'userId'>;
  /** Where the call came from, for the audit: `socket`. */
  surface: string;
  /** Full name, as the catalog has it. */
  action: string;
  /** Id or label; undefined = the default. */
  account?: string;
  input: unknown;
  /** Makes a change happen once, however often it is asked for within 24 hours; a read ignores it. */
  idempotencyKey?: string;
  /** The caller gives up: ends reads; a change that was begun runs to its end. */
  signal: AbortSignal;
  progress?(message: string): void;
}

/** One call that has passed every check that needs no transaction. */
export interface Call {
  userId: string;
  configured: LoadedAction;
  /** Of the catalog it was checked against. */
  revision: string;
  account: AgentAccountRow;
  /** The arguments as they came: what a later check would begin with. */
  given: unknown;
  /** The arguments as the action's schema gave them. */
  input: unknown;
  /** Of action, account and arguments; hexadecimal digits. */
  argumentsHash: string;
  /** Only where the action changes something: a repeated read does no harm. */
  idempotencyKey: string | undefined;
  signal: AbortSignal;
  progress: ((message: string) => void) | undefined;
  /** `performance.now()` when the call came. */
  startedAt: number;
}

export interface Outcome {
  data: unknown;
  meta: { account: string; accountId: string; ms: number; truncated?: true };
}

export function changesSomething({ action }: LoadedAction): boolean {
  return action.effect !== 'read';
}

/** Each such call is paid for at the provider. */
export function isPaid({ configured: { action }, input }: Pick<Call, 'configured' | 'input'>): boolean {
  return action.costs?.(input) ?? false;
}

export function needsApproval({ configured: { action, policy }, input }: Pick<Call, 'configured' | 'input'>): boolean {
  if (policy.approval !== 'destructive') return policy.approval === 'always';
  return action.effect === 'destructive' || (action.exposes?.(input) ?? false);
}

export function aborted(): AppError {
  return new AppError('aborted', 'The call was given up.');
}
