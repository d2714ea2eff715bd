import type { CheckedProposal } from '../../providers/steward/automation-proposals.ts';

/** An item at the provider, as people know it. */
export interface ShownItem {
  name: string;
  /** Its page at the provider. */
  link?: string | undefined;
  /** `folder`, `spreadsheet`, a media type. */
  type?: string | undefined;
  bytes?: number | undefined;
  /** Of a mail, who wrote it. */
  from?: string | undefined;
  /** Of a draft, to whom it goes so far. */
  to?: string | undefined;
  /** Messages of a thread. */
  messages?: number | undefined;
  /** Of a folder: not all that it holds was read, and it may change until the call runs. */
  isPart?: true;
}

/** A date, or a moment in UTC, with the zone in which its event has it; undefined: it has none. */
export type ShownTime = { date: string } | { at: string; zone: string | undefined };

/** When an event is; of whole days, `end` is the last one. */
export interface ShownSpan {
  start: ShownTime;
  end: ShownTime;
}

/** An event as it is before the call. */
export interface ShownEvent extends Partial<ShownSpan> {
  title: string;
  link?: string | undefined;
  location?: string | undefined;
  description?: string | undefined;
  /** Addresses, without the account's own. */
  guests: readonly string[];
  /** There may be more guests. */
  hasMoreGuests?: boolean;
  organizer?: string | undefined;
  /** RFC 5545 rules, of a series. */
  recurrence?: readonly string[] | undefined;
  /** One event of a series. */
  isOfSeries?: boolean;
}

/** A text that guests read besides what the call writes. */
export interface ShownText {
  what: 'place' | 'description' | 'file' | 'comment' | 'event' | 'more';
  /** Whose comment it is. */
  who?: string;
  text: string;
}

/** A stored draft, with everything that its recipients see. */
export interface ShownMail {
  to: readonly ShownMailbox[];
  cc: readonly ShownMailbox[];
  bcc: readonly ShownMailbox[];
  /** Not all recipients could be read. */
  isIncomplete: boolean;
  /** Whom the recipients take for the sender, and whom they answer, where it isn't just the account. */
  senders: readonly { what: 'from' | 'sender' | 'reply-to'; who: ShownMailbox }[];
  subject: string;
  body: string;
  files: readonly ShownItem[];
  /** Further header fields. */
  headers: readonly { name: string; value: string }[];
}

export interface ShownMailbox {
  name: string;
  address: string;
}

/** What a question shows of the facts besides the arguments: names in place of ids, and what is there before the call. */
export interface Shown {
  /** The items that an argument names by their ids, by the argument. */
  items?: Readonly<Record<string, readonly ShownItem[]>>;
  mail?: ShownMail;
  /** Of a reply, which the caller doesn't choose; of a draft, before it changes. */
  subject?: string | undefined;
  /** Names of the labels that are added and removed; the provider's own ones have its names. */
  labels?: { add: readonly string[]; remove: readonly string[] };
  event?: ShownEvent;
  /** When a created or changed event will be. */
  span?: ShownSpan;
  /** Events of a series whose individual changes may be reset. */
  resets?: number;
  /** What those who are invited read besides what changes. */
  reads?: readonly ShownText[];
  /** Whether others with whom the calendar is shared see only the time of an event. */
  isPrivate?: boolean;
  /** Arguments with which the operator completes those of the caller. */
  fixed?: Readonly<Record<string, unknown>>;
  /** Access that is taken away. */
  role?: string;
  /** An automation that would be made. */
  automation?: CheckedProposal;
}
