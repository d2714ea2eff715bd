import { guessCharset } from './charset-guess.ts';
import { EAST_ASIAN } from './charset-languages.ts';
import { charsetNamed } from './charset-names.ts';
import { decodeCp949 } from './cp949.ts';
import { SEVEN_BIT } from './seven-bit-charsets.ts';

/** Where a document declares its charset itself (WHATWG HTML 13.2.3.2 has the same number). */
const DECLARATION_BYTES = 1024;
/** Of bytes that are looked at to tell UTF-16 from others. */
const UTF16_SAMPLE = 4096;
/** Of the characters of a text in UTF-16 that nothing else tells: those of ASCII. */
const UTF16_ZEROS = 0.3;
const ESCAPES = { '$@': 'iso-2022-jp', $B: 'iso-2022-jp', '$)C': 'iso-2022-kr', '$)A': 'iso-2022-cn' };

/** What is known of a text besides its bytes. */
export interface TextFacts {
  /** As declared outside of the text, by a Content-Type or an encoded word. */
  charset?: string | undefined;
  /** Media type in lower case: markup may declare its charset itself. */
  mimeType?: string | undefined;
  /** For one of several texts that are guessed together. */
  guess?: (() => string) | undefined;
}

/**
 * Decodes text: by its byte order mark, else by the charset that is declared for it, else by the one that it declares
 * itself (RFC 7303, 3; WHATWG HTML 13.2.3), else as UTF-8 if it is that, else by a guess. A declaration of UTF-8 or
 * US-ASCII that is wrong counts as none.
 */
export function decodeText(bytes: Uint8Array, { charset, mimeType = '', guess = () => guessCharset(bytes) }: TextFacts = {}): string {
  const mark = byteOrderMark(bytes);
  if (mark !== undefined) return new TextDecoder(mark).decode(bytes);
  const declared = (charset === undefined ? undefined : charsetNamed(charset)) ?? declaredInside(bytes, mimeType);
  if (declared === undefined || declared === 'us-ascii' || declared === 'utf-8') return decodeUndeclared(bytes, guess);
  // RFC 2781, 4.3.
  if (declared === 'utf-16') return decodeUtf16(bytes, byteOrder(bytes, 0) ?? 'utf-16be');
  if (declared.startsWith('utf-16')) return decodeUtf16(bytes, declared);
  const text = decodeBy(declared, bytes);
  return text.includes('\ufffd') ? (asUtf8(bytes) ?? text) : text;
}

/** But UTF-8 if it can only be that, and ASCII unless half of the characters would be frequent ones. */
function decodeUtf16(bytes: Uint8Array, order: string): string {
  const text = new TextDecoder(order).decode(bytes);
  if (bytes.includes(0)) return text;
  if (text.includes('\ufffd')) return asUtf8(bytes) ?? text;
  if (bytes.some((byte) => byte >= 0x80)) return text;
  const sample = [...text.slice(0, UTF16_SAMPLE)];
  const frequent = sample.filter((character) => EAST_ASIAN.some((one) => one.frequent.includes(character)));
  return frequent.length * 2 < sample.length ? Buffer.from(bytes).toString('latin1') : text;
}

function decodeBy(charset: string, bytes: Uint8Array): string {
  if (charset === 'euc-kr') return decodeCp949(bytes);
  const sevenBit = Object.hasOwn(SEVEN_BIT, charset) ? SEVEN_BIT[charset] : undefined;
  return sevenBit === undefined ? new TextDecoder(charset).decode(bytes) : sevenBit(bytes);
}

/** @returns undefined if it isn't valid */
export function asUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether text is UTF-16: by its byte order mark, or its zero bytes. */
export function isUtf16(bytes: Uint8Array): boolean {
  return (byteOrderMark(bytes) ?? byteOrder(bytes) ?? 'utf-8') !== 'utf-8';
}

function decodeUndeclared(bytes: Uint8Array, guess: () => string): string {
  const charset = escapedCharset(bytes) ?? byteOrder(bytes);
  if (charset !== undefined) return decodeText(bytes, { charset });
  return asUtf8(bytes) ?? decodeBy(guess(), bytes);
}

/** ISO 2022, which designates a set of characters by an escape sequence (RFC 1468, RFC 1557, RFC 1922). */
function escapedCharset(bytes: Uint8Array): string | undefined {
  if (!bytes.includes(0x1b) || bytes.some((byte) => byte >= 0x80)) return undefined;
  const text = Buffer.from(bytes).toString('latin1');
  return Object.entries(ESCAPES).find(([sequence]) => text.includes(`\u001b${sequence}`))?.[1];
}

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

/** The byte order of UTF-16 without a mark: characters of ASCII, spaces at least, have a zero byte, all on the same side. */
function byteOrder(bytes: Uint8Array, atLeast = UTF16_ZEROS): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes.length < 2 || bytes.length % 2 === 1) return undefined;
  const zeros = [0, 0];
  const sample = bytes.subarray(0, UTF16_SAMPLE);
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [high = 0, low = 0] = zeros;
  if ((high === 0) === (low === 0) || high + low < (sample.length / 2) * atLeast) return undefined;
  const order = high > 0 ? 'utf-16be' : 'utf-16le';
  // Of other files with zero bytes, something is no text.
  return /[^\P{Cc}\s]|[\ufffd\p{Cn}]/u.test(new TextDecoder(order).decode(sample, { stream: true })) ? undefined : order;
}

function declaredInside(bytes: Uint8Array, mimeType: string): string | undefined {
  if (!/html|xml/.test(mimeType)) return undefined;
  const head = Buffer.from(bytes.subarray(0, DECLARATION_BYTES)).toString('latin1');
  const [, encoding] = /^\s*<\?xml\s[^>]{0,200}?\sencoding\s*=\s*["']([\w.:+-]{1,40})/.exec(head) ?? [];
  const tags = mimeType.includes('html') ? (head.match(/<meta\s[^>]{0,500}/gi) ?? []) : [];
  const [meta] = tags.flatMap((tag) => /\bcharset\s*=\s*["']?([\w.:+-]{1,40})/i.exec(tag)?.[1] ?? []);
  const name = charsetNamed(encoding ?? meta ?? '');
  // The declaration itself was read as ASCII.
  return name?.startsWith('utf-16') ? 'utf-8' : name;
}
