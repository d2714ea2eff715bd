import { z } from 'zod';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { builtIn } from '../shared/built-in.ts';
import { quoted } from '../shared/display-text.ts';
import type { Source } from '../shared/labels.ts';
import { gmailMessage, messageList } from './gmail-responses.ts';
import { shownAddresses } from './mail-addresses.ts';
import { failures, forEach } from './mail-batches.ts';
import { pageToken, query } from './mail-fields.ts';
import { type MailMessage, threadsOfOwn } from './mail-messages.ts';
import { readHeaders } from './mail-parts.ts';
import { shown, unescapeSnippet } from './mail-text.ts';

const MAX_FOUND = 25;
const ITEM_FIELDS = 'id,threadId,labelIds,snippet,internalDate,payload/headers';

const found = z.object({
  id: z.string(),
  thread: z.string(),
  from: z.string(),
  subject: z.string(),
  date: z.string(),
  snippet: z.string(),
  unread: z.boolean(),
});

export const searchMail = builtIn('workspace', {
  name: 'mail.search',
  effect: 'read',
  description: 'Find messages, newest first. Results have no bodies: read a message or its whole thread with mail.read.',
  scopes: ['mail.modify'],
  input: z.strictObject({
    query: query.describe(
      'Query in the mail service’s search language: words, "a phrase", from:, to:, subject:, is:unread, has:attachment, label:, in:inbox, after:2026/01/31, before:, newer_than:7d, and - before a term to exclude it. Without it, the newest messages are listed.',
    ),
    max: z.int().min(1).max(MAX_FOUND).default(10).describe('Most messages.'),
    page: pageToken.describe('`next` of the previous result.'),
  }),
  output: z.object({
    items: z.array(found),
    next: z.string().optional().describe('There are more: pass this as `page`.'),
    failed: failures,
  }),
  sources: ({ items }) => items.map(sourceOf),
  summary: ({ query: text }) => (text === '' ? 'List the newest mail' : `Search mail for ${quoted(text)}`),
  async run({ query: q, max, page }, { session, uses }) {
    const params = {
      userId: 'me',
      q,
      maxResults: max,
      fields: 'messages/id,nextPageToken',
      ...(page !== undefined && { pageToken: page }),
    };
    const { messages, nextPageToken } = await session.call('gmail.users.messages.list', params, messageList);
    const { done, failed } = await forEach(messages.slice(0, max), ({ id }) => readItem(session, id));
    uses(threadsOfOwn(done));
    return {
      items: done.map(({ item }) => item),
      ...(nextPageToken !== undefined && { next: nextPageToken }),
      ...(failed !== undefined && { failed }),
    };
  },
});

/** An item of the result, and what isn't shown of its message. */
interface ReadItem extends Pick<MailMessage, 'threadId' | 'labelIds'> {
  item: z.output<typeof found>;
}

/** Anybody can write a sender's address, so that every message counts as others'. */
function sourceOf({ id, from, subject, date }: z.output<typeof found>): Source {
  return { item: id, integrity: 'others', name: subject, author: from, time: date, fields: ['from', 'subject', 'snippet'] };
}

async function readItem(session: WorkspaceSession, id: string): Promise<ReadItem> {
  const params = { userId: 'me', id, format: 'metadata', metadataHeaders: ['From', 'Subject'], fields: ITEM_FIELDS };
  const message = await session.call('gmail.users.messages.get', params, gmailMessage);
  const { headers, addresses } = readHeaders(message.payload);
  const item = {
    id: message.id,
    thread: message.threadId,
    from: shownAddresses(addresses.from) ?? '',
    subject: shown.subject.parse(headers.get('subject') ?? ''),
    date: new Date(Number(message.internalDate)).toISOString(),
    snippet: shown.snippet.parse(unescapeSnippet(message.snippet)),
    unread: message.labelIds.includes('UNREAD'),
  };
  return { item, threadId: message.threadId, labelIds: message.labelIds };
}
