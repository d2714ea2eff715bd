import type { EventTrigger } from '../definition/trigger.ts';
import type { AccountEvent } from './event-types.ts';

/** What a reader of changes is given. */
export interface LookInput {
  accountId: string;
  /** The provider's id of the account or bank item. */
  subject: string;
  /** As the last look has returned it; null: this is the first one. */
  position: unknown;
  /** The names of the events that active automations wait for. */
  events: readonly string[];
  /** Read when they are needed. */
  triggers(): Promise<readonly EventTrigger[]>;
  /** Milliseconds. */
  now: number;
  /** Before this, milliseconds, nothing that happened can be missing: for readings whose token has ended. */
  since: number;
  /** How many looks have failed since one was stored. */
  failures: number;
}

/** What a look has found. */
export interface Found {
  /** From where the next look reads on; JSON, with ids and tokens only. */
  position: unknown;
  events: AccountEvent[];
  /** There is more to read now. */
  more: boolean;
}

/** After so many failures, a fault of the provider counts as one of its token: some answer an old one with 500 for ever. */
const FAULTS = 5;
/** After so many failures, what can't be read on its own is taken as it is. */
const UNREADABLE = 3;

/** Whether failed looks call for reading anew, without the token. */
export function distrustsToken({ failures }: LookInput): boolean {
  return failures >= FAULTS;
}

export function skipsUnreadable({ failures }: LookInput): boolean {
  return failures >= UNREADABLE;
}
