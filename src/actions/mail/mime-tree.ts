/** A part of a message as it is stored, one character per byte: nothing that isn't changed is decoded or written again. */
export interface MimePart {
  /** Its header fields, each with its folding and line break. */
  fields: readonly string[];
  /** The empty line behind them. */
  blank: string;
  content: string;
  /** In lower case. */
  type: string;
  boundary: string;
  /** What is before the first part and behind the last, without their delimiters. */
  preamble: string;
  epilogue: string;
  parts: readonly MimePart[];
}

type ParseHeaderValue = (value: string) => { value: string | undefined; params: Record<string, string> };

const FIELD = /(?<![^\n])[^\n]*\n(?:[ \t][^\n]*\n)*/g;
/** Deeper parts are kept as they are. */
const MAX_DEPTH = 30;

/**
 * Splits a message at its boundaries (RFC 2046, 5.1). Attached messages stay whole.
 *
 * @param raw one character per byte
 * @param parseValue of a structured field (RFC 2045, 5.1; RFC 2231)
 */
export function parsePart(raw: string, parseValue: ParseHeaderValue, depth = 0): MimePart {
  const { head, blank, content } = splitHead(raw);
  const fields = head.match(FIELD) ?? [];
  const { value = '', params } = parseValue(fieldValue(fields, 'content-type') ?? 'text/plain');
  const type = value.trim().toLowerCase();
  const leaf = { fields, blank, content, type, boundary: '', preamble: '', epilogue: '', parts: [] };
  const { boundary = '' } = params;
  if (!type.startsWith('multipart/') || boundary === '' || depth === MAX_DEPTH) return leaf;
  const { preamble, texts, epilogue } = splitParts(content, boundary);
  if (texts.length === 0) return leaf;
  return { ...leaf, boundary, preamble, epilogue, parts: texts.map((text) => parsePart(text, parseValue, depth + 1)) };
}

/** The unfolded value of the first field of this name. */
export function fieldValue(fields: readonly string[], name: string): string | undefined {
  const field = fields.find((one) => nameOf(one) === name);
  return field
    ?.slice(field.indexOf(':') + 1)
    .replace(/\r?\n/g, '')
    .trim();
}

/** In lower case. */
export function nameOf(field: string): string {
  return field
    .slice(0, Math.max(0, field.indexOf(':')))
    .trim()
    .toLowerCase();
}

export function isContentField(field: string): boolean {
  return nameOf(field).startsWith('content-');
}

/** The part as text: as it was stored, unless its parts are others. */
export function writtenPart({ fields, blank, content }: Pick<MimePart, 'fields' | 'blank' | 'content'>): string {
  return `${fields.join('')}${blank}${content}`;
}

/** A container with other parts. */
export function withParts(part: MimePart, parts: readonly MimePart[]): MimePart {
  const { boundary, preamble, epilogue } = part;
  const body = parts.map((one) => `--${boundary}\r\n${writtenPart(one)}\r\n`).join('');
  return { ...part, parts, content: `${preamble}${body}--${boundary}--${epilogue}` };
}

function splitHead(raw: string): Record<'head' | 'blank' | 'content', string> {
  const found = /^\r?\n|(?<=\n)\r?\n/.exec(raw);
  if (found === null) return { head: raw.endsWith('\n') ? raw : `${raw}\r\n`, blank: '\r\n', content: '' };
  const [blank] = found;
  return { head: raw.slice(0, found.index), blank, content: raw.slice(found.index + blank.length) };
}

function splitParts(content: string, boundary: string): { preamble: string; texts: string[]; epilogue: string } {
  const mark = `--${boundary}`;
  const texts: string[] = [];
  let preamble: string | undefined;
  let start = 0;
  for (let at = content.indexOf(mark); at !== -1; at = content.indexOf(mark, at + mark.length)) {
    const end = lineEnd(content, at);
    const rest = content.slice(at + mark.length, end).trim();
    if ((at > 0 && content[at - 1] !== '\n') || (rest !== '' && rest !== '--')) continue;
    // The line break before a delimiter belongs to it.
    if (preamble === undefined) preamble = content.slice(0, at);
    else texts.push(content.slice(start, at).replace(/\r?\n$/, ''));
    if (rest === '--') return { preamble, texts, epilogue: content.slice(at + mark.length + 2) };
    start = end;
  }
  return { preamble: preamble ?? '', texts: preamble === undefined ? [] : [...texts, content.slice(start)], epilogue: '\r\n' };
}

/** The position behind the line. */
function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end + 1;
}
