import type { AnswerReader } from './responses.ts';
import type { Fields } from './workspace/workspace-methods.ts';

/** What a call or an action does. Sharing and inviting are destructive, since they cannot be undone. */
export type Effect = 'read' | 'write' | 'destructive';

/** A call of a provider that an action of the integrations file declares: its parameters, its needs, its effect. */
export interface DeclaredCall {
  /** As `call:` names it. */
  name: string;
  /** The fields that `with` may contain. */
  fields: Fields;
  required: readonly string[];
  /** Whether a field may be sent as null, which clears it; elsewhere null counts as absent. */
  takesNull(field: string): boolean;
  /** Whether a text would change the path of the request, and with it the method that is called. */
  escapesPath(field: string, value: string): boolean;
  /** Why a field must not be used, or not with this value, although the call has it; undefined: it may be used. */
  rejection(field: string, value: unknown): string | undefined;
  /** One of these is sufficient; empty: none is required. */
  scopes: readonly string[];
  /** The mildest effect that a call with these arguments has. */
  effect(given: Readonly<Record<string, unknown>>): Effect;
  /** The field that makes a call with these arguments destructive; undefined where the call itself is, or is not. */
  tellingField(given: Readonly<Record<string, unknown>>): string | undefined;
  /** Fields that a summary lists first, because they affect other people. */
  destructiveFields: readonly string[];
  /** Each call costs money. */
  paid?: true;
  /** Account numbers in the response are masked. */
  masked?: true;
  /**
   * @param session of the call's provider
   * @throws AppError as the provider's session does
   */
  send<Args, Result>(
    session: unknown,
    args: Record<string, unknown>,
    reader: AnswerReader<Args, Result>,
    readerArgs: Args,
  ): Promise<Result>;
}

/** A rejection at load time is a text for the operator. */
export type CallOrRejection = { call: DeclaredCall } | { rejection: string };

/**
 * Finds a call by its name.
 *
 * @param needs what the agent declares that its actions may use: scopes, or products
 */
export type FindCall = (name: string, needs: readonly string[]) => CallOrRejection;
