import { invalid } from '../api-fault.ts';
import { contentText } from './drive-content.ts';
import type { DriveState, StoredFile } from './drive-state.ts';

/** Whether a file matches. */
type Test = (file: StoredFile) => boolean;

type Token = { kind: 'word' | 'text' | 'operator' | 'punctuation'; value: string };

const TOKEN = /\s*(?:(?<text>'(?:\\['\\]|[^'\\])*')|(?<operator><=|>=|!=|=|<|>)|(?<punctuation>[()])|(?<word>[A-Za-z]+))/y;
const MAX_DEPTH = 20;

/** Whether the query searches content; such results cannot be sorted. */
export function isFullText(q: string): boolean {
  return tokenize(q).some(({ kind, value }) => kind === 'word' && value === 'fullText');
}

/**
 * Parses the `q` of files.list.
 *
 * @see https://developers.google.com/workspace/drive/api/guides/ref-search-terms
 * @throws ApiFault 400 for a syntax error, an unknown field, or an operator that the field does not support
 */
export function parseQuery(q: string, state: DriveState): Test {
  const parser = new QueryParser(tokenize(q), state);
  return parser.whole();
}

function tokenize(q: string): Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  while (q.slice(pattern.lastIndex).trim() !== '') {
    const groups = pattern.exec(q)?.groups;
    if (groups === undefined) throw bad();
    const [kind, value] = Object.entries(groups).find((entry) => entry[1] !== undefined) as [Token['kind'], string];
    tokens.push({ kind, value: kind === 'text' ? value.slice(1, -1).replace(/\\(['\\])/g, '$1') : value });
  }
  return tokens;
}

/** Recursive descent; precedence: or, and, not. */
class QueryParser {
  readonly #tokens: readonly Token[];
  readonly #state: DriveState;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], state: DriveState) {
    this.#tokens = tokens;
    this.#state = state;
  }

  whole(): Test {
    const test = this.#or();
    if (this.#at < this.#tokens.length) throw bad();
    return test;
  }

  #or(): Test {
    let left = this.#and();
    while (this.#skip('or')) {
      const [one, other] = [left, this.#and()];
      left = (file) => one(file) || other(file);
    }
    return left;
  }

  #and(): Test {
    let left = this.#not();
    while (this.#skip('and')) {
      const [one, other] = [left, this.#not()];
      left = (file) => one(file) && other(file);
    }
    return left;
  }

  #not(): Test {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw bad();
    try {
      if (this.#skip('not')) {
        const negated = this.#not();
        return (file) => !negated(file);
      }
      if (!this.#skip('(')) return this.#comparison();
      const inner = this.#or();
      if (!this.#skip(')')) throw bad();
      return inner;
    } finally {
      this.#depth -= 1;
    }
  }

  #comparison(): Test {
    const first = this.#next();
    const operator = this.#next().value;
    const last = this.#next();
    if (first.kind === 'text' && operator === 'in' && last.kind === 'word') return membership(first.value, last.value, this.#state);
    if (first.kind !== 'word') throw bad();
    if (last.kind === 'word') return flag(first.value, operator, last.value);
    if (last.kind !== 'text') throw bad();
    return comparison(first.value, operator, last.value, this.#state);
  }

  #skip(value: string): boolean {
    const token = this.#tokens[this.#at];
    if (token === undefined || token.kind === 'text' || token.value !== value) return false;
    this.#at += 1;
    return true;
  }

  #next(): Token {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw bad();
    this.#at += 1;
    return token;
  }
}

function membership(value: string, field: string, state: DriveState): Test {
  const person = (roles: readonly string[]) => (file: StoredFile) =>
    file.permissions.some(({ email, role }) => email === value.toLowerCase() && roles.includes(role));
  if (field === 'parents') {
    const id = value === 'root' ? state.rootId : value;
    return (file) => file.parents.includes(id);
  }
  if (field === 'owners') return (file) => file.owner.email === value.toLowerCase();
  if (field === 'writers') return person(['owner', 'writer']);
  if (field === 'readers') return person(['owner', 'writer', 'commenter', 'reader']);
  throw bad();
}

function flag(field: string, operator: string, value: string): Test {
  if (!/^(true|false)$/.test(value) || !/^!?=$/.test(operator)) throw bad();
  const wanted = (value === 'true') === (operator === '=');
  if (field === 'trashed') return (file) => file.trashed === wanted;
  if (field === 'starred') return (file) => file.starred === wanted;
  if (field === 'sharedWithMe') return (file) => (file.sharedWithMeTime !== undefined) === wanted;
  throw bad();
}

function comparison(field: string, operator: string, value: string, state: DriveState): Test {
  if (field === 'fullText' && operator === 'contains') return (file) => holds(searchable(file, state), value);
  if (field === 'name') return nameTest(operator, value);
  if (field === 'mimeType') return mimeTypeTest(operator, value);
  if (field === 'modifiedTime' || field === 'createdTime') return timeTest(field, operator, value);
  throw bad();
}

function nameTest(operator: string, value: string): Test {
  if (operator === '=') return (file) => file.name === value;
  if (operator === '!=') return (file) => file.name !== value;
  if (operator !== 'contains') throw bad();
  // Names match by the beginnings of words.
  return (file) => startsInside(file.name, value);
}

function mimeTypeTest(operator: string, value: string): Test {
  if (operator === '=') return (file) => file.mimeType === value;
  if (operator === '!=') return (file) => file.mimeType !== value;
  if (operator === 'contains') return (file) => file.mimeType.includes(value);
  throw bad();
}

function timeTest(field: 'modifiedTime' | 'createdTime', operator: string, value: string): Test {
  const limit = Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(value) ? value : `${value}Z`);
  if (Number.isNaN(limit)) throw bad();
  const holdsFor: Record<string, (time: number) => boolean> = {
    '<': (time) => time < limit,
    '<=': (time) => time <= limit,
    '=': (time) => time === limit,
    '!=': (time) => time !== limit,
    '>': (time) => time > limit,
    '>=': (time) => time >= limit,
  };
  const test = holdsFor[operator];
  if (test === undefined) throw bad();
  return (file) => test(Date.parse(file[field]));
}

function searchable(file: StoredFile, state: DriveState): string {
  return [file.name, file.description ?? '', contentText(file, state)].join('\n');
}

/** Every word, or an exact phrase in double quotes. */
function holds(text: string, value: string): boolean {
  const phrase = /^"(.*)"$/.exec(value)?.[1];
  const words = phrase === undefined ? value.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '') : [phrase];
  return words.length > 0 && words.every((word) => startsInside(text, word));
}

function startsInside(text: string, value: string): boolean {
  const [haystack, needle] = [text.toLowerCase(), value.toLowerCase()];
  for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + 1)) {
    if (at === 0 || /[^\p{L}\p{N}]/u.test(haystack[at - 1] ?? '')) return true;
  }
  return false;
}

function bad() {
  return invalid('Invalid Value');
}
