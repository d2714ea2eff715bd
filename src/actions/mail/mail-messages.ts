import { answerReader, checked } from '../../providers/responses.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { asUnknownMail, type GmailMessage, gmailMessage, gmailThread } from './gmail-responses.ts';
import { type MailPart, readPayload } from './mail-parts.ts';

/** Messages that one answer holds. */
export const MAX_MESSAGES = 10;
const FIELDS = 'id,threadId,labelIds,internalDate,payload';

/** A message with what of its parts and headers is used. */
export interface MailMessage extends Omit<GmailMessage, 'payload' | 'snippet'> {
  root: MailPart;
}

/** Some messages of a thread. */
export interface MailPage {
  thread: string;
  /** Those from the wanted one on, as many as one answer holds. */
  messages: MailMessage[];
  /** Of the whole thread. */
  count: number;
}

export const mailMessage = answerReader(import.meta.url, 'mailMessage', (answer) => toMessage(answer));

/** Messages before and after those of the answer are not looked at. */
export const mailThread = answerReader(import.meta.url, 'mailThread', (answer, { from }: { from: number }): MailPage => {
  const { id, messages } = checked(gmailThread, answer);
  return { thread: id, messages: messages.slice(from, from + MAX_MESSAGES).map(toMessage), count: messages.length };
});

/** @throws AppError `not_found` naming the field */
export async function fetchMessage(session: WorkspaceSession, id: string): Promise<MailMessage> {
  try {
    return await session.call('gmail.users.messages.get', { userId: 'me', id, format: 'full', fields: FIELDS }, mailMessage);
  } catch (error) {
    throw asUnknownMail(error, 'message');
  }
}

/**
 * @param from index of the first message that is wanted
 * @throws AppError `not_found` naming the field
 */
export async function fetchThread(session: WorkspaceSession, id: string, from: number): Promise<MailPage> {
  const params = { userId: 'me', id, format: 'full', fields: `id,messages(${FIELDS})` };
  try {
    return await session.call('gmail.users.threads.get', params, mailThread, { from });
  } catch (error) {
    throw asUnknownMail(error, 'thread');
  }
}

function toMessage(answer: unknown): MailMessage {
  const { id, threadId, labelIds, internalDate, payload } = checked(gmailMessage, answer);
  return { id, threadId, labelIds, internalDate, root: readPayload(payload) };
}
