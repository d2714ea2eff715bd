import { english } from '../../../public/language/english.js';

/** How a file inside of a text begins (RFC 2397). JSON may write its slash with a backslash. */
const HEAD = /data:([\w.+-]{1,80}\\?\/[\w.+-]{1,80})?((?:;[\w-]{1,40}(?:=[^;,\s]{0,200})?){0,5}),/iy;
/** How a property of a contact or an event begins that is a file (RFC 2426, 2.4.1; RFC 5545, 3.2.7), and where its lines are folded. */
const PROPERTY = /;encoding=b(?:ase64)?(?:;[\w=,"/+.-]{1,80}){0,5}:(?:\r?\n[ \t]{1,20})?/iy;
const FOLD = /\r?\n[ \t]{1,20}(?=[\w+/=])/y;
/** How a file of JSON begins, as in the outputs of a notebook. */
const OUTPUT = /"((?:image|audio|video|application)\/[\w.+-]{1,80})":\s{0,20}"/iy;
/** What base64 (RFC 4648) consists of: also that of addresses, percent-encoded, and in JSON. */
const BASE64 = /(?:[\w+/=-]|%(?:2[bf]|3d|0[ad])|\\[/nr]|\\u003d){1,4000}/iy;
/** The beginning of a further line of it, or its last line, behind one of usual length: text may follow a longer one. */
const LINE = /\s{1,20}(?:[\w+/]{60}|(?<=[\s,][\w+/]{60,100}\s{1,20})[\w+/]{1,60}={0,2}(?=\s{0,20}(?:[")>]|'(?!\w))))/y;
/** Between the characters of base64. */
const BREAKS = /\s+|\\[nr]|%0[ad]/gi;
/** What else a part of an address consists of. */
const ENCODED = /[\w%.~!*+,;=:@/?&$-]{1,4000}/y;
/** Types that aren't written to be read. */
const UNREADABLE = /^(?:image|audio|video|font|application)\//i;
/** Shorter data is left as it is. */
const LEAST = 64;
/** Of what may also be the sum of a file. */
const LEAST_OUTPUT = 256;

/**
 * A text with a short sign in place of each file that it contains, as a `data:` address, a property of a contact or an event,
 * or an output of a notebook: `[image/png, 12 kB left out]`.
 * Takes linear time.
 */
export function withoutEmbeddedData(text: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { index } of text.matchAll(/\bdata:|;encoding=b|"(?:image|audio|video|application)\//gi)) {
    if (index < from) continue;
    const found = addressAt(text, index) ?? propertyAt(text, index) ?? outputAt(text, index);
    if (found === undefined) continue;
    pieces.push(text.slice(from, index), found.sign);
    from = found.end;
  }
  return from === 0 ? text : [...pieces, text.slice(from)].join('');
}

interface Embedded {
  /** What is written in its place. */
  sign: string;
  end: number;
}

function addressAt(text: string, start: number): Embedded | undefined {
  HEAD.lastIndex = start;
  const head = HEAD.exec(text);
  if (head === null) return undefined;
  const [whole, written = 'file', parameters = ''] = head;
  const type = written.replace('\\', '');
  const isBase64 = /;base64$/i.test(parameters);
  if (!isBase64 && !UNREADABLE.test(type)) return undefined;
  const from = start + whole.length;
  const end = isBase64 ? endOfAll([BASE64, LINE], text, endOf(/\s{1,20}/y, text, from)) : endOfAll([ENCODED], text, from);
  if (end - from < LEAST) return undefined;
  const data = text.slice(from, end);
  return { sign: signOf(type, isBase64 ? decodedLength(data) : data.length), end };
}

function propertyAt(text: string, start: number): Embedded | undefined {
  const from = endOf(PROPERTY, text, start);
  const end = from === start ? start : endOfAll([BASE64, FOLD, LINE], text, from);
  return end - from < LEAST
    ? undefined
    : { sign: `${text.slice(start, from)}${signOf('file', decodedLength(text.slice(from, end)))}`, end };
}

function outputAt(text: string, start: number): Embedded | undefined {
  OUTPUT.lastIndex = start;
  const [whole, type = ''] = OUTPUT.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const from = start + whole.length;
  const end = endOfAll([BASE64], text, from);
  return end - from < LEAST_OUTPUT ? undefined : { sign: `${whole}${signOf(type, decodedLength(text.slice(from, end)))}`, end };
}

function signOf(type: string, bytes: number): string {
  return `[${type}, ${english.number(Math.ceil(bytes / 1024))} kB left out]`;
}

function decodedLength(base64: string): number {
  return (base64.replace(BREAKS, '').length * 3) / 4;
}

/** Where what some expressions match ends, one after the other and again. Each of them is bounded, since long matches overflow. */
function endOfAll(expressions: readonly RegExp[], text: string, from: number): number {
  let [at, before] = [from, -1];
  while (at > before) {
    before = at;
    for (const expression of expressions) at = endOf(expression, text, at);
  }
  return at;
}

/** Where what an expression matches ends, or the place itself. */
function endOf(expression: RegExp, text: string, from: number): number {
  expression.lastIndex = from;
  return expression.test(text) ? expression.lastIndex : from;
}
