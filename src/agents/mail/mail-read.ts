import { z } from 'zod';
import type { WorkspaceSession } from '../../providers/workspace-session.ts';
import { builtIn } from '../built-in.ts';
import { asUnknownMail, type GmailMessage, gmailMessage, gmailThread } from './gmail-answers.ts';
import { mailId } from './mail-fields.ts';
import { attachmentsOf, bodyText, HtmlRoom, type MailPart, readPayload } from './mail-parts.ts';
import { cutText, shown } from './mail-text.ts';

/** Characters of text, and messages, that one answer holds. */
const TEXT_ROOM = 20_000;
const MESSAGE_ROOM = 10;
/** A message whose beginning would be shorter than this waits for the next answer. */
const WORTH_BEGINNING = 2_000;
/** Each message's share of the offsets: more than any has characters. */
const OFFSETS = 100_000_000;
const MAX_OFFSET = 100_000 * OFFSETS;
const FIELDS = 'id,threadId,labelIds,internalDate,payload';

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
    const messages = await fetchMessages(session, thread, message).catch((error: unknown) => {
      throw asUnknownMail(error, message === undefined ? 'thread' : 'message');
    });
    return { thread: messages[0]?.threadId ?? '', ...(await fill(session, messages, offset)) };
  },
});

async function fetchMessages(session: WorkspaceSession, thread?: string, message?: string): Promise<GmailMessage[]> {
  if (message === undefined) {
    const params = { userId: 'me', id: thread, format: 'full', fields: `id,messages(${FIELDS})` };
    return (await session.call('gmail.users.threads.get', params, gmailThread)).messages;
  }
  return [await session.call('gmail.users.messages.get', { userId: 'me', id: message, format: 'full', fields: FIELDS }, gmailMessage)];
}

/** One answer's worth from `offset` on; the messages before it are not looked at again. */
async function fill(session: WorkspaceSession, messages: readonly GmailMessage[], offset: number) {
  const page: Shown[] = [];
  const html = new HtmlRoom();
  let room = TEXT_ROOM;
  let from = offset % OFFSETS;
  for (let index = Math.floor(offset / OFFSETS); index < messages.length; index += 1) {
    const message = messages[index] as GmailMessage;
    const start = index * OFFSETS;
    if (page.length === MESSAGE_ROOM) return { messages: page, next_offset: start };
    const root = await readPayload(message.payload);
    const text = await bodyText(session, message.id, root, html, from + room);
    // What doesn't fit beside others may fit alone.
    const full = html.exceeded || (text.length > room && room < WORTH_BEGINNING);
    if (page.length > 0 && full) return { messages: page, next_offset: start };
    const piece = cutText(text, from, room);
    page.push(show(message, root, piece));
    if (from + piece.length < text.length) return { messages: page, next_offset: start + from + piece.length };
    room -= piece.length;
    from = 0;
  }
  return { messages: page };
}

function show(message: GmailMessage, { headers, ...root }: MailPart, text: string): Shown {
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
    attachments: attachmentsOf({ headers, ...root }).map(({ id, fileName, mimeType, size }) => ({
      id,
      name: fileName === '' ? 'unnamed' : fileName,
      mime: mimeType,
      size,
    })),
  };
}
