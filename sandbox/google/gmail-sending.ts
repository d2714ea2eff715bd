import { invalid } from '../api-fault.ts';
import { findMessage, findThread, header, type Mailbox, type MailRequest, messageId, type StoredMessage } from './gmail-mailbox.ts';
import { headerOf, parseMime } from './gmail-mime.ts';

/** The body of sending and drafting: base64url of the MIME text, and the thread. */
export interface MessageBody {
  raw: string;
  threadId: string | undefined;
}

/**
 * The message of a request: in its body, or uploaded.
 *
 * @param inBody where the body has it
 * @throws ApiFault 400 when it is missing or not base64url
 */
export function messageBody({ body, upload }: MailRequest, inBody: (body: Record<string, unknown>) => unknown): MessageBody {
  const given = inBody((body ?? {}) as Record<string, unknown>);
  const { raw, threadId } = (given ?? {}) as Record<string, unknown>;
  if (upload !== undefined) {
    if (upload.mimeType !== 'message/rfc822') throw invalid('Media type must be message/rfc822');
    return { raw: upload.bytes.toString('latin1'), threadId: typeof threadId === 'string' ? threadId : undefined };
  }
  if (typeof raw !== 'string' || raw === '' || !/^[\w+/-]+={0,2}$/.test(raw))
    throw invalid("'raw' RFC822 payload message string is required");
  return { raw: Buffer.from(raw, 'base64url').toString('latin1'), threadId: typeof threadId === 'string' ? threadId : undefined };
}

/** Sends a message: sets the sender to the account, and a new Message-ID and thread. */
export function sendMessage(request: MailRequest, body: MessageBody): StoredMessage {
  const { headers } = parseMime(body.raw);
  const recipients = ['to', 'cc', 'bcc'].map((name) => headerOf(headers, name) ?? '').join(' ');
  if (!/[^\s@<]@[^\s@>]/.test(recipients)) throw invalid('Recipient address required');
  const toSelf = recipients.toLowerCase().includes(request.account.email);
  return store(request, body, toSelf ? ['SENT', 'INBOX', 'UNREAD'] : ['SENT']);
}

/**
 * Puts a message that others wrote into the mailbox, as it is.
 *
 * @param dateSource `internalDateSource`: `receivedTime` or `dateHeader`
 * @throws ApiFault 400 for an unknown label
 */
export function insertMessage(request: MailRequest, body: MessageBody, dateSource: string): StoredMessage {
  const { labelIds = [] } = (request.body ?? {}) as { labelIds?: string[] };
  const unknown = labelIds.find((id) => !request.state.labels.some((label) => label.id === id));
  if (unknown !== undefined) throw invalid(`Invalid label: ${unknown}`);
  const date = dateSource === 'dateHeader' ? Date.parse(headerOf(parseMime(body.raw).headers, 'date') ?? '') : Number.NaN;
  return add(request, body, { labelIds, at: Number.isNaN(date) ? request.now : date, write: () => body.raw });
}

/** A mail of others arrives. */
export function deliver(to: Pick<MailRequest, 'account' | 'state' | 'now'>, raw: string): StoredMessage {
  return add(to, { raw, threadId: undefined }, { labelIds: ['INBOX', 'UNREAD'], at: to.now, write: () => raw });
}

export function createDraft(request: MailRequest, body: MessageBody): { id: string; message: StoredMessage } {
  const message = store(request, body, ['DRAFT']);
  const id = `r${BigInt(`0x${message.id}`) % 10n ** 18n}`;
  request.state.drafts.push({ id, messageId: message.id });
  return { id, message };
}

/** Replaces the draft's message by another with a new id. */
export function updateDraft(request: MailRequest, draftId: string, body: MessageBody): { id: string; message: StoredMessage } {
  const { state } = request;
  const former = findDraft(state, draftId).message;
  const message = store(request, body, ['DRAFT']);
  state.messages = state.messages.filter(({ id }) => id !== former.id);
  for (const draft of state.drafts) if (draft.id === draftId) draft.messageId = message.id;
  return { id: draftId, message };
}

export function deleteDraft(mailbox: Mailbox, draftId: string): void {
  const { message } = findDraft(mailbox, draftId);
  mailbox.drafts = mailbox.drafts.filter(({ id }) => id !== draftId);
  mailbox.messages = mailbox.messages.filter(({ id }) => id !== message.id);
}

/** Removes the draft and sends a message with a new id. */
export function sendDraft(request: MailRequest, draftId: string): StoredMessage {
  const { state } = request;
  const draft = findDraft(state, draftId);
  const sent = sendMessage(request, { raw: draft.message.raw, threadId: draft.message.threadId });
  state.drafts = state.drafts.filter(({ id }) => id !== draftId);
  state.messages = state.messages.filter(({ id }) => id !== draft.message.id);
  return sent;
}

/** @throws ApiFault 404 */
export function findDraft(mailbox: Mailbox, draftId: string): { id: string; message: StoredMessage } {
  const draft = mailbox.drafts.find(({ id }) => id === draftId);
  return { id: draftId, message: findMessage(mailbox, draft?.messageId ?? '0') };
}

function store(request: MailRequest, body: MessageBody, labelIds: string[]): StoredMessage {
  return add(request, body, { labelIds, at: request.now, write: (id) => stamp(request, id, body.raw) });
}

interface Added extends Pick<StoredMessage, 'labelIds' | 'at'> {
  /** The message as it is stored under this id. */
  write: (id: string) => string;
}

function add(
  { account, state }: Pick<MailRequest, 'account' | 'state'>,
  { raw, threadId }: MessageBody,
  { labelIds, at, write }: Added,
): StoredMessage {
  const id = messageId(account, state.made);
  state.made += 1;
  state.historyId += 1;
  const thread = threadId !== undefined && joins(state, threadId, raw) ? threadId : id;
  const message = { id, threadId: thread, labelIds, at, raw: write(id), historyId: state.historyId };
  state.messages.push(message);
  return message;
}

/** The three conditions of the provider's page "Manage threads": thread id, References or In-Reply-To, and subject. */
function joins(mailbox: Mailbox, threadId: string, raw: string): boolean {
  const thread = findThread(mailbox, threadId);
  const { headers } = parseMime(raw);
  // Message-IDs without brackets are others' fault.
  const known = new Set(thread.map((message) => header(message, 'message-id').replace(/^<?([^<>]*)>?$/, '<$1>')));
  const named = `${headerOf(headers, 'references') ?? ''} ${headerOf(headers, 'in-reply-to') ?? ''}`.match(/<[^<>\s]+>/g) ?? [];
  const sameSubject = thread.some((message) => bare(header(message, 'subject')) === bare(headerOf(headers, 'subject') ?? ''));
  // A draft that is sent again has no references and is found by itself.
  const alone = thread.length === 1 && thread[0]?.labelIds.includes('DRAFT') === true;
  return alone || (sameSubject && named.some((id) => known.has(id)));
}

function bare(subject: string): string {
  return subject
    .replace(/^((re|fwd?)\s*:\s*)+/i, '')
    .trim()
    .toLowerCase();
}

/** Replaces From by the account's address, and Message-ID by the provider's. */
function stamp({ account, now }: MailRequest, id: string, raw: string): string {
  const dropped = /^(from|message-id):.*(\r?\n[ \t].*)*\r?\n/gim;
  const end = /\r?\n\r?\n/.exec(raw)?.index ?? raw.length;
  const head = `${raw.slice(0, end)}\r\n`.replace(dropped, '');
  const date = /^date:/im.test(head) ? '' : `Date: ${new Date(now).toUTCString().replace('GMT', '+0000')}\r\n`;
  const name = /^[\x20-\x7e]*$/.test(account.name) ? account.name : `=?UTF-8?B?${Buffer.from(account.name).toString('base64')}?=`;
  const added = `From: ${name} <${account.email}>\r\nMessage-ID: <CA${id}@mail.sandbox.invalid>\r\n${date}`;
  return `${added}${head.replace(/\r?\n$/, '')}${raw.slice(end)}`;
}
