import type { EventTriggerName } from '../definition/trigger.ts';

/** What of an account is read. */
export type WatchKind = 'mail' | 'calendar' | 'drive' | 'bank';

/** The events that reading a kind finds. */
export const EVENTS_OF_KIND = {
  mail: ['mail.received'],
  calendar: ['calendar.changed', 'calendar.starting'],
  drive: ['drive.changed'],
  bank: ['bank.transaction'],
} as const satisfies Record<WatchKind, readonly EventTriggerName[]>;

interface Happened {
  /** What makes it one occurrence: the provider's id, and its change. */
  occurrence: string;
  /** Ids of what happened, for the run; no text of others. */
  ids: Readonly<Record<string, string>>;
  /** When it happened, by the provider; milliseconds. undefined: it doesn't say, or not to the second. */
  at: number | undefined;
  /** Of something that is there for longer: its id, and when it was last written. */
  item?: { id: string; writtenAt: number | undefined };
}

export interface MailReceived extends Happened {
  event: 'mail.received';
  /** Addresses, in lower case. */
  from: readonly string[];
  to: readonly string[];
  subject: string;
  /** undefined: it wasn't read. */
  hasAttachment: boolean | undefined;
  /** It was sent by a program, or to a list. */
  isAutomated: boolean;
}

export interface CalendarChanged extends Happened {
  event: 'calendar.changed';
  /** undefined: a deleted event. */
  title: string | undefined;
}

export interface CalendarStarting extends Happened {
  event: 'calendar.starting';
  title: string | undefined;
  /** Milliseconds. */
  start: number;
}

export interface DriveChanged extends Happened {
  event: 'drive.changed';
  name: string;
  folders: readonly string[];
}

export interface BankTransaction extends Happened {
  event: 'bank.transaction';
  /** Positive: money out of the account. null: the bank doesn't say. */
  amount: number | null;
  /** YYYY-MM-DD; null: the bank doesn't say. */
  day: string | null;
  /** The bank reports it for the first time, rather than other details of it. */
  isNew: boolean;
  merchant: readonly string[];
  category: readonly string[];
}

export interface AccountStatus extends Happened {
  event: 'account.status';
}

/** Something that happened in an account, as far as automations are told by it. */
export type AccountEvent = MailReceived | CalendarChanged | CalendarStarting | DriveChanged | BankTransaction | AccountStatus;
