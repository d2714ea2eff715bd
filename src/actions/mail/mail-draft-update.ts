import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { identifier } from '../../providers/shared/provider-text.ts';
import { schemaReader } from '../../providers/transport/responses.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import type { Undo } from '../shared/action.ts';
import { changedMeanwhile } from '../shared/as-shown.ts';
import { builtIn } from '../shared/built-in.ts';
import { quoted } from '../shared/display-text.ts';
import { within } from '../shared/labels.ts';
import { savedDraft } from './gmail-responses.ts';
import { formatMailbox } from './mail-addresses.ts';
import { composeMime, messageParams } from './mail-compose.ts';
import { type Draft, fetchDraft, toNoDraft } from './mail-draft.ts';
import { bodyField, headerText, mailId, recipients, showRecipient } from './mail-fields.ts';
import { RECIPIENT_FIELDS } from './mail-recipients.ts';
import { editMime, type MimeChanges } from './mime-edit.ts';

const input = z.strictObject({
  id: mailId.describe('Id of the draft, as mail.drafts lists it.'),
  to: recipients(0).optional().describe('New recipients, in the format of mail.draft; they replace the old ones.'),
  cc: recipients(0).optional().describe('New recipients of a copy.'),
  bcc: recipients(0).optional().describe('New recipients of a blind copy.'),
  subject: headerText(500).optional().describe('New subject.'),
  body: bodyField.optional().describe('New plain text; it replaces the old text with its formatting.'),
});

type Input = z.output<typeof input>;

const rawMessage = z.object({ id: identifier, raw: z.string() });
export const rawDraft = schemaReader(import.meta.url, 'rawDraft', z.object({ message: rawMessage }));

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
  writes: ({ id }, output) => (output === undefined ? [id] : [output.id, output.message, within(output.thread)]),
  summary: (changes) => `Change the draft ${changes.id}: ${describeChanges(changes)}`,
  async run(changes, { session, account, undoneBy }) {
    if (Object.keys(changes).length < 2) throw new AppError('invalid_request', 'Give at least one change.');
    const draft = await fetchDraft(session, changes.id);
    const stored = await fetchRaw(session, changes.id);
    if (stored.id !== draft.message.id) throw changedMeanwhile('id');
    const mime = await editMime(session, await changesOf(session, changes, stored.raw, account.label));
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

/** @throws AppError `not_found`, `too_large` */
async function fetchRaw(session: WorkspaceSession, id: string): Promise<z.output<typeof rawMessage>> {
  const params = { userId: 'me', id, format: 'raw', fields: 'message(id,raw)' };
  const { message } = await session.call('gmail.users.drafts.get', params, rawDraft).catch((error) => {
    throw toNoDraft(error);
  });
  return message;
}

/** The provider replaces the stored message as a whole: it is edited, so that nothing is lost that isn't read here. */
async function changesOf(session: WorkspaceSession, changes: Input, raw: string, from: string): Promise<MimeChanges> {
  const { to = [], cc = [], bcc = [], subject = '', body = '' } = changes;
  const composed = await composeMime(session, { to, cc, bcc, subject, body, files: [], reply: undefined }, from);
  const fields = [...RECIPIENT_FIELDS, 'subject' as const].filter((field) => changes[field] !== undefined);
  return { raw, composed, fields, isTextNew: changes.body !== undefined };
}

/** Restores the former values of what was changed. @returns undefined where the former values aren't valid input */
function undoOf({ id, recipients, subject, text }: Draft, changes: Input): Undo | undefined {
  if (recipients.isIncomplete && RECIPIENT_FIELDS.some((field) => changes[field] !== undefined)) return undefined;
  const former = {
    id,
    ...Object.fromEntries(
      RECIPIENT_FIELDS.filter((field) => changes[field] !== undefined).map((field) => [field, recipients[field].map(formatMailbox)]),
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

function describeChanges({ subject, body, ...changes }: Input): string {
  const lists = RECIPIENT_FIELDS.flatMap((field) => {
    const people = changes[field];
    return people === undefined ? [] : [`${field} ${people.map(showRecipient).join(', ') || 'nobody'}`];
  });
  const texts = [...(subject === undefined ? [] : [`subject ${quoted(subject)}`]), ...(body === undefined ? [] : [`text ${quoted(body)}`])];
  return [...lists, ...texts].join('; ');
}
