import { wrap as wrapBase64 } from 'nodemailer/lib/base64';
import { encodeWord, isPlainText } from 'nodemailer/lib/mime-funcs';
import { encode, wrap } from 'nodemailer/lib/qp';

export interface SeedAttachment {
  name: string;
  mime: string;
  /** Text content; binary content is in `base64`. */
  content?: string;
  base64?: string;
}

/** A message of the initial mailbox. */
export interface SeedMessage {
  from: string;
  to: string;
  cc?: string | undefined;
  subject: string;
  date: Date;
  messageId: string;
  /** Message-IDs of the thread so far, oldest first. */
  references: readonly string[];
  text?: string | undefined;
  html?: string | undefined;
  /** Of the text; default utf-8. */
  charset?: 'iso-8859-1' | undefined;
  attachments?: readonly SeedAttachment[] | undefined;
  /** Further headers, such as List-Unsubscribe. */
  headers?: Record<string, string> | undefined;
}

/** The message as MIME text, one character per byte: RFC 2047 subjects and names, RFC 2231 file names. */
export function seedMime(message: SeedMessage): string {
  const { references } = message;
  const headers: Record<string, string | undefined> = {
    'Delivered-To': message.to.match(/[^\s<]+@[^\s>]+/)?.[0],
    Date: message.date.toUTCString().replace('GMT', '+0000'),
    From: addresses(message.from),
    To: addresses(message.to),
    Cc: message.cc && addresses(message.cc),
    Subject: words(message.subject),
    'Message-ID': message.messageId,
    'In-Reply-To': references.at(-1),
    References: references.length === 0 ? undefined : references.join('\r\n '),
    ...message.headers,
    'MIME-Version': '1.0',
  };
  const lines = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return `${lines.join('\r\n')}\r\n${content(message)}`;
}

function content({ text, html, charset, attachments = [], messageId }: SeedMessage): string {
  const boundary = `=_${messageId.replace(/\W/g, '').slice(0, 24)}`;
  const bodies = [
    ...(text === undefined ? [] : [textPart('plain', text, charset)]),
    ...(html === undefined ? [] : [textPart('html', html, charset)]),
  ];
  const body = bodies.length === 1 ? (bodies[0] ?? '') : multipart('alternative', `${boundary}a`, bodies);
  return attachments.length === 0 ? body : multipart('mixed', `${boundary}m`, [body, ...attachments.map(attachmentPart)]);
}

function multipart(kind: string, boundary: string, parts: readonly string[]): string {
  const inner = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('');
  return `Content-Type: multipart/${kind}; boundary="${boundary}"\r\n\r\n${inner}--${boundary}--\r\n`;
}

function textPart(subtype: string, text: string, charset: SeedMessage['charset']): string {
  const bytes = charset === undefined ? Buffer.from(text) : Buffer.from(text, 'latin1');
  const head = `Content-Type: text/${subtype}; charset="${charset ?? 'UTF-8'}"\r\nContent-Transfer-Encoding: `;
  // HTML as base64, text as quoted-printable, because mail programs use either.
  return subtype === 'html'
    ? `${head}base64\r\n\r\n${wrapBase64(bytes.toString('base64'))}`
    : `${head}quoted-printable\r\n\r\n${wrap(encode(bytes))}`;
}

function attachmentPart({ name, mime, content = '', base64 }: SeedAttachment): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII
  const fileName = /^[\x00-\x7f]*$/.test(name) ? `filename="${name}"` : `filename*=UTF-8''${encodeURIComponent(name)}`;
  const head = `Content-Type: ${mime}\r\nContent-Disposition: attachment; ${fileName}\r\nContent-Transfer-Encoding: base64`;
  const bytes = base64 === undefined ? Buffer.from(content) : Buffer.from(base64, 'base64');
  return `${head}\r\n\r\n${wrapBase64(bytes.toString('base64'))}`;
}

/** `Name <a@b>, c@d` with the names encoded where they must be. */
function addresses(list: string): string {
  return list
    .split(', ')
    .map((address) => address.replace(/^(.*) (<[^>]*>)$/, (_whole, name: string, rest: string) => `${words(name)} ${rest}`))
    .join(',\r\n ');
}

/** Encoded words (RFC 2047) of at most 52 characters, unless the text is ASCII. */
function words(text: string): string {
  return isPlainText(text) ? text : encodeWord(text, 'B', 52);
}
