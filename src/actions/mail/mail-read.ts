import { z } from 'zod';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { builtIn } from '../built-in.ts';
import { mailId } from './mail-fields.ts';
import { fetchMessage, fetchThread, MAX_MESSAGES, type MailMessage, type MailPage } from './mail-messages.ts';
import { attachmentsOf, bodyText, HtmlBudget } from './mail-parts.ts';
import { cutText, shown } from './mail-text.ts';

/** Characters of text that one answer holds. */
const MAX_TEXT = 20_000;
/** A message whose beginning would be shorter than this waits for the next answer. */
const WORTH_BEGINNING = 2_000;
/** Each message's share of the offsets: more than any has characters. */
const OFFSETS = 100_000_000;
const MAX_OFFSET = 100_000 * OFFSETS;

const shownAttachment = z.object({ id: z.string(), name: z.string(), mime: z.string(), size: z.number() });
const addresses = z.string().optional();
const shownMessage = z.object({
  id: z.string(),
  from: z.string(),
  to: addresses,
  cc: addresses,
  bcc: addresses,
  reply_to: addresses,
  date: z.string(),
  subject: z.string(),
  unread: z.boolean(),
  labels: z.array(z.string()).describe('Label ids; mail.labels knows their names.'),
  text: z.string(),
  attachments: z.array(shownAttachment).describe('Read one with mail.attachment.'),
});

type Shown = z.output<typeof shownMessage>;

export const readMail = builtIn({
  name: 'mail.read',
  provider: 'workspace',
  effect: 'read',
  description: 'Read a message, or a thread with all its messages, oldest first: headers, plain text, and a list of the attachments.',
  scopes: ['mail.modify'],
  input: z
    .strictObject({
      thread: mailId.optional().describe('Id of a thread; give this or message.'),
      message: mailId.optional().describe('Id of one message; give this or thread.'),
      offset: z.int().min(0).max(MAX_OFFSET).default(0).describe('Where to go on in a long text: `next_offset` of the answer before.'),
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
  summary: ({ thread, message }) => (message === undefined ? `Read thread ${thread}` : `Read message ${message}`),
  async run({ thread, message, offset }, { session }) {
    const from = Math.floor(offset / OFFSETS);
    const page = message === undefined ? await fetchThread(session, thread ?? '', from) : alone(await fetchMessage(session, message), from);
    return { thread: page.thread, ...(await fill(session, page, from, offset % OFFSETS)) };
  },
});

function alone(message: MailMessage, from: number): MailPage {
  return { thread: message.threadId, messages: [message].slice(from), count: 1 };
}

/**
 * One answer's worth; the messages before it are not looked at again.
 *
 * @param first index of the first message in its thread
 * @param begin where to begin in its text
 */
async function fill(session: WorkspaceSession, { messages, count }: MailPage, first: number, begin: number) {
  const shownOnes: Shown[] = [];
  const html = new HtmlBudget();
  let room = MAX_TEXT;
  let from = begin;
  for (const [place, message] of messages.entries()) {
    const start = (first + place) * OFFSETS;
    const text = await bodyText(session, message.id, message.root, html, from + room);
    // What doesn't fit beside others may fit alone.
    const full = html.exceeded || (text.length > room && room < WORTH_BEGINNING);
    if (shownOnes.length > 0 && full) return { messages: shownOnes, next_offset: start };
    const piece = cutText(text, from, room);
    shownOnes.push(show(message, piece));
    if (from + piece.length < text.length) return { messages: shownOnes, next_offset: start + from + piece.length };
    room -= piece.length;
    from = 0;
  }
  const next = first + messages.length;
  return { messages: shownOnes, ...(messages.length === MAX_MESSAGES && next < count && { next_offset: next * OFFSETS }) };
}

function show({ root, ...message }: MailMessage, text: string): Shown {
  const { headers } = root;
  return {
    id: message.id,
    from: shown.address.parse(headers.get('from') ?? ''),
    to: shown.addresses.parse(headers.get('to')),
    cc: shown.addresses.parse(headers.get('cc')),
    bcc: shown.addresses.parse(headers.get('bcc')),
    reply_to: shown.addresses.parse(headers.get('reply-to')),
    date: new Date(Number(message.internalDate)).toISOString(),
    subject: shown.subject.parse(headers.get('subject') ?? ''),
    unread: message.labelIds.includes('UNREAD'),
    labels: message.labelIds,
    text,
    attachments: attachmentsOf(root).map(({ id, fileName, mimeType, size }) => ({
      id,
      name: fileName === '' ? 'unnamed' : fileName,
      mime: mimeType,
      size,
    })),
  };
}
