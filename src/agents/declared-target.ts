import { z } from 'zod';
import type { ValueKind } from '../providers/workspace-methods.ts';
import type { ScopeName } from '../providers/workspace-scopes.ts';
import type { Effect, RunContext } from './action.ts';

/** A provider's method that a declared action calls: what it takes, what it needs, what it does. */
export interface Target {
  /** As `call:` names it. */
  name: string;
  /** What `with` may hold. */
  fields: Readonly<Record<string, ValueKind>>;
  required: readonly string[];
  /** Whether a text can't stand in a path of the provider's as the field it is for: it would lead to another method. */
  leavesPath(field: string, value: string): boolean;
  /** Why a field may not be used, or not with this value, though the method has it; undefined: it may. */
  refusal(field: string, value: unknown): string | undefined;
  /** Any one of them suffices; empty: none is needed. */
  scopes: readonly ScopeName[];
  /** The least that a call with these arguments does to the world. */
  effect(given: Readonly<Record<string, unknown>>): Effect;
  /** @throws AppError what the provider's session throws */
  send(context: RunContext, args: Record<string, unknown>): Promise<unknown>;
}

/** A refusal at load time is a text for the operator. */
export type TargetOrRefusal = { target: Target } | { refusal: string };

/** Any JSON: what a method answers is its author's affair. What could not be parsed comes as undefined. */
export const anyAnswer = z.unknown().refine((value) => value !== undefined, 'is no JSON');
