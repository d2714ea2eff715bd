import { z } from 'zod';
import { UNNAMED_MAIL } from '../../../public/language/en/approvals.js';
import { AppError } from '../../errors.ts';
import { identifier } from '../../providers/shared/provider-text.ts';
import { schemaReader } from '../../providers/transport/responses.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { addressKey } from '../../validation/email-address.ts';
import type { Undo } from '../shared/action.ts';
import { changedMeanwhile } from '../shared/as-shown.ts';
import { builtIn } from '../shared/built-in.ts';
import { quoted } from '../shared/display-text.ts';
import { within } from '../shared/labels.ts';
import { orNotFound, savedDraft } from './gmail-responses.ts';
import { formatMailbox, RECIPIENT_FIELDS } from './mail-addresses.ts';
import { composeMime, messageParams } from './mail-compose.ts';
import { type Draft, fetchDraft } from './mail-draft.ts';
import { bodyField, headerText, mailId, recipients, showRecipient } from './mail-fields.ts';
import { editMime, type MimeChanges } from './mime-edit.ts';

const input = z.strictObject({
  id: mailId.describe('Id, as mail.drafts lists it.'),
  to: recipients(0).optional().describe('New recipients in place of the old ones, as in mail.draft.'),
  cc: recipients(0).optional().describe('New recipients of a copy.'),
  bcc: recipients(0).optional().describe('New recipients of a blind copy.'),
  subject: headerText(500).optional().describe('New subject.'),
  body: bodyField.optional().describe('New plain text in place of the old one and its formatting.'),
});

type Input = z.output<typeof input>;

export const rawDraft = schemaReader(import.meta.url, 'rawDraft', z.object({ message: z.object({ id: identifier, raw: z.string() }) }));

export const updateDraft = builtIn('workspace', {
  name: 'mail.draft_update',
  effect: 'write',
  description: 'Change a draft: only the fields that are given, and never its files. Nothing is sent.',
  scopes: ['mail.modify'],
  input,
  output: z.object({ id: z.string().describe('Id of the draft.'), message: z.string(), thread: z.string() }),
  allow: { to: (changes) => RECIPIENT_FIELDS.flatMap((field) => (changes[field] ?? []).map(({ address }) => addressKey(address))) },
  // What reverts it holds the former text, which may quote what it replies to.
  sources: ({ message: item }) => [{ item, integrity: 'others' }],
  writes: ({ id }, output) => (output === undefined ? [id] : [output.id, output.message, within(output.thread)]),
  summary: (changes) => `Change the draft ${changes.id}: ${describeChanges(changes)}`,
  async shown({ id }, _facts, { session }) {
    const { subject, recipients } = await fetchDraft(session, id);
    const to = recipients.to.map(formatMailbox).join(', ');
    return { subject, items: { id: [{ name: subject.trim() === '' ? UNNAMED_MAIL.noSubject : subject, to: to === '' ? undefined : to }] } };
  },
  async run(changes, { session, account, undoneBy }) {
    if (Object.keys(changes).length < 2) throw new AppError('invalid_request', 'Give at least one change.');
    const draft = await fetchDraft(session, changes.id);
    const raw = { userId: 'me', id: changes.id, format: 'raw', fields: 'message(id,raw)' };
    const { message: stored } = await orNotFound('id', session.call('gmail.users.drafts.get', raw, rawDraft), 'draft');
    if (stored.id !== draft.message.id) throw changedMeanwhile('id');
    const mime = await editMime(session, await changesOf(session, changes, stored.raw, account.label));
    const message = messageParams(mime, draft.message.threadId, (body) => ({ id: draft.id, message: body }));
    const params = { userId: 'me', id: draft.id, ...message };
    const saved = await orNotFound('id', session.call('gmail.users.drafts.update', params, savedDraft), 'draft');
    const undo = undoOf(draft, changes);
    if (undo !== undefined) undoneBy(undo);
    return { id: saved.id, message: saved.message.id, thread: saved.message.threadId };
  },
});

/** The provider replaces the stored message as a whole: it is edited, so that nothing is lost that isn't read here. */
async function changesOf(session: WorkspaceSession, changes: Input, raw: string, from: string): Promise<MimeChanges> {
  const { to = [], cc = [], bcc = [], subject = '', body = '' } = changes;
  const composed = await composeMime(session, { to, cc, bcc, subject, body, files: [], reply: undefined }, from);
  const fields = [...RECIPIENT_FIELDS, 'subject' as const].filter((field) => changes[field] !== undefined);
  return { raw, composed, fields, isTextNew: changes.body !== undefined };
}

/** Restores the former values of what was changed. @returns undefined where the former values aren't valid input */
function undoOf({ id, recipients, subject, text }: Draft, changes: Input): Undo | undefined {
  const lists = RECIPIENT_FIELDS.filter((field) => changes[field] !== undefined);
  if (recipients.isIncomplete && lists.length > 0) return undefined;
  const former = {
    ...Object.fromEntries(lists.map((field) => [field, recipients[field].map(formatMailbox)])),
    ...(changes.subject !== undefined && { subject }),
    ...(changes.body !== undefined && { body: text }),
  };
  const restored = { id, ...former };
  if (!input.safeParse(restored).success) return undefined;
  const fields = Object.keys(former).join(', ');
  const summary = `Restore ${fields} of the draft ${quoted(subject)}, without formatting`;
  return { action: 'mail.draft_update', input: restored, summary };
}

function describeChanges({ subject, body, ...changes }: Input): string {
  const lists = RECIPIENT_FIELDS.flatMap((field) => {
    const people = changes[field];
    return people === undefined ? [] : [`${field} ${people.map(showRecipient).join(', ') || 'nobody'}`];
  });
  const texts = [...(subject === undefined ? [] : [`subject ${quoted(subject)}`]), ...(body === undefined ? [] : [`text ${quoted(body)}`])];
  return [...lists, ...texts].join('; ');
}
