import { guessCharset } from '../files/charset-guess.ts';
import { charsetNamed } from '../files/charset-names.ts';
import { asUtf8, decodeText } from '../files/decode-text.ts';

/** Most characters of a file's name that a question shows. */
export const MAX_NAME = 255;

/** `=?utf-8?Q?Gr=C3=BC=C3=9Fe?=`, also with a language (RFC 2231 section 5). */
const ENCODED_WORD = /=\?([\w.:+-]{1,40})(?:\*[\w-]{1,40})?\?([bq])\?([ ->@-~]*)\?=/gi;
const MAX_ENCODED = 100_000;

/** Neighbours of one charset. */
interface Words {
  charset: string;
  bytes: Buffer;
}

/**
 * A header's value with its encoded words decoded (RFC 2047 section 6.2). White space between two of them is dropped,
 * and the bytes of neighbours in one charset are joined first: some senders split characters between words.
 */
export function decodeWords(value: string): string {
  if (!value.includes('=?')) return value;
  const pieces = piecesOf(value.slice(0, MAX_ENCODED));
  const words = pieces.filter((piece) => typeof piece === 'object');
  // One for all, since each takes as long as many words.
  let guessed: string | undefined;
  const guess = () => {
    guessed ??= guessCharset(Buffer.concat(words.map(({ bytes }) => bytes).filter((bytes) => asUtf8(bytes) === undefined)));
    return guessed;
  };
  return pieces.map((piece) => (typeof piece === 'string' ? piece : decodeText(piece.bytes, { charset: piece.charset, guess }))).join('');
}

/** Text, and encoded words. */
function piecesOf(header: string): (string | Words)[] {
  const pieces: (string | { charset: string; bytes: Buffer[] })[] = [];
  let end = 0;
  for (const { 0: word, 1: charset = '', 2: encoding = '', 3: content = '', index } of header.matchAll(ENCODED_WORD)) {
    const between = header.slice(end, index);
    const before = pieces.at(-1);
    const isNeighbour = typeof before === 'object' && between.trim() === '';
    if (!isNeighbour) pieces.push(between);
    if (isNeighbour && charsetNamed(before.charset) === charsetNamed(charset)) before.bytes.push(wordBytes(encoding, content));
    else pieces.push({ charset, bytes: [wordBytes(encoding, content)] });
    end = index + word.length;
  }
  return [...pieces, header.slice(end)].map((piece) =>
    typeof piece === 'string' ? piece : { charset: piece.charset, bytes: Buffer.concat(piece.bytes) },
  );
}

function wordBytes(encoding: string, content: string): Buffer {
  if (encoding.toLowerCase() === 'b') return Buffer.from(content, 'base64');
  return bytesOf(content.replaceAll('_', ' '), /=([0-9a-f]{2})/gi);
}

/** The bytes of a text of which some are written in hexadecimal. @param encoded one of these, with its digits */
export function bytesOf(text: string, encoded: RegExp): Buffer {
  return hexBytes(Buffer.from(text).toString('latin1'), encoded);
}

/** The same of a text with one character per byte. */
export function hexBytes(text: string, encoded: RegExp): Buffer {
  return Buffer.from(
    text.replace(encoded, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
}

/** Reverses the HTML escaping of the provider's snippets. */
export function unescapeSnippet(snippet: string): string {
  const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' };
  return snippet.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_whole, name: string) => characters[name] ?? '');
}
