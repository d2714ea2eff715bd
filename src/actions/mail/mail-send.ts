import { z } from 'zod';
import type { RunContext } from '../action.ts';
import { builtIn } from '../built-in.ts';
import { savedDraft, savedMessage } from './gmail-responses.ts';
import { composeMime } from './mail-compose.ts';
import { allAddresses, describeMail, type OutgoingMail, outgoingMail } from './mail-outgoing.ts';
import { replyTo } from './mail-reply.ts';

export const sendMail = builtIn('workspace', {
  name: 'mail.send',
  effect: 'write',
  description: 'Send a message from the account, either new or as a reply in a thread.',
  // Reading the message replied to requires mail.modify.
  scopes: ['mail.modify', 'mail.send'],
  input: outgoingMail,
  output: z.object({ id: z.string(), thread: z.string() }),
  allow: { to: allAddresses },
  exposes: () => true,
  summary: (mail) => `Send ${describeMail(mail)}`,
  async preview(mail, { session }) {
    const reply = mail.reply_to === undefined ? undefined : await replyTo(session, mail.reply_to);
    return `Send ${describeMail(mail, reply?.subject)}`;
  },
  async run(mail, context) {
    const requestBody = await compose(mail, context);
    const { id, threadId } = await context.session.call('gmail.users.messages.send', { userId: 'me', requestBody }, savedMessage);
    return { id, thread: threadId };
  },
});

export const draftMail = builtIn('workspace', {
  name: 'mail.draft',
  effect: 'write',
  description: 'Create a draft, either new or as a reply in a thread. Nothing is sent.',
  scopes: ['mail.modify'],
  input: outgoingMail,
  output: z.object({ id: z.string().describe('Id of the draft.'), message: z.string(), thread: z.string() }),
  allow: { to: allAddresses },
  summary: (mail) => `Draft ${describeMail(mail)}`,
  async run(mail, context) {
    const requestBody = { message: await compose(mail, context) };
    const { id, message } = await context.session.call('gmail.users.drafts.create', { userId: 'me', requestBody }, savedDraft);
    return { id, message: message.id, thread: message.threadId };
  },
});

async function compose(mail: OutgoingMail, { session, account }: RunContext<'workspace'>): Promise<{ raw: string; threadId?: string }> {
  const reply = mail.reply_to === undefined ? undefined : await replyTo(session, mail.reply_to);
  const raw = await composeMime(mail, account.label, reply);
  return { raw, ...(reply !== undefined && { threadId: reply.threadId }) };
}
