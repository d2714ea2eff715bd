import type { z } from 'zod';
import type { Database } from '../database/database.ts';
import type { BankSession } from '../providers/bank/bank-session.ts';
import type { ScopeName } from '../providers/workspace/workspace-scopes.ts';
import type { WorkspaceSession } from '../providers/workspace/workspace-session.ts';
import type { Provider } from '../vault/grants-repository.ts';

/** What an action does to the world. Sharing and inviting strangers counts as destructive: it can't be taken back. */
export type Effect = 'read' | 'write' | 'destructive';

/** A schema that can be shown (JSON Schema, draft 7) and that checks. */
export interface Shape<Value> {
  readonly jsonSchema: object;
  /** @throws AppError `invalid_request` with a message that names the field at fault */
  parse(value: unknown): Value;
}

/** The account that an action works with. */
export interface ActionAccount {
  id: string;
  grantId: string;
  /** How people call it: the e-mail address, the bank's name. */
  label: string;
}

/** The provider's APIs on behalf of the account. */
export interface Sessions {
  workspace: WorkspaceSession;
  bank: BankSession;
}

export interface RunContext<P extends Provider = Provider> {
  userId: string;
  account: ActionAccount;
  session: Sessions[P];
  db: Database;
  /** The bank's numbers may be shown whole: only where the action's policy says so. */
  unmasked: boolean;
  /** Largest output, bytes of JSON: what is beyond is cut. */
  capBytes: number;
  /** Deadline, and for reads the caller's abort. What has been sent may still have happened. */
  signal: AbortSignal;
  /** Tells a caller who waits how far it is. */
  progress(message: string): void;
}

/** Something an agent can do with one account. Built in, or declared in the integrations file. */
export interface Action<Input = unknown, Output = unknown, P extends Provider = Provider> {
  /** `mail.search`: how `use:` names it. */
  name: string;
  provider: P;
  effect: Effect;
  description: string;
  /** Workspace: any one of them suffices. */
  scopes: readonly ScopeName[];
  input: Shape<Input>;
  output: Shape<Output>;
  /** What a policy's allow-lists are held against: name → the values in this input. Mail's `to` is every recipient, hidden ones too. */
  allow?: Record<string, (input: Input) => readonly string[]>;
  /** Whether this input reaches other people, which can't be taken back: such a call is asked about as a destructive one is. */
  exposes?(input: Input): boolean;
  /** Whether a call with this input is paid for each time: such calls have a budget of their own. */
  costs?(input: Input): boolean;
  /** One line for the person who is asked to approve: exactly what will happen. */
  summary(input: Input): string;
  /** The summary with what only the provider knows of the things that are named by ids; reads and changes nothing. */
  preview?(input: Input, context: RunContext<P>): Promise<string>;
  /** Longest it may run, milliseconds; a policy can only lower it. */
  timeoutMs?: number;
  /** Largest output, bytes of JSON; the integrations file can only lower it. */
  capBytes?: number;
  run(input: Input, context: RunContext<P>): Promise<Output>;
}

/** What is known of an action without its code: enough to tell of it, and to decide what an agent may do with it. */
export interface ActionOutline extends Pick<Action, 'name' | 'provider' | 'effect' | 'description' | 'scopes' | 'timeoutMs' | 'capBytes'> {
  /** Names of its allow-lists. */
  lists: readonly string[];
  /** Some of its inputs may reach other people. */
  mayExpose: boolean;
  /** Some of its inputs are paid for by the call. */
  mayCost?: true;
}

/** What an action takes and answers, as JSON Schema (draft 7). */
export interface ActionSchemas {
  input: object;
  output: object;
}

/** An action whose code and schemas are loaded when they are first needed. */
export interface LazyAction extends ActionOutline {
  /** Loads none of its code. */
  schemas(): Promise<ActionSchemas>;
  load(): Promise<Action>;
}

/** What {@link builtIn} takes: an action whose schemas are still zod's. */
export type Definition<I extends z.ZodType, O extends z.ZodType, P extends Provider> = Omit<
  Action<z.output<I>, z.input<O>, P>,
  'input' | 'output'
> & { input: I; output: O };
