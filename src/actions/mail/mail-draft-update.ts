import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import type { Undo } from '../action.ts';
import { builtIn } from '../built-in.ts';
import { quoted } from '../display-text.ts';
import { savedDraft } from './gmail-responses.ts';
import { type AttachedFile, type Composition, composeMime, messageParams } from './mail-compose.ts';
import { type Draft, fetchDraft, toNoDraft } from './mail-draft.ts';
import { bodyField, headerText, mailId, type Recipient, recipients, showRecipient } from './mail-fields.ts';
import { htmlOf, partData } from './mail-parts.ts';
import { RECIPIENT_FIELDS } from './mail-recipients.ts';
import { replyHeaders } from './mail-reply.ts';

/** Characters of a text that is kept, composed on the main thread. */
const MAX_KEPT = 200_000;
/** Of a draft's files together: all of them are read and stored again. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;

const input = z.strictObject({
  id: mailId.describe('Id of the draft, as mail.drafts lists it.'),
  to: recipients(0).optional().describe('New recipients, in the format of mail.draft; they replace the old ones.'),
  cc: recipients(0).optional().describe('New recipients of a copy.'),
  bcc: recipients(0).optional().describe('New recipients of a blind copy.'),
  subject: headerText(500).optional().describe('New subject.'),
  body: bodyField.optional().describe('New plain text; it replaces the old text with its formatting.'),
});

type Input = z.output<typeof input>;

export const updateDraft = builtIn('workspace', {
  name: 'mail.draft_update',
  effect: 'write',
  description: 'Change a draft. Fields that aren’t given stay unchanged, and so do its files. Nothing is sent.',
  scopes: ['mail.modify'],
  input,
  output: z.object({ id: z.string().describe('Id of the draft.'), message: z.string(), thread: z.string() }),
  allow: { to: (changes) => RECIPIENT_FIELDS.flatMap((field) => (changes[field] ?? []).map(({ address }) => address.toLowerCase())) },
  // What reverts it holds the former text, which may quote what it replies to.
  sources: ({ message: item }) => [{ item, integrity: 'others' }],
  writes: ({ id }, output) => (output === undefined ? [id] : [output.id, output.message]),
  summary: (changes) => `Change the draft ${changes.id}: ${describeChanges(changes)}`,
  async run(changes, { session, account, undoneBy }) {
    if (Object.keys(changes).length < 2) throw new AppError('invalid_request', 'Give at least one change.');
    const draft = await fetchDraft(session, changes.id);
    const mime = await composeMime(session, await changed(session, draft, changes), account.label);
    const message = messageParams(mime, draft.message.threadId, (body) => ({ id: draft.id, message: body }));
    const params = { userId: 'me', id: draft.id, ...message };
    const saved = await session.call('gmail.users.drafts.update', params, savedDraft).catch((error) => {
      throw toNoDraft(error);
    });
    const undo = undoOf(draft, changes);
    if (undo !== undefined) undoneBy(undo);
    return { id: saved.id, message: saved.message.id, thread: saved.message.threadId };
  },
});

/** The whole new message, since the provider replaces the old one. */
async function changed(session: WorkspaceSession, draft: Draft, changes: Input): Promise<Composition> {
  const { root } = draft.message;
  const { to, cc, bcc, isIncomplete } = draft.recipients;
  if (isIncomplete) throw new AppError('invalid_request', 'id: The recipients of this draft can’t be read. Change it in the mail service.');
  const html = changes.body === undefined ? await htmlOf(session, draft.message.id, root) : undefined;
  if (changes.body === undefined && Math.max(draft.text.length, html?.length ?? 0) > MAX_KEPT) {
    throw new AppError('too_large', 'id: The text of this draft is too long to keep. Give a new body, or change it in the mail service.');
  }
  return {
    to: changes.to ?? to,
    cc: changes.cc ?? cc,
    bcc: changes.bcc ?? bcc,
    subject: changes.subject ?? draft.subject,
    body: changes.body ?? draft.text,
    html,
    files: await filesOf(session, draft),
    reply: replyHeaders(root.headers),
  };
}

async function filesOf(session: WorkspaceSession, { message, files }: Draft): Promise<AttachedFile[]> {
  if (files.reduce((sum, { size }) => sum + size, 0) > MAX_FILE_BYTES) {
    throw new AppError('too_large', 'id: The files of this draft have more than 10 MB. Change it in the mail service.');
  }
  const kept: AttachedFile[] = [];
  for (const file of files) {
    const content = Buffer.from(await partData(session, message.id, file), 'base64url');
    kept.push({ name: file.fileName === '' ? 'unnamed' : file.fileName, mime: file.mimeType, content });
  }
  return kept;
}

/** Restores the former values of what was changed. @returns undefined where the former values aren't valid input */
function undoOf({ id, recipients, subject, text }: Draft, changes: Input): Undo | undefined {
  const former = {
    id,
    ...Object.fromEntries(
      RECIPIENT_FIELDS.filter((field) => changes[field] !== undefined).map((field) => [field, listOf(recipients[field])]),
    ),
    ...(changes.subject !== undefined && { subject }),
    ...(changes.body !== undefined && { body: text }),
  };
  if (!input.safeParse(former).success) return undefined;
  const fields = Object.keys(former).filter((field) => field !== 'id');
  return {
    action: 'mail.draft_update',
    input: former,
    summary: `Restore ${fields.join(', ')} of the draft ${quoted(subject)}, without formatting`,
  };
}

function listOf(people: readonly Recipient[]): string[] {
  return people.map(({ name, address }) => (name === '' ? address : `${name.replace(/[<>"\\]/g, ' ')} <${address}>`));
}

function describeChanges({ subject, body, ...changes }: Input): string {
  const lists = RECIPIENT_FIELDS.flatMap((field) => {
    const people = changes[field];
    return people === undefined ? [] : [`${field} ${people.map(showRecipient).join(', ') || 'nobody'}`];
  });
  const texts = [...(subject === undefined ? [] : [`subject ${quoted(subject)}`]), ...(body === undefined ? [] : [`text ${quoted(body)}`])];
  return [...lists, ...texts].join('; ');
}
