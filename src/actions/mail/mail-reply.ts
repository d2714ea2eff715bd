import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { shortened } from '../../validation/cut-text.ts';
import { singleLine } from '../shared/display-text.ts';
import { gmailHeaders, orNotFound } from './gmail-responses.ts';
import type { Reply } from './mail-compose.ts';
import { type MailHeaders, readHeaders } from './mail-parts.ts';
import { messageIds } from './message-ids.ts';

const HEADERS = ['Subject', 'Message-ID', 'References', 'In-Reply-To'];
/** More than in any real thread; the header is untrusted. */
const MAX_REFERENCES = 200;
const MAX_SUBJECT = 900;

/**
 * The headers of a reply to this message: thread, Message-IDs (RFC 5322 section 3.6.4) and subject.
 *
 * @throws AppError `not_found` naming the field
 */
export async function replyTo(session: WorkspaceSession, messageId: string): Promise<Reply> {
  const { threadId, payload } = await fetchHeaders(session, messageId);
  const { headers } = readHeaders(payload);
  const answered = idsOf(headers, 'message-id').slice(0, 1);
  return {
    threadId,
    subject: replySubject(headers.get('subject') ?? ''),
    inReplyTo: answered[0],
    references: shorten([...new Set([...parents(headers), ...answered])]),
  };
}

function fetchHeaders(session: WorkspaceSession, id: string) {
  const params = { userId: 'me', id, format: 'metadata', metadataHeaders: HEADERS, fields: 'threadId,payload/headers' };
  return orNotFound('reply_to', session.call('gmail.users.messages.get', params, gmailHeaders));
}

/** References, or a single In-Reply-To if there are none. */
function parents(headers: MailHeaders): string[] {
  const references = idsOf(headers, 'references');
  const inReplyTo = idsOf(headers, 'in-reply-to');
  if (references.length > 0) return references;
  return inReplyTo.length === 1 ? inReplyTo : [];
}

function idsOf(headers: MailHeaders, name: string): string[] {
  return messageIds(headers.get(name) ?? '');
}

/** The first message of the thread and the last ones. */
function shorten(references: string[]): string[] {
  if (references.length <= MAX_REFERENCES) return references;
  return [...references.slice(0, 1), ...references.slice(1 - MAX_REFERENCES)];
}

function replySubject(subject: string): string {
  const line = shortened(singleLine.parse(subject), MAX_SUBJECT).trim();
  return /^re\s*:/i.test(line) ? line : `Re: ${line}`;
}
