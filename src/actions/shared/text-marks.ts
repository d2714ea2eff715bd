/** Longer addresses are of no use to a reader. */
const MAX_ADDRESS = 4_000;

/** Styles that are written as Markdown. */
export interface TextMarks {
  bold?: boolean | undefined;
  italic?: boolean | undefined;
  strikethrough?: boolean | undefined;
  /** `SUPERSCRIPT` or `SUBSCRIPT`, as the provider's editors call it; anything else is neither. */
  baselineOffset?: string | undefined;
  /** The address of a link. */
  url?: string | undefined;
}

/** A part of a text in one style. */
export interface MarkedRun {
  content: string;
  marks: TextMarks;
}

/** Runs as Markdown. Those with the same marks are joined: runs also end where only the font changes. */
export function markedText(runs: readonly MarkedRun[]): string {
  const joined: MarkedRun[] = [];
  for (const { content, marks } of runs) {
    const last = joined.at(-1);
    if (content === '') continue;
    if (last !== undefined && isSame(last.marks, marks)) last.content += content;
    else joined.push({ content, marks });
  }
  return joined.map(withMarks).join('');
}

/** An address that a browser or a mail program may open, for a Markdown link; undefined for others. */
export function webLink(address: string | undefined): string | undefined {
  if (address === undefined || address.length > MAX_ADDRESS) return undefined;
  const parsed = URL.parse(address);
  if (parsed === null || !['http:', 'https:', 'mailto:'].includes(parsed.protocol)) return undefined;
  // A parenthesis would end the address early.
  return parsed.href.replaceAll('(', '%28').replaceAll(')', '%29');
}

/** The text as a Markdown link, or as it is if the address is none that may be opened. */
export function linked(text: string, address: string | undefined): string {
  const link = webLink(address);
  return link === undefined ? text : `[${text}](${link})`;
}

function isSame(one: TextMarks, other: TextMarks): boolean {
  const same = (['bold', 'italic', 'strikethrough'] as const).every((mark) => (one[mark] ?? false) === (other[mark] ?? false));
  return same && one.url === other.url && baselineTag(one) === baselineTag(other);
}

function withMarks({ content, marks }: MarkedRun): string {
  const text = content.trim();
  if (text === '') return content;
  let marked = text;
  if (marks.italic === true) marked = `*${marked}*`;
  if (marks.bold === true) marked = `**${marked}**`;
  if (marks.strikethrough === true) marked = `~~${marked}~~`;
  // Without it, 10 to the sixth would read as 106; Markdown has no mark of its own.
  const tag = baselineTag(marks);
  if (tag !== undefined) marked = `<${tag}>${marked}</${tag}>`;
  // Markdown ignores marks that are separated from the text by a space.
  const at = content.indexOf(text);
  return content.slice(0, at) + linked(marked, marks.url) + content.slice(at + text.length);
}

function baselineTag({ baselineOffset }: TextMarks): 'sup' | 'sub' | undefined {
  if (baselineOffset === 'SUPERSCRIPT') return 'sup';
  return baselineOffset === 'SUBSCRIPT' ? 'sub' : undefined;
}
