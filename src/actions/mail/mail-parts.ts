import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { list, unchecked } from '../../providers/transport/response-list.ts';
import { checked } from '../../providers/transport/responses.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { gmailAttachment } from './gmail-responses.ts';
import { charsetOf, parameterOf } from './header-parameters.ts';
import { type Addresses, addressesOf } from './mail-addresses.ts';
import { decodeWords, shown } from './mail-text.ts';
import { partContent } from './part-content.ts';

/** One node of a message's tree. */
export interface MailPart {
  /** The provider's part id, which is stable; `root` for the message itself. Attachment ids change with every read. */
  id: string;
  mimeType: string;
  fileName: string;
  headers: MailHeaders;
  /** Of the message itself. */
  addresses: Addresses;
  size: number;
  /** base64url; undefined if the bytes must be fetched, or there are none. */
  data: string | undefined;
  attachmentId: string | undefined;
  parts: MailPart[];
}

/**
 * Values of the headers that are used, but addresses, by lower-case name; of a repeated header the first. Only the subject is
 * decoded: in the others, encoded words would make syntax (RFC 2047, 5).
 */
export type MailHeaders = ReadonlyMap<string, string>;

const MAX_DEPTH = 30;
const MAX_PARTS = 1000;
const USED_HEADERS = new Set('subject date message-id references in-reply-to content-type content-disposition'.split(' '));
/** Longer content is converted to text off the main thread; base64 characters that take some 10 ms. */
const LONG_CONTENT = { html: 8_000, text: 160_000 };
const MAX_HTML = 300_000;
const TOO_LONG = '[The rest of this message is too long to show.]';

const node = z.object({
  partId: z
    .string()
    .regex(/^\d+(\.\d+)*$/)
    .max(100)
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
  const read = (value: unknown, position: string, depth: number): MailPart => {
    count += 1;
    if (depth > MAX_DEPTH || count > MAX_PARTS) throw new AppError('too_large', 'The message has too many parts.');
    const { partId, mimeType, filename, headers, body, parts } = checked(node, value);
    return {
      id: position === 'root' ? position : (partId ?? position),
      mimeType: shown.name.parse(mimeType).toLowerCase(),
      fileName: shown.name.parse(filename === '' ? nameIn(headers) : decodeWords(filename)),
      headers: toHeaders(headers),
      addresses: position === 'root' ? addressesOf(headers) : {},
      size: body.size,
      data: body.data,
      attachmentId: body.attachmentId,
      parts: parts.map((child, index) => read(child, position === 'root' ? `${index}` : `${position}.${index}`, depth + 1)),
    };
  };
  return read(payload, 'root', 0);
}

/** The file name that a part's own fields give it (RFC 2183, 2.3). */
function nameIn(headers: readonly { name: string; value: string }[]): string {
  const fieldOf = (field: string) => headers.find(({ name }) => name.toLowerCase() === field)?.value ?? '';
  return parameterOf(fieldOf('content-disposition'), 'filename') ?? parameterOf(fieldOf('content-type'), 'name') ?? '';
}

/** The headers of a response in the format `metadata`; empty if the provider omitted them. */
export function readHeaders(payload: unknown): Pick<MailPart, 'headers' | 'addresses'> {
  return payload === undefined ? { headers: new Map(), addresses: {} } : readPayload(payload);
}

/** All header fields of the message itself, as received. */
export function readFields(payload: unknown): { name: string; value: string }[] {
  return checked(node, payload).headers;
}

/** All parts that are attachments for the reader. */
export function attachmentsOf(part: MailPart): MailPart[] {
  if (isAttachment(part)) return [part];
  return part.parts.flatMap(attachmentsOf);
}

/** The name under which an attachment is shown. */
export function attachmentName({ fileName }: MailPart): string {
  return fileName || 'unnamed';
}

/** Content of a part in base64url, fetched if necessary. */
export async function partData(session: WorkspaceSession, messageId: string, part: MailPart): Promise<string> {
  if (part.data !== undefined || part.attachmentId === undefined) return part.data ?? '';
  const params = { userId: 'me', messageId, id: part.attachmentId, fields: 'data' };
  return (await session.call('gmail.users.messages.attachments.get', params, gmailAttachment)).data;
}

/** How many characters of HTML one result converts to text: conversion is slow, and anyone can send a large amount. */
export class HtmlBudget {
  #left = MAX_HTML;
  /** There was more than the budget. */
  exceeded = false;

  get left(): number {
    return this.#left;
  }

  /** @param characters length of the part, of which as many as were left have been converted */
  take(characters: number): void {
    this.exceeded ||= characters > this.#left;
    this.#left -= Math.min(characters, this.#left);
  }
}

/** How the texts of a message are read. */
interface Reading {
  session: WorkspaceSession;
  messageId: string;
  budget: HtmlBudget;
  /** Characters after which further parts are not read; a longer text continues. */
  enough: number;
}

/** The message as plain text: of alternatives the plain one unless it is blank, HTML converted to text. */
export async function bodyText(root: MailPart, reading: Reading): Promise<string> {
  const { enough } = reading;
  let body = '';
  for (const alternatives of blocksOf(root)) {
    for (const parts of alternatives) {
      let text = '';
      for (const part of parts) {
        if (body.length + text.length > enough) break;
        const added = await partText(part, reading);
        if (added !== '') text += text === '' ? added : `\n\n${added}`;
      }
      if (text === '') continue;
      body += body === '' ? text : `\n\n${text}`;
      break;
    }
    if (body.length > enough) break;
  }
  return body;
}

/**
 * All texts of the message, alternatives included, and of HTML also what isn't displayed: each once. When the budget is
 * exceeded, these aren't all.
 */
export async function allTexts(root: MailPart, reading: Reading): Promise<string> {
  const { budget, enough } = reading;
  const texts = new Map<string, string>();
  let length = 0;
  for (const part of textsOf(root)) {
    const { text, others } = await partTexts(part, reading, true);
    for (const one of [text, others && `Also in its HTML: ${others}`]) {
      const key = one.replace(/\s+/g, ' ').trim();
      if (key === '' || texts.has(key)) continue;
      texts.set(key, one);
      length += one.length;
    }
    if (length > enough || budget.exceeded) break;
  }
  return [...texts.values()].join('\n\n');
}

function textsOf(part: MailPart): MailPart[] {
  return isText(part) ? [part] : part.parts.flatMap(textsOf);
}

/** @returns '' if the part is blank */
async function partText(part: MailPart, reading: Reading): Promise<string> {
  const { budget } = reading;
  const isHtml = part.mimeType === 'text/html';
  if (isHtml && budget.exceeded) return '';
  const { text } = await partTexts(part, reading, false);
  return isHtml && budget.exceeded ? `${text}\n${TOO_LONG}`.trim() : text;
}

/** The text of a part, and what else is in HTML; '' for what is blank. */
async function partTexts(part: MailPart, reading: Reading, showsHidden: boolean): Promise<{ text: string; others: string }> {
  const { session, messageId, budget, enough } = reading;
  const isHtml = part.mimeType === 'text/html';
  const data = await partData(session, messageId, part);
  const charset = charsetOf(part.headers.get('content-type') ?? '');
  const { mimeType } = part;
  const input = { data, charset, mimeType, maxHtml: isHtml ? budget.left : undefined, enough, showsHidden };
  // Lets other requests run between two parts.
  await nextTurn();
  const isLong = data.length > (isHtml ? LONG_CONTENT.html : LONG_CONTENT.text);
  const { characters, ...texts } = await (isLong ? session.offThread(partContent, input) : partContent.run(input));
  if (isHtml) budget.take(characters);
  return texts;
}

/** Text blocks in reading order, each with its alternatives, best first. */
function blocksOf(part: MailPart): MailPart[][][] {
  if (isText(part)) return [[[part]]];
  if (isAttachment(part)) return [];
  if (part.mimeType !== 'multipart/alternative') return part.parts.flatMap(blocksOf);
  const alternatives = part.parts.map((child) => blocksOf(child).flatMap((block) => block[0] ?? [])).filter((parts) => parts.length > 0);
  const isPlain = (parts: MailPart[]) => parts.every(({ mimeType }) => mimeType === 'text/plain');
  // Of the others, the last is the best (RFC 2046 section 5.1.4).
  return alternatives.length === 0 ? [] : [[...alternatives.filter(isPlain), ...alternatives.filter((one) => !isPlain(one)).reverse()]];
}

function isText(part: MailPart): boolean {
  return (part.mimeType === 'text/plain' || part.mimeType === 'text/html') && !isAttachment(part);
}

function isAttachment({ mimeType, fileName, headers, size, attachmentId }: MailPart): boolean {
  if (mimeType.startsWith('multipart/')) return false;
  if (fileName !== '' || /^\s*attachment\b/i.test(headers.get('content-disposition') ?? '')) return true;
  return mimeType !== 'text/plain' && mimeType !== 'text/html' && (size > 0 || attachmentId !== undefined);
}

function toHeaders(headers: readonly { name: string; value: string }[]): MailHeaders {
  const result = new Map<string, string>();
  for (const { name, value } of headers) {
    const key = name.toLowerCase();
    if (USED_HEADERS.has(key) && !result.has(key)) result.set(key, key === 'subject' ? decodeWords(value) : value);
  }
  return result;
}
