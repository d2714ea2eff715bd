import { readSeed } from '../read-seed.ts';
import type { Account } from '../workspace-accounts.ts';
import { type Label, type Mailbox, messageId, type StoredMessage } from './gmail-mailbox.ts';
import { type SeedAttachment, seedMime } from './gmail-seed-mime.ts';

interface SeedMail {
  from?: string;
  cc?: string;
  /** `{backlog}` is replaced by a long list. */
  text?: string;
  html?: string;
  charset?: 'iso-8859-1';
  attachments?: readonly SeedAttachment[];
  after?: number;
  headers?: Record<string, string>;
}

interface SeedThread {
  subject: string;
  days: number;
  /** Age in minutes, in place of `days`. */
  minutes?: number;
  labels?: readonly string[];
  folder?: 'INBOX' | 'SPAM' | 'TRASH' | 'archive';
  /** Whether its last message is unread. */
  unread?: true;
  mails: readonly SeedMail[];
}

const THREADS = readSeed<SeedThread[]>('mailbox.yaml', import.meta.url);
const BACKLOG = Array.from(
  { length: 220 },
  (_, index) =>
    `${index + 1}. ${['Ana', 'Jonas', 'Mei', 'Tomáš'][index % 4]} went through item ${index + 1} of the backlog; the estimate is ${(index % 7) + 1} days and the owner keeps it until the next review.`,
).join('\n');

const HOUR_MS = 3_600_000;
const SYSTEM_LABELS = ['INBOX', 'SENT', 'DRAFT', 'UNREAD', 'STARRED', 'IMPORTANT', 'TRASH', 'SPAM', 'CHAT'];
const CATEGORIES = ['PERSONAL', 'UPDATES', 'PROMOTIONS', 'SOCIAL', 'FORUMS'].map((name) => `CATEGORY_${name}`);
const USER_LABELS = ['Travel', 'Receipts', 'Projects/Aurora', 'Home', 'Família'];

const LABELS: readonly Label[] = [
  ...[...SYSTEM_LABELS, ...CATEGORIES].map((id): Label => ({ id, name: id, type: 'system' })),
  ...USER_LABELS.map((name, index): Label => ({ id: `Label_${index + 1}`, name, type: 'user' })),
];

/** About forty threads, always the same for an account. Their dates are before `now`. */
export function seedMailbox(account: Account, now: number): Mailbox {
  const mailbox: Mailbox = { messages: [], drafts: [], labels: structuredClone([...LABELS]), made: 0, historyId: 1000 };
  for (const thread of THREADS) addThread(mailbox, account, thread, now);
  mailbox.messages.sort((a, b) => a.at - b.at);
  return mailbox;
}

function addThread(mailbox: Mailbox, account: Account, thread: SeedThread, now: number): void {
  const owner = `${account.name} <${account.email}>`;
  const others = [...new Set(thread.mails.flatMap(({ from, cc }) => [from, cc]).filter((one) => one !== undefined))];
  const references: string[] = [];
  // At a different time of day for each thread.
  const scattered = (thread.days * 24 + 8) * HOUR_MS + ((mailbox.messages.length * 37) % 601) * 61_000;
  let at = now - (thread.minutes === undefined ? scattered : thread.minutes * 60_000);
  const first = messageId(account, mailbox.made);
  thread.mails.forEach((mail, index) => {
    const id = messageId(account, mailbox.made);
    mailbox.made += 1;
    if (index > 0) at = Math.min(at + (mail.after ?? 5) * HOUR_MS, now - (thread.mails.length - index) * 60_000);
    const from = mail.from ?? owner;
    const to = mail.from === undefined ? (others.find((one) => one !== mail.cc) ?? owner) : owner;
    const rfcId = `<${id}.${index}@${/@([^>]+)/.exec(from)?.[1]}>`;
    const raw = seedMime({
      ...content(mail),
      from,
      to,
      subject: index === 0 ? thread.subject : `Re: ${thread.subject}`,
      date: new Date(at),
      messageId: rfcId,
      references: [...references],
    });
    references.push(rfcId);
    const last = index === thread.mails.length - 1;
    mailbox.messages.push({ id, threadId: first, labelIds: labelsOf(thread, mail, last), at, raw, historyId: mailbox.historyId });
  });
}

function content({ cc, text, html, charset, attachments, headers }: SeedMail) {
  return { cc, text: text?.replace('{backlog}', BACKLOG), html, charset, attachments, headers };
}

function labelsOf(thread: SeedThread, mail: SeedMail, last: boolean): StoredMessage['labelIds'] {
  const folder = thread.folder ?? 'INBOX';
  const place = mail.from === undefined ? ['SENT'] : folder === 'archive' ? [] : [folder];
  const named = (thread.labels ?? []).map((name) => LABELS.find((label) => label.name === name)?.id ?? name);
  return [...place, ...(thread.unread && last ? ['UNREAD'] : []), ...named];
}
