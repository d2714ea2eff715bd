import { parseHeaderValue } from 'nodemailer/lib/mime-funcs';

/** One node of a message's MIME tree, decoded as in the API. */
export interface MimePart {
  /** '' for the message itself, then `0`, `1`, `1.0`, … */
  partId: string;
  mimeType: string;
  /** Unfolded, encoded words decoded. */
  headers: { name: string; value: string }[];
  /** '' unless it is an attachment. */
  fileName: string;
  /** Decoded content; text in UTF-8 whatever the header says. Empty for multiparts. */
  body: Buffer;
  /** Of an attached message, that message alone. */
  parts: MimePart[];
}

const MESSAGES = /^message\/(?:rfc822|global)$/;

/**
 * Parses a message (RFC 5322, RFC 2045–2047, RFC 2231), as tolerant as mail systems.
 *
 * @param raw one character per byte
 * @param defaultType of a part that doesn't name its own
 */
export function parseMime(raw: string, partId = '', defaultType = 'text/plain'): MimePart {
  const blank = /^\r?\n|\r?\n\r?\n/.exec(raw);
  const head = blank === null ? raw : raw.slice(0, blank.index);
  const content = blank === null ? '' : raw.slice(blank.index + blank[0].length);
  const headers = parseHeaders(head);
  const type = parameters(headerOf(headers, 'content-type') ?? defaultType);
  const disposition = parameters(headerOf(headers, 'content-disposition') ?? '');
  const part = {
    partId,
    mimeType: type.value.includes('/') ? type.value.toLowerCase() : 'text/plain',
    headers: headers.map(({ name, value }) => ({ name, value: ADDRESSES.test(name) ? decodeWords(value, asPhrase) : decodeWords(value) })),
    fileName: disposition.fields.filename ?? decodeWords(type.fields.name ?? ''),
  };
  const boundary = type.fields.boundary;
  if (part.mimeType.startsWith('multipart/') && boundary !== undefined) {
    // RFC 2046 section 5.1.5.
    const inside = part.mimeType === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
    const parts = splitParts(content, boundary).map((text, index) => parseMime(text, childId(partId, index), inside));
    return { ...part, body: Buffer.alloc(0), parts };
  }
  const bytes = decodeTransfer(content, headerOf(headers, 'content-transfer-encoding') ?? '7bit');
  if (MESSAGES.test(part.mimeType)) {
    return { ...part, body: bytes, parts: [parseMime(bytes.toString('latin1'), childId(partId, 0))] };
  }
  const isText = part.mimeType.startsWith('text/') && part.fileName === '';
  return { ...part, body: isText ? toUtf8(bytes, type.fields.charset ?? 'utf-8') : bytes, parts: [] };
}

function childId(partId: string, index: number): string {
  return partId === '' ? `${index}` : `${partId}.${index}`;
}

/** The first header of this name, case-insensitive. */
export function headerOf(headers: readonly { name: string; value: string }[], name: string): string | undefined {
  return headers.find((header) => header.name.toLowerCase() === name)?.value;
}

/** Every node of the tree, parents first. */
export function allParts(part: MimePart): MimePart[] {
  return [part, ...part.parts.flatMap(allParts)];
}

function parseHeaders(head: string): { name: string; value: string }[] {
  const lines = head.replace(/\r?\n(?=[ \t])/g, '').split(/\r?\n/);
  return lines.flatMap((line) => {
    const [, name, value = ''] = /^([!-9;-~]+):[ \t]*(.*)$/.exec(line) ?? [];
    // Header bytes beyond ASCII are UTF-8 (RFC 6532).
    return name === undefined ? [] : [{ name, value: Buffer.from(value, 'latin1').toString().trim() }];
  });
}

/** Parses `text/plain; charset=x`, with RFC 2231 continuations and percent encoding. */
function parameters(header: string): { value: string; fields: Record<string, string> } {
  const { value, params } = parseHeaderValue(header);
  const fields = Object.entries(params).map(([name, text]) => [name, decodeWords(text)]);
  return { value, fields: Object.fromEntries(fields) };
}

/** What an encoded word holds is no syntax of addresses (RFC 2047 section 6.2): as a name, it is quoted where that is needed. */
const ADDRESSES = /^(?:from|sender|reply-to|to|cc|bcc)$/i;

function asPhrase(text: string): string {
  return /[()<>[\]:;@\\,."]/.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : text;
}

/** RFC 2047: decodes encoded words. White space between two of them is removed, and characters may span them. */
function decodeWords(value: string, shown = (text: string) => text): string {
  return value.replace(/=\?[^?\s]+\?[bq]\?[^?\s]*\?=(?:\s+=\?[^?\s]+\?[bq]\?[^?\s]*\?=)*/gi, (run) => {
    const words = [...run.matchAll(/=\?([^?\s*]+)[^?\s]*\?([bq])\?([^?\s]*)\?=/gi)];
    const bytes = words.map(([, , encoding = '', text = '']) =>
      encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : fromQuotedPrintable(text.replaceAll('_', ' ')),
    );
    return shown(toUtf8(Buffer.concat(bytes), words[0]?.[1] ?? 'utf-8').toString('utf8'));
  });
}

function splitParts(content: string, boundary: string): string[] {
  const parts: string[] = [];
  let current: string[] | undefined;
  for (const line of content.split(/(?<=\n)/)) {
    const text = line.trimEnd();
    if (text !== `--${boundary}` && text !== `--${boundary}--`) {
      current?.push(line);
      continue;
    }
    // The line break before a boundary is part of it.
    if (current !== undefined) parts.push(current.join('').replace(/\r?\n$/, ''));
    if (text.endsWith('--') && text !== `--${boundary}`) return parts;
    current = [];
  }
  return current === undefined ? parts : [...parts, current.join('')];
}

function decodeTransfer(content: string, encoding: string): Buffer {
  switch (encoding.toLowerCase()) {
    case 'base64':
      return Buffer.from(content, 'base64');
    case 'quoted-printable':
      return fromQuotedPrintable(content.replace(/[ \t]*\r?\n/g, '\r\n').replace(/=\r\n/g, ''));
    default:
      return Buffer.from(content, 'latin1');
  }
}

function fromQuotedPrintable(text: string): Buffer {
  return Buffer.from(
    text.replace(/=([0-9a-f]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
}

function toUtf8(bytes: Buffer, charset: string): Buffer {
  try {
    return Buffer.from(new TextDecoder(charset).decode(bytes));
  } catch {
    return bytes;
  }
}
