/** Fields of a header by name; several lines of a folded value are separated by `\n `. */
export type Fields = Record<string, string>;

const HEADER: Fields = {
  From: 'Ana Roe <ana@example.com>',
  To: 'ada@example.org',
  Subject: 'Hello',
  Date: 'Mon, 4 May 2026 10:00:00 +0000',
  'Message-ID': '<1@example.com>',
  'MIME-Version': '1.0',
};

/** An entity (RFC 2045, 2.4): its fields, an empty line, its content; one character per byte. */
export function entity(fields: Fields, content: string): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
  return `${lines.join('')}\n${content}`;
}

/** A part of this type. */
export function part(type: string, content: string, fields: Fields = {}): string {
  return entity({ 'Content-Type': type, ...fields }, content);
}

export const plain = (content: string, fields: Fields = {}): string => part('text/plain; charset=utf-8', content, fields);
export const html = (content: string, fields: Fields = {}): string => part('text/html; charset=utf-8', content, fields);

/** A file in base64. */
export function file(type: string, name: string, content = 'abc'): string {
  const fields = { 'Content-Disposition': `attachment; filename="${name}"`, 'Content-Transfer-Encoding': 'base64' };
  return part(type, Buffer.from(content).toString('base64'), fields);
}

/** A container of parts (RFC 2046, 5.1). @param kind `mixed`, or with parameters */
export function multipart(kind: string, ...parts: string[]): string {
  // No part holds the boundary that is derived from its length.
  const boundary = `=_${kind.replace(/\W.*/, '')}.${parts.join('').length}`;
  const inside = parts.map((one) => `--${boundary}\n${one}\n`).join('');
  return part(`multipart/${kind}; boundary="${boundary}"`, `${inside}--${boundary}--\n`);
}

/** A message of this entity. @param fields in place of those that each has */
export function message(content: string, fields: Fields = {}): string {
  const lines = Object.entries({ ...HEADER, ...fields }).map(([name, value]) => `${name}: ${value}\n`);
  return `${lines.join('')}${content}`;
}

/** UTF-8 as one character per byte. */
export function bytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

export function base64(text: string | Buffer): string {
  return Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\n');
}
