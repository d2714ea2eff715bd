import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { list, unchecked } from '../../providers/transport/response-list.ts';
import { checked } from '../../providers/transport/responses.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { singleLine } from '../shared/display-text.ts';
import { gmailAttachment } from './gmail-responses.ts';
import { parameterOf } from './header-parameters.ts';
import { type Addresses, addressesOf } from './mail-addresses.ts';
import { decodeWords } from './mail-text.ts';
import { messageIds } from './message-ids.ts';
import { kindOf, type PartKind } from './part-kind.ts';

/** One node of a message's tree. */
export interface MailPart {
  /** The provider's part id, which is stable; `root` for the message itself. Attachment ids change with every read. */
  id: string;
  kind: PartKind;
  mimeType: string;
  fileName: string;
  headers: MailHeaders;
  /** Of the message itself, and of attached ones. */
  addresses: Addresses;
  size: number;
  /** base64url; undefined if the bytes must be fetched, or there are none. */
  data: string | undefined;
  attachmentId: string | undefined;
  /** Of an attached message, that message alone. */
  parts: MailPart[];
}

/**
 * Values of the headers that are used, but addresses, by lower-case name; of a repeated header the first. Only the subject is
 * decoded: in the others, encoded words would make syntax (RFC 2047, 5).
 */
export type MailHeaders = ReadonlyMap<string, string>;

/** More than is left of a response that is nested more deeply. */
const MAX_DEPTH = 90;
export const MAX_PARTS = 1000;
/** Of a part's id: two for each level. */
export const MAX_PART_ID = 400;
const USED_HEADERS = new Set('subject date message-id references in-reply-to content-type content-disposition'.split(' '));

const node = z.object({
  partId: z
    .string()
    .regex(/^\d+(\.\d+)*$/)
    .max(MAX_PART_ID)
    .optional()
    .catch(undefined),
  mimeType: z.string().max(255).default('text/plain'),
  filename: z.string().default(''),
  headers: list(z.object({ name: z.string().max(200), value: z.string() })).default([]),
  body: z
    .object({
      size: z.int().min(0).default(0),
      data: z.string().optional(),
      attachmentId: z.string().max(5000).optional(),
    })
    .default({ size: 0 }),
  parts: unchecked.default([]),
});

/**
 * The tree of a message's payload.
 *
 * @throws AppError `provider_error` for an invalid payload, `too_large` for one with too many parts or levels
 */
export function readPayload(payload: unknown): MailPart {
  let count = 0;
  const read = (value: unknown, { id, isMessage, isMain, root, depth }: Place): MailPart => {
    count += 1;
    if (depth > MAX_DEPTH || count > MAX_PARTS) throw new AppError('too_large', 'The message has too many parts.');
    const { partId, mimeType: type, filename, headers, body, parts } = checked(node, value);
    const mimeType = singleLine.parse(type).toLowerCase();
    const own = {
      id: id === 'root' ? id : (partId ?? id),
      // Without a type it is plain text (RFC 2045, 5.2).
      mimeType: mimeType.includes('/') ? mimeType : 'text/plain',
      fileName: singleLine.parse(filename === '' ? nameIn(headers) : decodeWords(filename)),
      headers: toHeaders(headers),
      addresses: isMessage ? addressesOf(headers) : {},
      size: body.size,
      data: body.data,
      attachmentId: body.attachmentId,
    };
    const rootInside = rootOf(own);
    return {
      ...own,
      kind: kindOf({ ...own, parts }, isMain || (root !== undefined && root === messageIds(fieldOf(headers, 'content-id'))[0])),
      parts: parts.map((child, index) => read(child, { ...placeIn(own, index, depth), root: rootInside })),
    };
  };
  return read(payload, { id: 'root', isMessage: true, isMain: true, root: undefined, depth: 0 });
}

/** A header field, as received. */
interface Field {
  name: string;
  value: string;
}

/** Where a part stands. */
interface Place {
  /** Its position, if the provider gives no id. */
  id: string;
  isMessage: boolean;
  isMain: boolean;
  /** Identifier of the part to which those beside it belong, if it isn't the first (RFC 2387, 3.2). */
  root: string | undefined;
  depth: number;
}

/** The first part of any container is the message's text, even with a name (RFC 8621, 4.1.4). */
function placeIn({ id, mimeType }: Pick<MailPart, 'id' | 'mimeType'>, index: number, depth: number): Omit<Place, 'root'> {
  const isMessage = mimeType.startsWith('message/');
  const isMain = isMessage || index === 0 || mimeType === 'multipart/alternative';
  return { id: id === 'root' ? `${index}` : `${id}.${index}`, isMessage, isMain, depth: depth + 1 };
}

function rootOf({ mimeType, headers }: Pick<MailPart, 'mimeType' | 'headers'>): string | undefined {
  if (mimeType !== 'multipart/related') return undefined;
  return messageIds(parameterOf(headers.get('content-type') ?? '', 'start') ?? '')[0];
}

/** The file name that a part's own fields give it (RFC 2183, 2.3). */
function nameIn(headers: readonly Field[]): string {
  return parameterOf(fieldOf(headers, 'content-disposition'), 'filename') || (parameterOf(fieldOf(headers, 'content-type'), 'name') ?? '');
}

function fieldOf(headers: readonly Field[], field: string): string {
  return headers.find(({ name }) => name.toLowerCase() === field)?.value ?? '';
}

/** The headers of a response in the format `metadata`; empty if the provider omitted them. */
export function readHeaders(payload: unknown): Pick<MailPart, 'headers' | 'addresses'> {
  return payload === undefined ? { headers: new Map(), addresses: {} } : readPayload(payload);
}

/** All header fields of the message itself, as received. */
export function readFields(payload: unknown): Field[] {
  return checked(node, payload).headers;
}

/** All parts that are attachments for the reader, those of attached messages behind these. */
export function attachmentsOf(part: MailPart): MailPart[] {
  const inside = part.parts.flatMap(attachmentsOf);
  return part.kind === 'file' || part.kind === 'message' ? [part, ...inside] : inside;
}

/** The name under which an attachment is shown; without one, that of an attached message is its subject. */
export function attachmentName({ fileName, parts: [inner] }: MailPart): string {
  if (fileName !== '') return fileName;
  const subject = singleLine.parse(inner?.headers.get('subject') ?? '').trim();
  return subject === '' ? 'unnamed' : `${subject}.eml`;
}

/** Content of a part in base64url, fetched if necessary. */
export async function partData(session: WorkspaceSession, messageId: string, part: MailPart): Promise<string> {
  if (part.data !== undefined || part.attachmentId === undefined) return part.data ?? '';
  const params = { userId: 'me', messageId, id: part.attachmentId, fields: 'data' };
  return (await session.call('gmail.users.messages.attachments.get', params, gmailAttachment)).data;
}

function toHeaders(headers: readonly Field[]): MailHeaders {
  const result = new Map<string, string>();
  for (const { name, value } of headers) {
    const key = name.toLowerCase();
    if (USED_HEADERS.has(key) && !result.has(key)) result.set(key, key === 'subject' ? decodeWords(value) : value);
  }
  return result;
}
