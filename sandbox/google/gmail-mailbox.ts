import { createHash } from 'node:crypto';
import { ApiFault, invalid, notFound } from '../api-fault.ts';
import type { Account } from '../workspace-accounts.ts';
import type { ApiRequest } from './api-method.ts';
import { headerOf, type MimePart, parseMime } from './gmail-mime.ts';

/** A stored message; all else is read from its MIME text. */
export interface StoredMessage {
  id: string;
  threadId: string;
  labelIds: string[];
  /** Milliseconds since 1970. */
  at: number;
  /** The message, one character per byte. */
  raw: string;
  historyId: number;
}

/** A message as a record names it, with the labels that it had then. */
export type NamedMessage = Pick<StoredMessage, 'id' | 'threadId' | 'labelIds'>;

/** What one change did to the mailbox. */
export interface HistoryRecord {
  id: number;
  /** Milliseconds since 1970. */
  at: number;
  messagesAdded?: NamedMessage[];
  messagesDeleted?: NamedMessage[];
  labelsAdded?: (NamedMessage & { changed: string[] })[];
  labelsRemoved?: (NamedMessage & { changed: string[] })[];
}

export interface Label {
  id: string;
  name: string;
  type: 'system' | 'user';
}

/** The mail data of one account. */
export interface Mailbox {
  /** Oldest first. */
  messages: StoredMessage[];
  drafts: { id: string; messageId: string }[];
  labels: Label[];
  /** Number of messages created here, for new ids. */
  made: number;
  historyId: number;
  /** Oldest first. */
  history?: HistoryRecord[];
  /** Ids before this one are too old. */
  historyFrom?: number;
}

export type MailRequest = ApiRequest<Mailbox>;

/** 16 hexadecimal digits, derived from the account and the message's number. */
export function messageId(account: Account, number: number): string {
  return `19${createHash('sha256').update(`mail:${account.sub}:${number}`).digest('hex').slice(0, 14)}`;
}

const parsed = new WeakMap<StoredMessage, MimePart>();

/** The MIME tree of a message, whose text never changes. */
export function mimeOf(message: StoredMessage): MimePart {
  const known = parsed.get(message);
  if (known !== undefined) return known;
  const part = parseMime(message.raw);
  parsed.set(message, part);
  return part;
}

/** A header of the message, '' if it is missing. */
export function header(message: StoredMessage, name: string): string {
  return headerOf(mimeOf(message).headers, name) ?? '';
}

/** @throws ApiFault 400 for an invalid id, 404 for an unknown one */
export function findMessage({ messages }: Mailbox, id: string | undefined): StoredMessage {
  if (id === undefined || !/^[0-9a-f]{1,16}$/.test(id)) throw invalid('Invalid id value');
  const found = messages.find((message) => message.id === id);
  if (found === undefined) throw notFound();
  return found;
}

/** The thread's messages, oldest first. */
export function findThread({ messages }: Mailbox, id: string | undefined): StoredMessage[] {
  if (id === undefined || !/^[0-9a-f]{1,16}$/.test(id)) throw invalid('Invalid id value');
  const found = messages.filter((message) => message.threadId === id);
  if (found.length === 0) throw notFound();
  return found.sort((a, b) => a.at - b.at);
}

/** Changes a message's labels; unknown labels are rejected before any change. */
export function relabel(mailbox: Mailbox, messages: readonly StoredMessage[], add: readonly string[], remove: readonly string[]): void {
  for (const id of [...add, ...remove]) {
    if (!mailbox.labels.some((label) => label.id === id)) throw invalid(`Invalid label: ${id}`);
  }
  const fixed = ['SENT', 'DRAFT'].find((id) => add.includes(id) || remove.includes(id));
  if (fixed !== undefined) throw invalid(`Invalid label: ${fixed}`);
  mailbox.historyId += 1;
  for (const message of messages) {
    message.labelIds = [...new Set([...message.labelIds, ...add])].filter((id) => !remove.includes(id));
    message.historyId = mailbox.historyId;
  }
}

/** `me`, or the account's own address. */
export function assertOwnMailbox({ params, account }: MailRequest): void {
  if (params.userId === 'me' || params.userId?.toLowerCase() === account.email) return;
  throw new ApiFault(403, 'forbidden', `Delegation denied for ${account.email}`);
}
