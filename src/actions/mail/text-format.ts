import { parameterOf } from './header-parameters.ts';

const SIGNATURE = '-- ';

/**
 * A text part as its sender wrote it, without what its transport needed.
 *
 * @param contentType the part's own header field
 */
export function asWritten(text: string, mimeType: string, contentType: string): string {
  if (mimeType === 'text/enriched') return unenriched(text);
  const isFlowed = mimeType === 'text/plain' && hasValue(contentType, 'format', 'flowed');
  return isFlowed ? unflowed(text, hasValue(contentType, 'delsp', 'yes')) : text;
}

/** A comment may stand behind the value. */
function hasValue(contentType: string, name: string, value: string): boolean {
  const [, token = ''] = /^\s*([^\s(]+)/.exec(parameterOf(contentType, name) ?? '') ?? [];
  return token.toLowerCase() === value;
}

/**
 * Flowed text with its paragraphs on one line each (RFC 3676, 4): a line that ends in a blank goes on in the next one of the
 * same quote depth. A blank at the start of a line is stuffing; the line in front of a signature is always fixed.
 *
 * @param deletesSpaces whether the blank at the end belongs to the line break only (`delsp=yes`)
 */
function unflowed(text: string, deletesSpaces: boolean): string {
  const lines: string[] = [];
  let paragraph: { depth: number; pieces: string[] } | undefined;
  for (const line of text.split(/\r\n?|\n/)) {
    const depth = quoteDepth(line);
    const content = line.startsWith(' ', depth) ? line.slice(depth + 1) : line.slice(depth);
    const isSignature = content === SIGNATURE;
    const isSoft = content.endsWith(' ') && !isSignature;
    if (paragraph !== undefined && (paragraph.depth !== depth || isSignature)) {
      lines.push(written(paragraph));
      paragraph = undefined;
    }
    paragraph ??= { depth, pieces: [] };
    paragraph.pieces.push(isSoft && deletesSpaces ? content.slice(0, -1) : content);
    if (isSoft) continue;
    lines.push(written(paragraph));
    paragraph = undefined;
  }
  return [...lines, ...(paragraph === undefined ? [] : [written(paragraph)])].join('\n');
}

function quoteDepth(line: string): number {
  let depth = 0;
  while (line[depth] === '>') depth += 1;
  return depth;
}

function written({ depth, pieces }: { depth: number; pieces: string[] }): string {
  const text = pieces.join('');
  return depth === 0 || text === '' ? `${'>'.repeat(depth)}${text}` : `${'>'.repeat(depth)} ${text}`;
}

/** Enriched text (RFC 1896) without its formatting commands: one line break is a blank, and of more there is one too many. */
function unenriched(text: string): string {
  return text
    .replace(/<param>[^<]*<\/param>/gi, '')
    .replace(/<<|<\/?[a-z0-9-]{1,60}>/gi, (command) => (command === '<<' ? '<' : ''))
    .replace(/(?:\r\n?|\n)+/g, (breaks) => {
      const count = breaks.replace(/\r\n?/g, '\n').length;
      return count === 1 ? ' ' : '\n'.repeat(count - 1);
    });
}
