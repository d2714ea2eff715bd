import type { z } from 'zod';
import type { Clock } from '../../clock/clock.ts';
import type { Database } from '../../database/database.ts';
import type { Sessions } from '../../providers/providers.ts';
import type { Audience } from '../../providers/shared/audience.ts';
import type { Effect } from '../../providers/shared/declared-call.ts';
import type { ScopeName } from '../../providers/workspace/workspace-scopes.ts';
import type { Source, Taint } from './labels.ts';
import type { Shown } from './shown.ts';

/** A schema with its JSON Schema (draft 7) and its check. */
export interface Schema<Value> {
  readonly jsonSchema: object;
  /** @throws AppError `invalid_request` with a message that names the invalid field */
  parse(value: unknown): Value;
}

/** The account that an action uses. */
export interface ActionAccount {
  id: string;
  grantId: string;
  /** Shown to people: the mail address or the bank's name. */
  label: string;
}

/** The call that reverts what an action did. */
export interface Undo {
  /** The built-in action that does it, as in `use:`. */
  action: string;
  input: object;
  /** What it reverts, in one line: `Take “Budget” out of the trash`. */
  summary: string;
}

export interface RunContext<P extends string = string> {
  userId: string;
  account: ActionAccount;
  /** The provider's APIs on behalf of the account. */
  session: P extends keyof Sessions ? Sessions[P] : unknown;
  db: Database;
  clock: Clock;
  /** The user's IANA zone, read when it is first asked for; undefined: they have not said one. */
  timeZone(): Promise<string | undefined>;
  /** Whether account numbers may be returned in full; only if the action's policy allows it. */
  unmasked: boolean;
  /** Largest output, bytes of JSON; longer output is truncated. */
  capBytes: number;
  /** Deadline, and for reads the caller's abort. A request that was already sent may still take effect. */
  signal: AbortSignal;
  /** Reports progress to a waiting caller. */
  progress(message: string): void;
  /** {@link Action.version} of the facts that were checked before this run; undefined: none were read, or they have none. */
  readonly version: string | undefined;
  /** What was read before in the caller's context. Of an action that is never asked about it isn't looked up, and counts as read. */
  readonly taint: Taint;
  /** A run of an automation calls, without a person. */
  readonly isUnattended: boolean;
  /**
   * Tells which items a run reads, where its result may not name them, by the ids that {@link Action.writes} uses.
   *
   * @param ids undefined: unknown ones
   */
  uses(ids: readonly string[] | undefined): void;
  /** The same for what it writes. */
  wrote(ids: readonly string[] | undefined): void;
  /** Names the call that reverts this one, for the result's `meta.undo`. Not called for what can't be reverted. */
  undoneBy(undo: Undo): void;
}

/** A folder that something is put into. */
export interface Destination {
  id: string;
  name: string;
  /** Who sees what is in it. */
  audience: Audience;
}

/** Of an action that calls a tool of another server: what the integrations file says of it. */
export interface DeclaredTool {
  /** Name of the source. */
  source: string;
  /** The tool's name at the server. */
  tool: string;
  /** Arguments with fixed values. */
  fixed: Readonly<Record<string, unknown>>;
  /** Of the definition that may be called, set by the operator; undefined: the user decides. */
  hash?: string;
  /** Descriptions of the tool are the operator's, not the server's. */
  isDescribed: boolean;
  /** By the operator's word, results hold only what the user wrote. */
  isOwn: boolean;
}

/** An operation on one account, built in or declared in the integrations file. */
export interface Action<Input = unknown, Output = unknown, P extends string = string, Facts = unknown> {
  /** `mail.search`: its name in `use:`. */
  name: string;
  provider: P;
  effect: Effect;
  description: string;
  /** For workspace accounts: any one of them suffices. */
  scopes: readonly (P extends 'workspace' ? ScopeName : string)[];
  /** Scopes that a call with this input needs besides, each of them. */
  alsoNeeds?(input: Input): readonly ScopeName[];
  /** A need that the agent must declare for it: a product of the bank. */
  requires?: string;
  input: Schema<Input>;
  output: Schema<Output>;
  /** Allow-list name → the values in this input that the list is checked against. Mail's `to` covers cc and bcc too. */
  allow?: Record<string, (input: Input) => readonly string[]>;
  /** The same for values that only the facts tell. With such a list in force, the facts are read before every call. */
  allowRead?: Record<string, (facts: Facts) => readonly string[]>;
  /**
   * Reads from the provider what decides who sees the effect: an event's guests, a file's sharing. Changes nothing.
   * Executed before the user is asked, and again when the user has approved.
   *
   * @throws AppError `not_found`, `invalid_request` when the call can't succeed
   */
  facts?(input: Input, context: RunContext<P>): Promise<Facts>;
  /**
   * Changes with everything that the user is shown of the facts. A call whose version has changed since isn't run, and one
   * whose facts can't be read isn't asked about: what wasn't read can't be shown.
   */
  version?(facts: Facts): string | undefined;
  /** Who sees the effect besides the user, which can't be undone: if anyone does, the call needs approval like a destructive one. */
  exposes?(input: Input, facts: Facts, taint: Taint): Audience;
  /**
   * The operator answers for the server that a read tells its arguments: it isn't asked about because of what was read elsewhere,
   * unless that was a bank's data.
   */
  isTrusted?: true;
  /** The folder that the call puts something into, by which a user may allow it in advance; left out: by those who see it. */
  destination?(facts: Facts): Destination;
  /** What the facts add to the arguments to which an allowance is bound, by their names: a draft's files, which its id doesn't tell. */
  implies?(facts: Facts): Readonly<Record<string, unknown>>;
  /** Each call asks the user, whatever the integrations file says: what it does is the user's own decision. */
  asksAlways?: true;
  /** `own`: no result contains text that others wrote. Left out: results may, and their {@link sources} tell which parts. */
  integrity?: 'own';
  /** Where the parts of a result come from, by the provider's facts. Left out, or undefined: anywhere. */
  sources?(output: Output, input: Input): readonly Source[] | undefined;
  /**
   * Ids of the items whose text a change writes, as the {@link sources} of results name them: if the caller had read others'
   * text, they count as others'. Without an output: those that the input names.
   */
  writes?(input: Input, output: Output | undefined): readonly string[];
  /**
   * Ids of what a call changes, or shows to others, as the facts resolved it: what a folder holds, the target of a shortcut. Left
   * out: the {@link namedIds} of its input. While the user is asked about a call, changes of these are asked about, too.
   */
  about?(input: Input, facts: Facts): readonly string[];
  /** Whether the provider charges for a call with this input: such calls have a separate budget. */
  costs?(input: Input): boolean;
  /**
   * One line for the person who approves: exactly what the call will do.
   *
   * @param now milliseconds since 1970, for an input that means the present if it names no time
   */
  summary(input: Input, now: number): string;
  /** Verb and object, of an action that Steward has no words of its own for; left out: the summary, which repeats the arguments. */
  title?: string;
  /** The summary with names read from the provider in place of ids. Changes nothing. */
  preview?(input: Input, context: RunContext<P>, facts: Facts): Promise<string>;
  /**
   * What a question shows besides the arguments. Reads from the provider only names that decide nothing, and changes nothing; where
   * that fails, nothing is shown. Left out: nothing.
   */
  shown?(input: Input, facts: Facts, context: RunContext<P>): Shown | undefined | Promise<Shown | undefined>;
  /** It is declared in the integrations file: its name may be that of a built-in one. */
  isDeclared?: true;
  /** It calls a tool of another server, as each account has approved it: schemas and code are those of a call's account. */
  pinned?: DeclaredTool;
  /** Longest run, milliseconds; a policy can only lower it. */
  timeoutMs?: number;
  /** Largest output, bytes of JSON; the integrations file can only lower it. */
  capBytes?: number;
  run(input: Input, context: RunContext<P>): Promise<Output>;
}

const OUTLINED = [
  'name',
  'provider',
  'effect',
  'description',
  'scopes',
  'requires',
  'timeoutMs',
  'capBytes',
  'integrity',
  'asksAlways',
  'pinned',
] as const;
type Outlined = (typeof OUTLINED)[number];

/** An action without its code: enough to list it, and to decide what an agent may do with it. */
export interface ActionOutline extends Pick<Action, Outlined> {
  /** Names of its allow-lists. */
  lists: readonly string[];
  /** Some of its inputs may affect other people. */
  mayExpose: boolean;
  /** The provider charges for some of its inputs. */
  mayCost?: true;
}

/** Input and output of an action as JSON Schema (draft 7). */
export interface ActionSchemas {
  input: object;
  output: object;
}

/** An action whose code and schemas are loaded on first use. */
export interface LazyAction extends ActionOutline {
  /** Doesn't load the action's code. */
  schemas(): Promise<ActionSchemas>;
  load(): Promise<Action>;
}

/** Input of {@link builtIn}: an action with zod schemas. */
export type Definition<I extends z.ZodType, O extends z.ZodType, P extends string, Facts> = Omit<
  Action<z.output<I>, z.input<O>, P, Facts>,
  'provider' | 'input' | 'output' | 'facts' | 'version'
> & { input: I; output: O } & Facted<z.output<I>, P, Facts>;

/** What is read to show it has a version: otherwise a call could be approved for one thing and run on another. */
type Facted<Input, P extends string, Facts> =
  | Required<Pick<Action<Input, unknown, P, Facts>, 'facts' | 'version'>>
  | { facts?: undefined; version?: undefined };

/** The part of an action that is known without its code. */
export function outlineOf(action: Action): ActionOutline {
  const { allow, allowRead, exposes, costs } = action;
  return {
    ...(Object.fromEntries(Object.entries(action).filter(([name]) => (OUTLINED as readonly string[]).includes(name))) as Pick<
      Action,
      Outlined
    >),
    lists: Object.keys({ ...allow, ...allowRead }),
    mayExpose: exposes !== undefined,
    ...(costs !== undefined && { mayCost: true }),
  };
}

export function schemasOf({ input, output }: Action): ActionSchemas {
  return { input: input.jsonSchema, output: output.jsonSchema };
}

/** An action that is already loaded, as a {@link LazyAction}. */
export function toLazyAction(action: Action): LazyAction {
  return { ...outlineOf(action), schemas: async () => schemasOf(action), load: async () => action };
}
