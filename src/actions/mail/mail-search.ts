import { z } from 'zod';
import { builtIn } from '../shared/built-in.ts';
import { quoted } from '../shared/display-text.ts';
import type { Source } from '../shared/labels.ts';
import { placeOf } from '../shared/page-part.ts';
import { messageList } from './gmail-responses.ts';
import { shownAddresses } from './mail-addresses.ts';
import { bytesBeside, failures, fittingPart, forEach } from './mail-batches.ts';
import { pageToken, query } from './mail-fields.ts';
import { fetchListed, threadsOfOwn } from './mail-messages.ts';

const MAX_FOUND = 25;

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
  description: 'Find messages, newest first, without their bodies: mail.read has these.',
  scopes: ['mail.modify'],
  input: z.strictObject({
    query: query.describe(
      'Terms of the mail service’s search: words, "a phrase", from:, to:, subject:, is:unread, has:attachment, label:, in:inbox, after:2026/01/31, before:, newer_than:7d, and - before one to exclude it. Default: all messages.',
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
  async run({ query: q, max, page }, { session, uses, capBytes }) {
    const place = placeOf(page);
    const params = { userId: 'me', q, maxResults: max, fields: 'messages/id,nextPageToken', pageToken: place.token };
    const { messages, nextPageToken } = await session.call('gmail.users.messages.list', params, messageList);
    const listed = messages.slice(place.skip, max);
    const { done, failed } = await forEach(listed, ({ id }) => fetchListed(session, id, ['From', 'Subject']));
    uses(threadsOfOwn(done));
    return { ...fittingPart(listed, done.map(toItem), { place, next: nextPageToken, bytes: capBytes - bytesBeside(failed) }), failed };
  },
});

/** Anybody can write a sender's address, so that every message counts as others'. */
function sourceOf({ id, from, subject, date }: z.output<typeof found>): Source {
  return { item: id, integrity: 'others', name: subject, author: from, time: date, fields: ['from', 'subject', 'snippet'] };
}

function toItem({ id, threadId, labelIds, addresses, subject, date, snippet }: Awaited<ReturnType<typeof fetchListed>>) {
  const unread = labelIds.includes('UNREAD');
  return { id, thread: threadId, from: shownAddresses(addresses.from) ?? '', subject, date, snippet, unread };
}
