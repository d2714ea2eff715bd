import { z } from 'zod';
import { gmailMessage, messageList } from '../../actions/mail/gmail-responses.ts';
import { addressesOf } from '../../actions/mail/mail-addresses.ts';
import { decodeWords } from '../../actions/mail/mail-text.ts';
import { AppError } from '../../errors.ts';
import { identifier } from '../../providers/shared/provider-text.ts';
import { optionalRows } from '../../providers/transport/response-list.ts';
import { checked, responseReader, schemaReader } from '../../providers/transport/responses.ts';
import { WorkspaceApiError } from '../../providers/workspace/workspace-api-errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { addressKey } from '../../validation/email-address.ts';
import { type HeaderField, ORIGIN_FIELDS, originOf } from './automated-mail.ts';
import type { MailReceived } from './event-types.ts';
import { distrustsToken, type Found, type LookInput, skipsUnreadable } from './look-types.ts';

/** Of one look. Reading one costs 20 of the 6,000 units that a user has in a minute (Gmail API: Usage limits). */
const MAX_MESSAGES = 100;
/** Of one look without a history, the newest. */
const MAX_RESYNCED = 250;
const PAGE_SIZE = 500;
const MAX_PAGES = 10;
/** What a message isn't received with: the user's own mails, and what the mail service has put away. */
const NOT_RECEIVED = ['SENT', 'DRAFT', 'SPAM', 'TRASH', 'CHAT'];
const MAX_SUBJECT = 10_000;

const historyId = z.string().regex(/^\d{1,20}$/);
const labels = z.array(z.string()).catch([]).default([]);
const added = z.object({ message: z.object({ id: identifier, labelIds: labels }) });
export const mailHistory = schemaReader(
  import.meta.url,
  'mailHistory',
  z.object({
    history: optionalRows(z.object({ id: historyId, messagesAdded: optionalRows(added) })),
    nextPageToken: identifier.optional(),
    historyId: historyId.optional(),
  }),
);
const profile = z.object({ historyId });
const storedPosition = z.object({ historyId });

/** A message, as far as automations are told by it. */
export const receivedMessage = responseReader(import.meta.url, 'receivedMessage', (response) =>
  toReceived(checked(gmailMessage, response)),
);

/**
 * The mails that were received since a position (Gmail: users.history.list), which is the id of the last record that was read.
 * A message may be in several records, and may be gone when it is read. Labels are those that it has by then.
 *
 * @throws AppError like the session
 */
export async function readMail(session: WorkspaceSession, input: LookInput): Promise<Found> {
  const known = storedPosition.safeParse(input.position);
  if (!known.success) return { position: await currentPosition(session), events: [], more: false };
  const history = distrustsToken(input) ? undefined : await readHistory(session, known.data.historyId);
  if (history !== undefined) {
    const events = await readMessages(session, input, history.ids);
    return { position: { historyId: history.historyId }, events, more: history.more };
  }
  // Before the list: what arrives in between is in both.
  const position = await currentPosition(session);
  return { position, events: await readMessages(session, input, await listSince(session, input.since)), more: false };
}

function currentPosition(session: WorkspaceSession): Promise<{ historyId: string }> {
  return session.call('gmail.users.getProfile', { userId: 'me', fields: 'historyId' }, profile);
}

/** @returns undefined: the provider no longer has the history */
async function readHistory(session: WorkspaceSession, startHistoryId: string) {
  const found = new Map<string, readonly string[]>();
  let last = startHistoryId;
  let current: string | undefined;
  let pageToken: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = await historyFrom(session, startHistoryId, pageToken);
    if (page === undefined) return undefined;
    // Of the first page: what changes while others are read has a later one.
    current ??= page.historyId;
    for (const { id, messagesAdded } of page.history.rows) {
      if (found.size >= MAX_MESSAGES) return { ids: received(found), historyId: last, more: true };
      for (const { message } of messagesAdded.rows) found.set(message.id, message.labelIds);
      last = later(last, id);
    }
    pageToken = page.nextPageToken;
    if (pageToken === undefined) return { ids: received(found), historyId: later(startHistoryId, current ?? last), more: false };
  }
  return { ids: received(found), historyId: last, more: last !== startHistoryId };
}

function received(found: ReadonlyMap<string, readonly string[]>): string[] {
  return [...found].flatMap(([id, labelIds]) => (isReceived(labelIds) ? [id] : []));
}

function isReceived(labelIds: readonly string[]): boolean {
  return !NOT_RECEIVED.some((label) => labelIds.includes(label));
}

async function historyFrom(session: WorkspaceSession, startHistoryId: string, pageToken: string | undefined) {
  const fields = 'history(id,messagesAdded/message(id,labelIds)),nextPageToken,historyId';
  const params = { userId: 'me', startHistoryId, historyTypes: ['messageAdded'], maxResults: PAGE_SIZE, pageToken, fields };
  try {
    return await session.call('gmail.users.history.list', params, mailHistory);
  } catch (error) {
    // 404: it is too old (Gmail: Synchronize a client). 400: it isn't one of this mailbox.
    if (error instanceof WorkspaceApiError && (error.httpStatus === 404 || error.httpStatus === 400)) return undefined;
    throw error;
  }
}

/** The messages since a moment, newest first. */
async function listSince(session: WorkspaceSession, since: number): Promise<string[]> {
  const ids: string[] = [];
  let pageToken: string | undefined;
  do {
    const q = `after:${Math.floor(since / 1000)}`;
    const params = { userId: 'me', q, maxResults: MAX_RESYNCED, pageToken, fields: 'messages/id,nextPageToken' };
    const page = await session.call('gmail.users.messages.list', params, messageList);
    ids.push(...page.messages.map(({ id }) => id));
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined && ids.length < MAX_RESYNCED);
  return ids.slice(0, MAX_RESYNCED);
}

async function readMessages(session: WorkspaceSession, input: LookInput, ids: readonly string[]): Promise<MailReceived[]> {
  if (ids.length === 0) return [];
  const triggers = await input.triggers();
  const needsParts = triggers.some((trigger) => trigger.event === 'mail.received' && trigger.filter.has_attachment !== undefined);
  const read = await Promise.all(ids.map((id) => readMessage(session, input, id, needsParts)));
  return read.flatMap((event) => event ?? []);
}

const PARTS = 'mimeType,filename,parts(mimeType,filename,parts(mimeType,filename,parts(mimeType,filename)))';

/** @returns undefined: nothing was received, or it starts nothing */
async function readMessage(
  session: WorkspaceSession,
  input: LookInput,
  id: string,
  needsParts: boolean,
): Promise<MailReceived | undefined> {
  const shared = 'id,threadId,labelIds,internalDate';
  const params = needsParts
    ? { format: 'full', fields: `${shared},payload(headers,${PARTS})` }
    : {
        format: 'metadata',
        metadataHeaders: ['From', 'To', 'Cc', 'Subject', ...ORIGIN_FIELDS],
        fields: `${shared},payload(headers)`,
      };
  const { accountId } = input;
  try {
    const read = await session.call('gmail.users.messages.get', { userId: 'me', id, ...params }, receivedMessage);
    if (read.origin === 'reply' || !isReceived(read.labelIds)) return undefined;
    const { thread, from, to, subject, at } = read;
    return {
      ...named(accountId, id, thread),
      ...{ from, to, subject, at },
      hasAttachment: needsParts ? read.hasAttachment : undefined,
      isAutomated: read.origin === 'automated',
    };
  } catch (error) {
    // Deleted since, or moved for good.
    if (error instanceof WorkspaceApiError && (error.httpStatus === 404 || error.httpStatus === 400)) return undefined;
    if (!isUnreadable(error) || !skipsUnreadable(input)) throw error;
    return { ...named(accountId, id, id), ...NOTHING_READ };
  }
}

function named(account: string, message: string, thread: string) {
  return {
    event: 'mail.received',
    occurrence: `mail:${account}:${message}`,
    ids: { message, thread },
    item: { id: message, writtenAt: undefined },
  } as const;
}

/** Of a message that can't be read: only filters that ask for nothing match it. */
const NOTHING_READ = { from: [], to: [], subject: '', at: undefined, hasAttachment: undefined, isAutomated: true };

function isUnreadable(error: unknown): boolean {
  if (!(error instanceof AppError) || error instanceof WorkspaceApiError) return false;
  return error.code === 'too_large' || (error.code === 'provider_error' && error.retryAfter === undefined);
}

const payloadHeaders = z.object({ headers: optionalRows(z.object({ name: z.string().max(200), value: z.string() })) });

function toReceived({ threadId, labelIds, internalDate, payload }: z.output<typeof gmailMessage>) {
  const headers = payloadHeaders.safeParse(payload).data?.headers.rows ?? [];
  const { from, to, cc } = addressesOf(headers);
  const addresses = (...lists: (typeof from)[]) => lists.flatMap((list) => list?.entries ?? []).map(({ address }) => addressKey(address));
  return {
    thread: threadId,
    labelIds,
    at: Number(internalDate),
    from: addresses(from),
    to: addresses(to, cc),
    subject: subjectOf(headers),
    origin: originOf(headers),
    hasAttachment: hasFile(payload),
  };
}

function subjectOf(headers: readonly HeaderField[]): string {
  const field = headers.find(({ name }) => name.toLowerCase() === 'subject');
  return field === undefined ? '' : decodeWords(field.value.slice(0, MAX_SUBJECT)).slice(0, MAX_SUBJECT);
}

const part = z.object({ filename: z.string().catch(''), parts: z.array(z.unknown()).catch([]) });
/** Fields are requested no deeper. */
const MAX_DEPTH = 5;

function hasFile(payload: unknown, depth = 0): boolean {
  const read = part.safeParse(payload);
  if (!read.success || depth > MAX_DEPTH) return false;
  return read.data.filename !== '' || read.data.parts.some((one) => hasFile(one, depth + 1));
}

function later(one: string, other: string): string {
  return BigInt(other) > BigInt(one) ? other : one;
}
