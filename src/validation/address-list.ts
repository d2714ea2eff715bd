/** One mailbox of an address list (RFC 5322, 3.4). */
export interface Mailbox {
  /** Its display name without quotes and comments, encoded words not decoded; '': it has none. */
  name: string;
  /** `local@domain`, the local part in quotes if it needs them; '': the entry can't be read, and `name` is its text. */
  address: string;
}

export interface AddressList {
  entries: Mailbox[];
  /** False: some of the text is no address list, so that another program may read it otherwise. */
  isComplete: boolean;
  /** There are more entries than these, uncounted. */
  isCut: boolean;
}

/** RFC 5321, 4.5.3.1.3. */
const MAX_ADDRESS = 254;
/** No message has longer fields: 100 recipients with long names. What follows isn't read. */
const MAX_FIELD = 60_000;

/** White space with the line breaks of folding, and stray control characters; a quoted string; a domain literal; a special character; an atom. */
const TOKEN = /[\p{Cc} ]+|"(?:[^"\\]|\\[\s\S])*"|\[[^[\]\\]*\]|[()<>[\]:;@\\,."]|[^\p{Cc} ()<>[\]:;@\\,."]+/gu;
/** What is in no atom, and not in a quoted string either (RFC 5322, 3.2.1): control characters, and spaces of other scripts. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Z}]/u;
const DOT_ATOM = /^[^\s()<>[\]:;@\\,."]+(?:\.[^\s()<>[\]:;@\\,."]+)*$/;

interface Token {
  text: string;
  kind: 'atom' | 'quoted' | 'literal' | 'special';
  /** White space or a comment is before it. */
  isApart: boolean;
  from: number;
  to: number;
}

/**
 * Reads the addresses of a header field: `To`, `From`, `Reply-To` (RFC 5322, 3.4, with groups, comments and folding, and of
 * the obsolete syntax empty entries, dots in names, and white space around `@` and dots). Only what the grammar has as an
 * address is one: none in a quoted name, in a comment or in an encoded word, which the caller decodes in names (RFC 2047,
 * 5 and 6.2). Takes linear time.
 *
 * @param field as received: unfolded or not, encoded words not decoded
 */
export function parseAddressList(field: string): AddressList {
  const text = field.slice(0, MAX_FIELD);
  const { tokens, isWhole } = tokensOf(text);
  const isCut = field.length > MAX_FIELD;
  const list: AddressList = { entries: [], isComplete: isWhole && !isCut, isCut };
  for (const entry of entriesOf(tokens, list)) addEntry(list, entry, text);
  // It may have been cut.
  if (isCut) list.entries.pop();
  return list;
}

/** The lists of a repeated field as one. */
export function joinLists(lists: readonly AddressList[]): AddressList {
  return {
    entries: lists.flatMap(({ entries }) => entries),
    isComplete: lists.every(({ isComplete }) => isComplete),
    isCut: lists.some(({ isCut }) => isCut),
  };
}

/** Whether a text is one address and nothing else. */
export function isAddress(text: string): boolean {
  const { entries, isComplete } = parseAddressList(text);
  return isComplete && entries.length === 1 && entries[0]?.address === text;
}

/** Without white space and comments. */
function tokensOf(text: string): { tokens: Token[]; isWhole: boolean } {
  const tokens: Token[] = [];
  let isApart = false;
  let isWhole = true;
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found !== null; found = TOKEN.exec(text)) {
    const [token] = found;
    if (/^[\p{Cc} ]/u.test(token)) {
      isApart = true;
      isWhole &&= /^[ \t\r\n]+$/.test(token);
      continue;
    }
    if (token === '(') {
      const end = commentEnd(text, found.index);
      if (end === -1) return { tokens, isWhole: false };
      TOKEN.lastIndex = end;
      isApart = true;
      continue;
    }
    // Of a quotation or a literal that isn't closed, nothing is an address.
    if (token === '"' || token === '[') return { tokens: [...tokens, unclosed(text, found.index)], isWhole: false };
    tokens.push({ text: token, kind: kindOf(token), isApart, from: found.index, to: found.index + token.length });
    isApart = false;
  }
  return { tokens, isWhole };
}

function kindOf(token: string): Token['kind'] {
  const first = token.charAt(0);
  if (first === '"') return 'quoted';
  if (first === '[') return 'literal';
  return '<>]:;@\\,.)'.includes(first) ? 'special' : 'atom';
}

function unclosed(text: string, from: number): Token {
  return { text: '\\', kind: 'special', isApart: true, from, to: text.length };
}

/** @returns the position behind a comment, which may hold others; -1: it isn't closed */
function commentEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return -1;
}

/** The tokens of each mailbox; the names of groups are left out. */
function entriesOf(tokens: readonly Token[], list: AddressList): Token[][] {
  const entries: Token[][] = [];
  let entry: Token[] = [];
  let isGroup = false;
  let isBracketed = false;
  const lastEnd = tokens.findLastIndex(({ kind, text }) => kind === 'special' && text === ';');
  const end = () => {
    if (entry.length > 0) entries.push(entry);
    entry = [];
    isBracketed = false;
  };
  for (const [index, token] of tokens.entries()) {
    const mark = token.kind === 'special' ? token.text : '';
    if (mark === ',' || mark === ';') {
      // Some programs separate addresses with semicolons.
      if (mark === ';' && !isGroup) list.isComplete = false;
      if (mark === ';') isGroup = false;
      end();
    } else if (mark === ':' && !isGroup && !isBracketed && index < lastEnd && isPhrase(entry)) {
      isGroup = true;
      entry = [];
    } else {
      if (mark === '<') isBracketed = true;
      entry.push(token);
    }
  }
  end();
  return entries;
}

function addEntry(list: AddressList, tokens: readonly Token[], text: string): void {
  const open = tokens.findIndex(({ kind, text: mark }) => kind === 'special' && mark === '<');
  const isClosed = tokens.at(-1)?.text === '>' && tokens.at(-1)?.kind === 'special';
  const phrase = open === -1 ? [] : tokens.slice(0, open);
  const spec = open === -1 ? tokens : tokens.slice(open + 1, -1);
  const address = open === -1 || isClosed ? addressOf(spec) : undefined;
  const name = phraseOf(phrase);
  // Many programs write an address as its own name.
  const isNamed = phrase.length === 0 || isPhrase(phrase) || name.replace(/^'(.*)'$/, '$1') === address;
  if (address === undefined || !isNamed) list.isComplete = false;
  if (address === undefined) list.entries.push({ name: text.slice(tokens[0]?.from, tokens.at(-1)?.to), address: '' });
  else list.entries.push({ name, address });
}

function isPhrase(tokens: readonly Token[]): boolean {
  return tokens.length > 0 && tokens.every(({ kind, text }) => kind === 'atom' || kind === 'quoted' || text === '.');
}

function phraseOf(tokens: readonly Token[]): string {
  const words = tokens.map(
    ({ text, kind, isApart }, index) => `${isApart && index > 0 ? ' ' : ''}${kind === 'quoted' ? unquoted(text) : text}`,
  );
  return words.join('').trim();
}

/** @returns undefined unless the tokens are an `addr-spec` */
function addressOf(tokens: readonly Token[]): string | undefined {
  const at = tokens.findIndex(({ kind, text }) => kind === 'special' && text === '@');
  const local = localOf(tokens.slice(0, at === -1 ? undefined : at));
  const domain = domainOf(tokens.slice(at + 1));
  if (at === -1 || local === undefined || domain === undefined) return undefined;
  const address = `${local}@${domain}`;
  return address.length <= MAX_ADDRESS && address.isWellFormed() ? address : undefined;
}

function localOf(tokens: readonly Token[]): string | undefined {
  const [first] = tokens;
  if (tokens.length !== 1 || first?.kind !== 'quoted') return dotAtom(tokens);
  const text = unquoted(first.text);
  if (UNPRINTABLE.test(text.replaceAll(' ', ''))) return undefined;
  return DOT_ATOM.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function domainOf(tokens: readonly Token[]): string | undefined {
  const [first] = tokens;
  if (tokens.length !== 1 || first?.kind !== 'literal') return dotAtom(tokens);
  return UNPRINTABLE.test(first.text) ? undefined : first.text;
}

function dotAtom(tokens: readonly Token[]): string | undefined {
  const isDotAtom = tokens.length % 2 === 1 && tokens.every(({ kind, text }, index) => (index % 2 === 0 ? kind === 'atom' : text === '.'));
  const text = tokens.map((token) => token.text).join('');
  return isDotAtom && !UNPRINTABLE.test(text) ? text : undefined;
}

/** The content of a quoted string, with folding undone (RFC 5322, 3.2.4). */
function unquoted(text: string): string {
  return text
    .slice(1, -1)
    .replace(/\r?\n(?=[ \t])/g, '')
    .replace(/\\([\s\S])/g, '$1');
}
