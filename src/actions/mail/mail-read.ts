import { z } from 'zod';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { builtIn } from '../shared/built-in.ts';
import { singleLine } from '../shared/display-text.ts';
import { jsonBytes } from '../shared/fitting.ts';
import type { Source } from '../shared/labels.ts';
import { type PartLimit, partLimit, textPart } from '../shared/text-part.ts';
import { listedAttachments, shownAttachment } from './listed-attachments.ts';
import { shownAddresses } from './mail-addresses.ts';
import { bodyText, HtmlBudget } from './mail-body.ts';
import { mailId } from './mail-fields.ts';
import { fetchMessage, fetchThread, MAX_MESSAGES, type MailMessage, type MailPage, threadsOfOwn } from './mail-messages.ts';
import { attachmentsOf, type MailPart } from './mail-parts.ts';
import { nameMessages, nameThreads, shownMails } from './mail-preview.ts';

/** Characters of text in one result. */
const MAX_TEXT = 20_000;
/** A message of which less than this would fit is left to the next result. */
const MIN_BEGINNING = 2_000;
/** An offset is the message's index times this, plus the position in its text; no text is longer. */
const OFFSETS_PER_MESSAGE = 100_000_000;
const MAX_OFFSET = 100_000 * OFFSETS_PER_MESSAGE;

const addresses = z.string().optional();
const longAddresses = addresses.describe('In a thread, a long list ends in the number of the others: read the message alone.');
const shownMessage = z.object({
  id: z.string(),
  from: z.string(),
  to: longAddresses,
  cc: longAddresses,
  bcc: addresses,
  reply_to: addresses,
  date: z.string(),
  subject: z.string(),
  unread: z.boolean(),
  labels: z.array(z.string()).describe('Label ids; mail.labels lists their names.'),
  text: z.string(),
  quotes: z.literal(true).optional().describe('It may quote others: it answers or forwards a message, or has files.'),
  attachments: z
    .array(shownAttachment)
    .describe('Read one with mail.attachment. The id of one inside of an attached message begins with its id.'),
});

type Shown = z.output<typeof shownMessage>;

const OTHERS = ['from', 'to', 'cc', 'bcc', 'reply_to', 'subject', 'text', 'attachments'];

/** What stands before a quoted or forwarded text, or its lines. */
const QUOTING = /^[ \t]*>|^[ \t]*-{3,}[ \t]*[^\s-]|^(?:From|Von|De|Da|Van):[ \t].*$|\b(?:wrote|schrieb|escribió|écrit)\s?:[ \t]*$/imu;
const ANSWERING = /^\s*(?:re|aw|sv|antw|fwd?|wg|tr|rv)\s*:/i;

/**
 * Of sent messages, the provider knows that the account wrote them, but those that answer or forward quote others. Drafts
 * quote what they reply to, and may have been written after others' text was read.
 */
function sourceOf({ id, from, subject, date, labels, quotes }: Shown): Source {
  const isOwn = labels.includes('SENT') && !labels.includes('DRAFT') && quotes !== true;
  const about = { item: id, name: subject, author: from, time: date };
  return isOwn ? { ...about, integrity: 'own' } : { ...about, integrity: 'others', fields: OTHERS };
}

export const readMail = builtIn('workspace', {
  name: 'mail.read',
  effect: 'read',
  description: 'Read a message, or all messages of a thread, oldest first: headers, plain text, and a list of the attachments.',
  scopes: ['mail.modify'],
  input: z
    .strictObject({
      thread: mailId.optional().describe('Id of a thread; give this or message.'),
      message: mailId.optional().describe('Id of one message; give this or thread.'),
      offset: z.int().min(0).max(MAX_OFFSET).default(0).describe('`next_offset` of the previous result.'),
    })
    .refine(({ thread, message }) => (thread === undefined) !== (message === undefined), {
      path: ['thread'],
      error: 'give either thread or message',
    }),
  output: z.object({
    thread: z.string(),
    messages: z.array(shownMessage),
    next_offset: z.number().optional().describe('There is more: pass this as `offset`.'),
  }),
  sources: ({ messages }) => messages.map(sourceOf),
  summary: ({ thread, message }) => (message === undefined ? `Read thread ${thread}` : `Read message ${message}`),
  shown: async ({ thread, message }, _facts, { session }) => ({
    items: {
      ...(thread !== undefined && { thread: shownMails(await nameThreads(session, [thread])) }),
      ...(message !== undefined && { message: shownMails(await nameMessages(session, [message])) }),
    },
  }),
  async run({ thread, message, offset }, { session, uses, capBytes }) {
    const from = Math.floor(offset / OFFSETS_PER_MESSAGE);
    const page =
      message === undefined ? await fetchThread(session, thread ?? '', from) : single(await fetchMessage(session, message), from);
    uses(threadsOfOwn(page.messages));
    const limit = partLimit(capBytes, { thread: page.thread, messages: [], next_offset: MAX_OFFSET }, MAX_TEXT);
    return { thread: page.thread, ...(await readPage({ session, limit }, page, from, offset % OFFSETS_PER_MESSAGE)) };
  },
});

function single(message: MailMessage, from: number): MailPage {
  return { thread: message.threadId, messages: [message].slice(from), count: 1 };
}

/**
 * Messages and texts of one result.
 *
 * @param first index of the first message in its thread
 * @param begin position in the text of the first message
 */
async function readPage(
  { session, limit }: { session: WorkspaceSession; limit: PartLimit },
  { messages, count }: MailPage,
  first: number,
  begin: number,
) {
  const items: Shown[] = [];
  const budget = new HtmlBudget();
  let left = limit;
  let from = begin;
  for (const [index, message] of messages.entries()) {
    const start = (first + index) * OFFSETS_PER_MESSAGE;
    const text = await bodyText(message.root, { session, messageId: message.id, budget, enough: from + left.units });
    // Alone, a message is shown with everyone who received it; not again with each part of its text.
    const item = describeMessage(message, text, count === 1 && from === 0 ? Number.POSITIVE_INFINITY : undefined);
    const room = { units: left.units, bytes: left.bytes - jsonBytes(item) };
    const { text: part, next_offset: next } = textPart(text, from, room);
    // What doesn't fit here may fit into a result of its own.
    const full = budget.exceeded || (next !== undefined && Math.min(room.units, room.bytes) < MIN_BEGINNING) || room.bytes < 0;
    if (items.length > 0 && full) return { messages: items, next_offset: start };
    items.push({ ...item, text: part });
    if (next !== undefined) return { messages: items, next_offset: start + next };
    left = { units: room.units - part.length, bytes: room.bytes - jsonBytes(part) };
    from = 0;
  }
  const following = first + messages.length;
  return {
    messages: items,
    ...(messages.length === MAX_MESSAGES && following < count && { next_offset: following * OFFSETS_PER_MESSAGE }),
  };
}

/** A message without its text. @param read the text as far as it was read @param most characters of an address list */
function describeMessage({ root, ...message }: MailMessage, read: string, most: number | undefined): Shown {
  const { headers, addresses: lists } = root;
  return {
    id: message.id,
    from: shownAddresses(lists.from, most) ?? '',
    to: shownAddresses(lists.to, most),
    cc: shownAddresses(lists.cc, most),
    bcc: shownAddresses(lists.bcc, most),
    reply_to: shownAddresses(lists['reply-to'], most),
    date: new Date(Number(message.internalDate)).toISOString(),
    subject: singleLine.parse(headers.get('subject') ?? ''),
    unread: message.labelIds.includes('UNREAD'),
    labels: message.labelIds,
    text: '',
    ...(isQuoting(root, read) && { quotes: true as const }),
    attachments: listedAttachments(attachmentsOf(root)),
  };
}

function isQuoting(root: MailPart, text: string): boolean {
  const { headers } = root;
  const isReply = headers.has('in-reply-to') || headers.has('references') || ANSWERING.test(headers.get('subject') ?? '');
  return isReply || QUOTING.test(text) || attachmentsOf(root).length > 0;
}
