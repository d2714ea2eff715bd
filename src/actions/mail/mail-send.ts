import { z } from 'zod';
import { people } from '../../providers/shared/audience.ts';
import type { MethodParams } from '../../providers/workspace/workspace-request.ts';
import type { ScopeName } from '../../providers/workspace/workspace-scopes.ts';
import type { RunContext } from '../shared/action.ts';
import { assertAsShown, assertUnchanged } from '../shared/as-shown.ts';
import { builtIn } from '../shared/built-in.ts';
import { within } from '../shared/labels.ts';
import { namedIds } from '../shared/named-ids.ts';
import type { Shown } from '../shared/shown.ts';
import { describeFiles, downloadFiles, filesVersion, findFiles, shownFiles } from './drive-files.ts';
import { savedDraft, savedMessage } from './gmail-responses.ts';
import { composeMime, messageParams } from './mail-compose.ts';
import { allAddresses, describeMail, givenFiles, type OutgoingMail, outgoingMail } from './mail-outgoing.ts';
import { replyTo } from './mail-reply.ts';

export const sendMail = builtIn('workspace', {
  name: 'mail.send',
  effect: 'write',
  description: 'Send a message, new or as a reply.',
  // Reading the message replied to requires mail.modify.
  scopes: ['mail.modify', 'mail.send'],
  alsoNeeds,
  integrity: 'own',
  input: outgoingMail,
  output: z.object({ id: z.string(), thread: z.string() }),
  allow: { to: allAddresses },
  facts: readReferences,
  version: ({ files }) => (files.length === 0 ? undefined : filesVersion(files)),
  about: (mail, { files }) => [...namedIds(mail), ...files.map(({ id }) => id)],
  exposes: (mail) => people(allAddresses(mail)),
  // The account may be among its recipients.
  writes: (_mail, output) => (output === undefined ? [] : [output.id, within(output.thread)]),
  summary: (mail) => `Send ${describeMail(mail)}`,
  shown: (_mail, references) => shownReferences(references),
  preview: async (mail, _context, { reply, files }) => `Send ${describeMail(mail, reply?.subject, describeFiles(files))}`,
  async run(mail, context) {
    const params = await compose(mail, context, (message) => message, context.isUnattended);
    // Once more, since someone may have replaced a file during its download.
    await assertAsShown(context.version, 'files', async () => filesVersion(await findFiles(context.session, mail.files)));
    const { id, threadId } = await context.session.call('gmail.users.messages.send', params, savedMessage);
    return { id, thread: threadId };
  },
});

export const draftMail = builtIn('workspace', {
  name: 'mail.draft',
  effect: 'write',
  description: 'Create a draft, new or as a reply. Nothing is sent.',
  scopes: ['mail.modify'],
  alsoNeeds,
  integrity: 'own',
  input: outgoingMail,
  output: z.object({ id: z.string().describe('Id of the draft.'), message: z.string(), thread: z.string() }),
  allow: { to: allAddresses },
  // Of drafts, results name the message.
  writes: (_mail, output) => (output === undefined ? [] : [output.id, output.message, within(output.thread)]),
  summary: (mail) => `Draft ${describeMail(mail)}`,
  shown: async (mail, _facts, context) => shownReferences(await readReferences(mail, context)),
  async run(mail, context) {
    const params = await compose(mail, context, (message) => ({ message }));
    const { id, message } = await context.session.call('gmail.users.drafts.create', params, savedDraft);
    context.undoneBy({ action: 'mail.draft_delete', input: { id }, summary: `Delete the draft ${describeMail(mail)}` });
    return { id, message: message.id, thread: message.threadId };
  },
});

function alsoNeeds({ files }: OutgoingMail): ScopeName[] {
  return files.length > 0 ? ['drive'] : [];
}

/** @throws AppError `not_found` for a message or a file that doesn't exist */
async function readReferences(mail: OutgoingMail, { session, uses }: RunContext<'workspace'>) {
  const reading = mail.reply_to === undefined ? undefined : replyTo(session, mail.reply_to);
  const [reply, files] = await Promise.all([reading, findFiles(session, mail.files)]);
  uses(files.map(({ id }) => id));
  return { reply, files };
}

function shownReferences({ reply, files }: Awaited<ReturnType<typeof readReferences>>): Shown {
  return { subject: reply?.subject, items: { files: shownFiles(files) } };
}

/** @param inBody puts the message into the method's body. @param isAutomatic it is sent without a person */
async function compose(
  mail: OutgoingMail,
  context: RunContext<'workspace'>,
  inBody: (message: object) => object,
  isAutomatic = false,
): Promise<MethodParams> {
  const { session, account, version } = context;
  const { reply, files } = await readReferences(mail, context);
  assertUnchanged(version, 'files', filesVersion(files));
  const attached = [...givenFiles(mail), ...(await downloadFiles(session, files))];
  const subject = reply?.subject ?? mail.subject ?? '';
  const mime = await composeMime(session, { ...mail, subject, files: attached, reply, isAutomatic }, account.label);
  return { userId: 'me', ...messageParams(mime, reply?.threadId, inBody) };
}
