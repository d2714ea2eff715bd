import { z } from 'zod';
import { people } from '../../providers/audience.ts';
import type { RunContext } from '../action.ts';
import { builtIn } from '../built-in.ts';
import { savedDraft, savedMessage } from './gmail-responses.ts';
import { composeMime, type Reply } from './mail-compose.ts';
import { allAddresses, describeMail, type OutgoingMail, outgoingMail } from './mail-outgoing.ts';
import { replyTo } from './mail-reply.ts';

export const sendMail = builtIn('workspace', {
  name: 'mail.send',
  effect: 'write',
  description: 'Send a message from the account, either new or as a reply in a thread.',
  // Reading the message replied to requires mail.modify.
  scopes: ['mail.modify', 'mail.send'],
  integrity: 'own',
  input: outgoingMail,
  output: z.object({ id: z.string(), thread: z.string() }),
  allow: { to: allAddresses },
  facts: readReply,
  exposes: (mail) => people(allAddresses(mail)),
  summary: (mail) => `Send ${describeMail(mail)}`,
  preview: async (mail, _context, reply) => `Send ${describeMail(mail, reply?.subject)}`,
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
  integrity: 'own',
  input: outgoingMail,
  output: z.object({ id: z.string().describe('Id of the draft.'), message: z.string(), thread: z.string() }),
  allow: { to: allAddresses },
  // Of drafts, results name the message.
  writes: (_mail, output) => (output === undefined ? [] : [output.id, output.message]),
  summary: (mail) => `Draft ${describeMail(mail)}`,
  async run(mail, context) {
    const requestBody = { message: await compose(mail, context) };
    const { id, message } = await context.session.call('gmail.users.drafts.create', { userId: 'me', requestBody }, savedDraft);
    return { id, message: message.id, thread: message.threadId };
  },
});

/** @throws AppError `not_found` for a message that doesn't exist */
async function readReply({ reply_to }: OutgoingMail, { session }: RunContext<'workspace'>): Promise<Reply | undefined> {
  return reply_to === undefined ? undefined : replyTo(session, reply_to);
}

async function compose(mail: OutgoingMail, context: RunContext<'workspace'>): Promise<{ raw: string; threadId?: string }> {
  const reply = await readReply(mail, context);
  const raw = await composeMime(mail, context.account.label, reply);
  return { raw, ...(reply !== undefined && { threadId: reply.threadId }) };
}
