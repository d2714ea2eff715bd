import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { assertAsShown } from '../shared/as-shown.ts';
import { builtIn } from '../shared/built-in.ts';
import { type Source, within } from '../shared/labels.ts';
import { placeOf } from '../shared/page-part.ts';
import { draftList, orNotFound, savedMessage } from './gmail-responses.ts';
import { shownAddresses } from './mail-addresses.ts';
import { bytesBeside, failures, fittingPart, forEach } from './mail-batches.ts';
import {
  type Draft,
  describeDraft,
  draftAddresses,
  draftAudience,
  draftVersion,
  fetchDraft,
  fetchWholeDraft,
  shownDraft,
} from './mail-draft.ts';
import { mailId, pageToken, query } from './mail-fields.ts';
import { fetchListed } from './mail-messages.ts';

const MAX_DRAFTS = 25;
/** Characters of a deleted draft that its question shows. */
const SHOWN_TEXT = 2_000;

const HEADERS = ['To', 'Cc', 'Bcc', 'Subject'];
const addresses = z.string().optional();
const listed = z.object({
  id: z.string().describe('Id of the draft.'),
  message: z.string().describe('Id of its message, for mail.read and mail.attachment. It changes with each edit.'),
  thread: z.string(),
  to: addresses.describe('A long list ends in the number of the others: read its message with mail.read.'),
  cc: addresses,
  bcc: addresses,
  subject: z.string(),
  date: z.string(),
  snippet: z.string(),
});

const id = mailId.describe('Id, as mail.drafts lists it.');

export const listDrafts = builtIn('workspace', {
  name: 'mail.drafts',
  effect: 'read',
  description: 'List drafts, newest first, with the beginning of their text. Read a whole one with mail.read.',
  scopes: ['mail.modify'],
  input: z.strictObject({
    query: query.describe('Words or search terms, as in mail.search.'),
    max: z.int().min(1).max(MAX_DRAFTS).default(10).describe('Most drafts.'),
    page: pageToken.describe('`next` of the previous result.'),
  }),
  output: z.object({
    items: z.array(listed),
    next: z.string().optional().describe('There are more: pass this as `page`.'),
    failed: failures,
  }),
  sources: ({ items }) => items.map(sourceOf),
  summary: () => 'List the drafts',
  async run({ query: q, max, page }, { session, uses, capBytes }) {
    const place = placeOf(page);
    const params = {
      userId: 'me',
      maxResults: max,
      q: q || undefined,
      pageToken: place.token,
      fields: 'drafts(id,message/id),nextPageToken',
    };
    const { drafts, nextPageToken } = await session.call('gmail.users.drafts.list', params, draftList);
    // Each edit gives its message another id.
    uses(drafts.map(({ id: draft }) => draft));
    const shown = drafts.slice(place.skip, max);
    const { done, failed } = await forEach(shown, (draft) => readItem(session, draft.id, draft.message.id));
    return { ...fittingPart(shown, done, { place, next: nextPageToken, bytes: capBytes - bytesBeside(failed) }), failed };
  },
});

export const sendDraft = builtIn('workspace', {
  name: 'mail.draft_send',
  effect: 'write',
  description: 'Send a draft as it is stored, to its own recipients.',
  scopes: ['mail.modify'],
  integrity: 'own',
  input: z.strictObject({ id }),
  output: z.object({ id: z.string().describe('Id of the sent message.'), thread: z.string() }),
  // What can’t be read is covered by no pattern but `*`.
  allowRead: { to: (draft) => [...draftAddresses(draft), ...(draft.recipients.isIncomplete ? [''] : [])] },
  async facts({ id: draft }, { session }) {
    const found = await fetchWholeDraft(session, draft);
    if (draftAudience(found).length === 0) throw new AppError('invalid_request', 'id: The draft has no recipients: use mail.draft_update.');
    return found;
  },
  version: draftVersion,
  exposes: (_input, draft) => draftAudience(draft),
  implies: ({ files }) => ({ files: files.map(({ fileName }) => fileName) }),
  writes: ({ id: draft }, output) => (output === undefined ? [draft] : [output.id, within(output.thread)]),
  summary: ({ id: draft }) => `Send the draft ${draft}`,
  shown: (_input, draft) => ({ mail: shownDraft(draft) }),
  preview: async (_input, { account }, draft) => `Send ${describeDraft(draft, account.label)}`,
  async run({ id: draft }, { session, version }) {
    // Read once more, since someone may have edited it while the user decided.
    await assertAsShown(version, 'id', async () => draftVersion(await fetchWholeDraft(session, draft)));
    const params = { userId: 'me', requestBody: { id: draft }, fields: 'id,threadId' };
    const sent = await orNotFound('id', session.call('gmail.users.drafts.send', params, savedMessage), 'draft');
    return { id: sent.id, thread: sent.threadId };
  },
});

export const deleteDraft = builtIn('workspace', {
  name: 'mail.draft_delete',
  effect: 'destructive',
  description: 'Delete a draft permanently.',
  scopes: ['mail.modify'],
  integrity: 'own',
  input: z.strictObject({ id }),
  output: z.object({ deleted: z.string().describe('Id of the draft.') }),
  facts: ({ id: draft }, { session }): Promise<Draft> => fetchDraft(session, draft),
  version: draftVersion,
  summary: ({ id: draft }) => `Delete permanently: the draft ${draft}`,
  shown: (_input, draft) => ({ mail: shownDraft(draft) }),
  preview: async (_input, { account }, draft) =>
    `Delete permanently, without sending it ${describeDraft(draft, account.label, SHOWN_TEXT)}`,
  async run({ id: draft }, { session, version }) {
    await assertAsShown(version, 'id', async () => draftVersion(await fetchDraft(session, draft)));
    await orNotFound('id', session.call('gmail.users.drafts.delete', { userId: 'me', id: draft }, z.object({})), 'draft');
    return { deleted: draft };
  },
});

/** A draft may have been written after others' text was read, and quotes what it replies to. */
function sourceOf({ message, subject, date }: z.output<typeof listed>): Source {
  return { item: message, integrity: 'others', name: subject, time: date, fields: ['to', 'cc', 'bcc', 'subject', 'snippet'] };
}

async function readItem(session: WorkspaceSession, draft: string, messageId: string): Promise<z.output<typeof listed>> {
  const { id: message, threadId, addresses: lists, subject, date, snippet } = await fetchListed(session, messageId, HEADERS);
  const [to, cc, bcc] = [shownAddresses(lists.to), shownAddresses(lists.cc), shownAddresses(lists.bcc)];
  return { id: draft, message, thread: threadId, to, cc, bcc, subject, date, snippet };
}
