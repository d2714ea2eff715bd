import { checked, responseReader } from '../../providers/transport/responses.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { singleLine } from '../shared/display-text.ts';
import { within } from '../shared/labels.ts';
import { type GmailMessage, gmailMessage, gmailThread, orNotFound } from './gmail-responses.ts';
import { type MailPart, readHeaders, readPayload } from './mail-parts.ts';
import { unescapeSnippet } from './mail-text.ts';

/** Most messages of one result. */
export const MAX_MESSAGES = 10;
/** Fields requested for every message that is read. */
export const MESSAGE_FIELDS = 'id,threadId,labelIds,internalDate,payload';
const LISTED_FIELDS = 'id,threadId,labelIds,snippet,internalDate,payload/headers';

/** A message with the parts and headers that are used. */
export interface MailMessage extends Omit<GmailMessage, 'payload' | 'snippet'> {
  root: MailPart;
}

/** Some messages of a thread. */
export interface MailPage {
  thread: string;
  /** From the requested one on, as many as fit into one result. */
  messages: MailMessage[];
  /** Messages in the whole thread. */
  count: number;
}

export const mailMessage = responseReader(import.meta.url, 'mailMessage', (response) => toMessage(response));

/** Only the messages of the page are parsed. */
export const mailThread = responseReader(import.meta.url, 'mailThread', (response, { from }: { from: number }): MailPage => {
  const { id, messages } = checked(gmailThread, response);
  return { thread: id, messages: messages.slice(from, from + MAX_MESSAGES).map(toMessage), count: messages.length };
});

/**
 * Under which names it may be remembered what the account wrote: those of its threads, since the mail service gives a draft
 * another message whenever it is edited or sent there.
 */
export function threadsOfOwn(messages: readonly Pick<MailMessage, 'threadId' | 'labelIds'>[]): string[] {
  const own = messages.filter(({ labelIds }) => labelIds.includes('DRAFT') || labelIds.includes('SENT'));
  return own.map(({ threadId }) => within(threadId));
}

/** @throws AppError `not_found` naming the field */
export function fetchMessage(session: WorkspaceSession, id: string): Promise<MailMessage> {
  const params = { userId: 'me', id, format: 'full', fields: MESSAGE_FIELDS };
  return orNotFound('message', session.call('gmail.users.messages.get', params, mailMessage));
}

/**
 * @param from index of the first requested message
 * @throws AppError `not_found` naming the field
 */
export function fetchThread(session: WorkspaceSession, id: string, from: number): Promise<MailPage> {
  const params = { userId: 'me', id, format: 'full', fields: `id,messages(${MESSAGE_FIELDS})` };
  return orNotFound('thread', session.call('gmail.users.threads.get', params, mailThread, { from }));
}

/** A message as lists show it. @param metadataHeaders names of the header fields that are read */
export async function fetchListed(session: WorkspaceSession, messageId: string, metadataHeaders: readonly string[]) {
  const params = { userId: 'me', id: messageId, format: 'metadata', metadataHeaders, fields: LISTED_FIELDS };
  const { id, threadId, labelIds, snippet, internalDate, payload } = await session.call('gmail.users.messages.get', params, gmailMessage);
  const { headers, addresses } = readHeaders(payload);
  return {
    id,
    threadId,
    labelIds,
    addresses,
    subject: singleLine.parse(headers.get('subject') ?? ''),
    date: new Date(Number(internalDate)).toISOString(),
    snippet: singleLine.parse(unescapeSnippet(snippet)),
  };
}

/** @throws AppError `provider_error` for an invalid message */
export function toMessage(response: unknown): MailMessage {
  const { id, threadId, labelIds, internalDate, payload } = checked(gmailMessage, response);
  return { id, threadId, labelIds, internalDate, root: readPayload(payload) };
}
