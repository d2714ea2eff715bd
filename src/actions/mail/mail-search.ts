import { z } from 'zod';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { builtIn } from '../built-in.ts';
import { quoted } from '../display-text.ts';
import { gmailMessage, messageList } from './gmail-responses.ts';
import { failures, forEach } from './mail-batches.ts';
import { pageToken, query } from './mail-fields.ts';
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

export const searchMail = builtIn({
  name: 'mail.search',
  provider: 'workspace',
  effect: 'read',
  description: 'Find messages, newest first. The answer holds no bodies: read a message or its whole thread with mail.read.',
  scopes: ['mail.modify'],
  input: z.strictObject({
    query: query.describe(
      'What to look for, in the mail service’s own search language: words, "a phrase", from:, to:, subject:, is:unread, has:attachment, label:, in:inbox, after:2026/01/31, before:, newer_than:7d, and - before a term to exclude it. Leave it out for the newest messages.',
    ),
    max: z.int().min(1).max(MAX_FOUND).default(10).describe(`How many messages at most, up to ${MAX_FOUND}.`),
    page: pageToken.describe('Where to go on: `next` of the answer before.'),
  }),
  output: z.object({ items: z.array(found), next: z.string().optional().describe('Pass it as `page` for more.'), failed: failures }),
  summary: ({ query: text }) => (text === '' ? 'List the newest mail' : `Search mail for ${quoted(text)}`),
  async run({ query: q, max, page }, { session }) {
    const params = {
      userId: 'me',
      q,
      maxResults: max,
      fields: 'messages/id,nextPageToken',
      ...(page !== undefined && { pageToken: page }),
    };
    const { messages, nextPageToken } = await session.call('gmail.users.messages.list', params, messageList);
    const { done, failed } = await forEach(messages.slice(0, max), ({ id }) => readItem(session, id));
    return { items: done, ...(nextPageToken !== undefined && { next: nextPageToken }), ...(failed !== undefined && { failed }) };
  },
});

async function readItem(session: WorkspaceSession, id: string): Promise<z.output<typeof found>> {
  const params = { userId: 'me', id, format: 'metadata', metadataHeaders: ['From', 'Subject'], fields: ITEM_FIELDS };
  const message = await session.call('gmail.users.messages.get', params, gmailMessage);
  const headers = readHeaders(message.payload);
  return {
    id: message.id,
    thread: message.threadId,
    from: shown.address.parse(headers.get('from') ?? ''),
    subject: shown.subject.parse(headers.get('subject') ?? ''),
    date: new Date(Number(message.internalDate)).toISOString(),
    snippet: shown.snippet.parse(unescapeSnippet(message.snippet)),
    unread: message.labelIds.includes('UNREAD'),
  };
}
