import type { ResponseReader } from '../transport/responses.ts';
import type { Audience } from './audience.ts';

/** The types of values. `string[]` is a parameter that may be repeated in an address. */
export type ValueKind = 'string' | 'number' | 'boolean' | 'string[]' | 'array' | 'object' | 'any';

/** A value that a call accepts. */
export interface Field {
  kind: ValueKind;
  /** Of a text, or the texts of a `string[]`: the permitted values. */
  values?: readonly string[];
  /** Of an object: its fields, if they are known. */
  fields?(): Fields;
  /** Of an array: its items, if they are known. */
  items?: Field;
}
export type Fields = Readonly<Record<string, Field>>;

/** What a call or an action does. Sharing and inviting are destructive, since they cannot be undone. */
export type Effect = 'read' | 'write' | 'destructive';

/** What decides who sees the effect of a call. */
export interface CallExposure {
  audience: Audience;
  /** Who else may see it, which can't be read: counted only if the caller has read others' text or a bank's data. */
  unreadable?: Audience;
  /** Arguments that are sent with the call in the same case, so that no one else sees it. */
  restricting?: Readonly<Record<string, unknown>>;
  /** Changes with what those see who see the effect, besides the arguments: the file that is shared, the event that is moved. */
  version: string;
  /** Ids of what those see, besides what the arguments name: what a folder holds. */
  items: readonly string[];
}

/** A call of a provider that an action of the integrations file may declare. */
export interface DeclaredCall {
  /** Its name after `call:`. */
  name: string;
  /** The fields that `with` may contain. */
  fields: Fields;
  required: readonly string[];
  /** Whether a field may be sent as null, which clears it. Otherwise, null means that the field is absent. */
  takesNull(field: string): boolean;
  /** Whether a text would change the path of the request, and therefore the method that is called. */
  escapesPath(field: string, value: string): boolean;
  /** Why a field, or this value of it, must not be used; undefined: it may be. */
  rejection(field: string, value: unknown): string | undefined;
  /** One of these is sufficient; empty: none is required. */
  scopes: readonly string[];
  /** The least effect that a call with these arguments has. */
  effect(given: Readonly<Record<string, unknown>>): Effect;
  /** The field that makes a call with these arguments destructive; undefined: the call itself is, or it is not destructive. */
  tellingField(given: Readonly<Record<string, unknown>>): string | undefined;
  /** Fields that a summary lists first, because they affect other people. */
  destructiveFields: readonly string[];
  /**
   * Who sees the effect of a call with these arguments besides the account, and what is there now.
   *
   * @param session of the call's provider
   * @param own how the account is shown to people: its address
   * @throws AppError `not_found`, `invalid_request`, `reauth_required`: what else can't be read is unknown
   */
  exposure(session: unknown, args: Readonly<Record<string, unknown>>, own: string): Promise<CallExposure>;
  /** Each call costs money. */
  paid?: true;
  /** Account numbers in the response are masked. */
  masked?: true;
  /**
   * @param session of the call's provider
   * @throws AppError like the provider's session
   */
  send<Args, Result>(
    session: unknown,
    args: Record<string, unknown>,
    reader: ResponseReader<Args, Result>,
    readerArgs: Args,
  ): Promise<Result>;
}

/** The rejection of a declaration is a text for the operator. */
export type CallOrRejection = { call: DeclaredCall } | { rejection: string };

/**
 * Finds a call by its name.
 *
 * @param needs scopes or products that the agent declares
 */
export type FindCall = (name: string, needs: readonly string[]) => CallOrRejection;
