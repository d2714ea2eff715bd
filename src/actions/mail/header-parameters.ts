import { decodeText } from '../files/decode-text.ts';
import { bytesOf, decodeWords } from './mail-text.ts';

/** No message needs longer fields; what follows isn't read. */
const MAX_FIELD = 10_000;
/** A quoted string that isn't closed goes up to the end. */
const PARAMETER = /;\s*([^\s=;*"]{1,100})(?:\*(\d{1,3}))?(\*)?\s*=\s*(?:"((?:[^"\\]|\\.){0,2000})(?:"|$)|([^;"][^;]*|))/g;

/** A part of a value: `filename*1*=%e2%82` (RFC 2231, 3 and 4). */
interface Segment {
  index: number;
  isEncoded: boolean;
  value: string;
}

/**
 * A parameter of a structured field, such as the charset of a Content-Type (RFC 2045, 5.1): with its continuations and its
 * own charset (RFC 2231), or with encoded words, which many programs write there in spite of RFC 2047, 5.
 *
 * @param field as received
 * @param name in lower case
 * @returns undefined without the parameter
 */
export function parameterOf(field: string, name: string): string | undefined {
  const plain: string[] = [];
  const segments: Segment[] = [];
  for (const [, key = '', index, star, quoted, token = ''] of field.slice(0, MAX_FIELD).matchAll(PARAMETER)) {
    if (key.toLowerCase() !== name) continue;
    const value = quoted?.replace(/\\(.)/g, '$1') ?? token.trim();
    if (index === undefined && star === undefined) plain.push(value);
    else segments.push({ index: Number(index ?? 0), isEncoded: star !== undefined, value });
  }
  const [first] = plain;
  return joined(segments.sort((one, other) => one.index - other.index)) ?? (first === undefined ? undefined : decodeWords(first));
}

/** @param segments in order; what follows a gap is left out */
function joined(segments: readonly Segment[]): string | undefined {
  const [first] = segments;
  if (first?.index !== 0) return undefined;
  const [, charset, value] = (first.isEncoded ? /^([^']*)'[^']*'(.*)$/s.exec(first.value) : null) ?? [];
  const parts = [{ ...first, value: value ?? first.value }, ...segments.slice(1)].filter(({ index }, place) => index === place);
  const bytes = parts.map((part) => (part.isEncoded ? bytesOf(part.value, /%([0-9a-f]{2})/gi) : Buffer.from(part.value)));
  return decodeText(Buffer.concat(bytes), { charset });
}

/** The charset that a Content-Type declares; undefined without one. */
export function charsetOf(contentType: string): string | undefined {
  // Some programs write a comment behind it, or other quotation marks around it.
  return /^['\s]*([\w.:+-]{1,40})/.exec(parameterOf(contentType, 'charset') ?? '')?.[1];
}
