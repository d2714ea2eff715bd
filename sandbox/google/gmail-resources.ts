import { randomBytes } from 'node:crypto';
import { invalid, notFound } from '../api-fault.ts';
import { type Mailbox, mimeOf, type StoredMessage } from './gmail-mailbox.ts';
import { allParts, type MimePart } from './gmail-mime.ts';

const SNIPPET_LENGTH = 200;

/**
 * A message as in `messages.get`.
 *
 * @param format `full`, `metadata`, `minimal` or `raw`
 */
export function messageResource(message: StoredMessage, query: URLSearchParams): object {
  const format = query.get('format')?.toLowerCase() ?? 'full';
  const mime = mimeOf(message);
  const base = {
    id: message.id,
    threadId: message.threadId,
    labelIds: message.labelIds,
    snippet: snippetOf(mime),
    historyId: String(message.historyId),
    internalDate: String(message.at),
    sizeEstimate: message.raw.length,
  };
  switch (format) {
    case 'full':
      return { ...base, payload: payload(mime) };
    case 'metadata':
      return { ...base, payload: { mimeType: mime.mimeType, headers: chosenHeaders(mime, query.getAll('metadataHeaders')) } };
    case 'minimal':
      return base;
    case 'raw':
      return { ...base, raw: Buffer.from(message.raw, 'latin1').toString('base64url') };
    default:
      throw invalid(`Invalid value at 'format': ${format}`);
  }
}

/** @param messages of one thread, oldest first */
export function threadResource(id: string, messages: readonly StoredMessage[], query: URLSearchParams, mailbox: Mailbox): object {
  if (query.get('format')?.toLowerCase() === 'raw') throw invalid('Format RAW is not supported for threads.');
  return { id, historyId: String(mailbox.historyId), messages: messages.map((message) => messageResource(message, query)) };
}

/** The bytes of an attachment, by an id of an earlier response. Ids differ between responses. */
export function attachmentResource(message: StoredMessage, attachmentId: string): object {
  const [partId] = Buffer.from(attachmentId, 'base64url').toString('latin1').split(':');
  if (!/^[\w-]+$/.test(attachmentId) || partId === undefined) throw invalid('Invalid attachment token');
  const part = allParts(mimeOf(message)).find((candidate) => candidate.partId === partId && isApart(candidate));
  if (part === undefined) throw notFound();
  return { size: part.body.length, data: part.body.toString('base64url') };
}

/** The text of a message: its plain text, otherwise its HTML without tags. */
export function textOf(mime: MimePart): string {
  const texts = allParts(mime).filter(({ fileName }) => fileName === '');
  const plain = texts.find(({ mimeType }) => mimeType === 'text/plain');
  if (plain !== undefined) return plain.body.toString('utf8');
  const html = texts.find(({ mimeType }) => mimeType === 'text/html')?.body.toString('utf8') ?? '';
  return html
    .replace(/<(style|script|head)[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&euro;', '€')
    .replaceAll('&amp;', '&');
}

/** The beginning of the text, escaped for HTML as in the API. */
function snippetOf(mime: MimePart): string {
  const text = textOf(mime).replace(/\s+/g, ' ').trim().slice(0, SNIPPET_LENGTH).toWellFormed();
  const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? character);
}

function chosenHeaders({ headers }: MimePart, names: readonly string[]): object[] {
  if (names.length === 0) return headers;
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  return headers.filter(({ name }) => wanted.has(name.toLowerCase()));
}

function payload(part: MimePart): object {
  const { partId, mimeType, fileName: filename, headers, parts } = part;
  return { partId, mimeType, filename, headers, body: body(part), ...(parts.length > 0 && { parts: parts.map(payload) }) };
}

function body(part: MimePart): object {
  const { partId, mimeType, body: bytes } = part;
  if (mimeType.startsWith('multipart/')) return { size: 0 };
  if (!isApart(part)) return { size: bytes.length, ...(bytes.length > 0 && { data: bytes.toString('base64url') }) };
  const attachmentId = Buffer.concat([Buffer.from(`${partId}:`), randomBytes(48)]).toString('base64url');
  return { attachmentId, size: bytes.length };
}

/** Whether its content is an attachment of its own. */
function isApart({ mimeType, fileName }: MimePart): boolean {
  return !mimeType.startsWith('multipart/') && (fileName !== '' || !mimeType.startsWith('text/'));
}
