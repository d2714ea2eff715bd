import type { Effect, RunContext } from '../../actions/action.ts';
import type { Fields } from '../../providers/workspace/workspace-methods.ts';
import type { ScopeName } from '../../providers/workspace/workspace-scopes.ts';
import type { DeclaredAnswer, Projected } from './declared-response.ts';

/** A provider's method that a declared action calls: what it takes, what it needs, what it does. */
export interface Target {
  /** As `call:` names it. */
  name: string;
  /** What `with` may hold. */
  fields: Fields;
  required: readonly string[];
  /** Whether a field may be sent as null, which clears it; elsewhere null is what isn't there. */
  takesNull(field: string): boolean;
  /** Whether a text can't stand in a path of the provider's as the field it is for: it would lead to another method. */
  escapesPath(field: string, value: string): boolean;
  /** Why a field may not be used, or not with this value, though the method has it; undefined: it may. */
  refusal(field: string, value: unknown): string | undefined;
  /** Any one of them suffices; empty: none is needed. */
  scopes: readonly ScopeName[];
  /** The least that a call with these arguments does to the world. */
  effect(given: Readonly<Record<string, unknown>>): Effect;
  /** The field that makes a call with these arguments destructive; undefined: the method is, or it isn't. */
  tellingField(given: Readonly<Record<string, unknown>>): string | undefined;
  /** Each call is paid for. */
  paid?: true;
  /** @throws AppError what the provider's session throws */
  send(context: RunContext, args: Record<string, unknown>, answer: Omit<DeclaredAnswer, 'masked'>): Promise<Projected>;
}

/** A refusal at load time is a text for the operator. */
export type TargetOrRefusal = { target: Target } | { refusal: string };
