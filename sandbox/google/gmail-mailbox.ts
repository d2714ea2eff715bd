import { createHash } from 'node:crypto';
import { ApiFault, invalid, notFound } from '../api-fault.ts';
import type { Account } from '../workspace-accounts.ts';
import type { ApiRequest } from './api-method.ts';
import { headerOf, type MimePart, parseMime } from './gmail-mime.ts';

/** A message as it is kept; everything else is read from its MIME text. */
export interface StoredMessage {
  id: string;
  threadId: string;
  labelIds: string[];
  /** Milliseconds since 1970. */
  at: number;
  /** The message, one character a byte. */
  raw: string;
  historyId: number;
}

export interface Label {
  id: string;
  name: string;
  type: 'system' | 'user';
}

/** What the mail API keeps for one account. */
export interface Mailbox {
  /** Oldest first, as they came in. */
  messages: StoredMessage[];
  drafts: { id: string; messageId: string }[];
  labels: Label[];
  /** Counts what was made here: part of the next id. */
  made: number;
  historyId: number;
}

export type MailRequest = ApiRequest<Mailbox>;

/** 16 hexadecimal digits, the same for an account's n-th message in every sandbox. */
export function messageId(account: Account, number: number): string {
  return `19${createHash('sha256').update(`mail:${account.sub}:${number}`).digest('hex').slice(0, 14)}`;
}

const parsed = new WeakMap<StoredMessage, MimePart>();

/** The MIME tree of a message; its text never changes. */
export function mimeOf(message: StoredMessage): MimePart {
  const known = parsed.get(message);
  if (known !== undefined) return known;
  const part = parseMime(message.raw);
  parsed.set(message, part);
  return part;
}

/** A header of the message itself, '' when it has none. */
export function header(message: StoredMessage, name: string): string {
  return headerOf(mimeOf(message).headers, name) ?? '';
}

/** @throws ApiFault 400 for what can't be an id, 404 for an unknown one */
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

/** Changes a message's labels; unknown ones are refused before anything is changed. */
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

/** The `me` of every path, or the account's own address. */
export function assertOwnMailbox({ params, account }: MailRequest): void {
  if (params.userId === 'me' || params.userId?.toLowerCase() === account.email) return;
  throw new ApiFault(403, 'forbidden', `Delegation denied for ${account.email}`);
}
