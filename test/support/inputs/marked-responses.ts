import { BYTES, NAME, TEXT } from '../servers/hostile-responses.ts';

/** How large a response is. */
export interface Size {
  /** Items of an outermost list; those within have two. */
  items: number;
  /** Words of a text. */
  words: number;
}

/** A text of a response: of one place in its template, and of one of the items that are there. */
export interface Mark {
  /** The members that lead to it; lists have no index. */
  place: string;
  beginning: string;
  end: string;
}

const WORD = 'wörd😀';

/** A response whose texts each begin and end with a word of their own. @param prefix different for each response */
export function markedResponse(template: unknown, { items, words }: Size, prefix: string): { value: unknown; marks: Mark[] } {
  const marks: Mark[] = [];
  let names = 0;
  const text = (place: string): string => {
    const name = `${prefix}q${marks.length}`;
    const mark = { place, beginning: `b${name}b`, end: `e${name}e` };
    marks.push(mark);
    return [mark.beginning, ...Array(words).fill(WORD), mark.end].join(' ');
  };
  const make = (value: unknown, place: string, depth: number): unknown => {
    if (value === TEXT) return text(place);
    if (value === BYTES) return Buffer.from(text(place)).toString('base64url');
    if (value === NAME) return `Name/${names++}`;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((one, index) => make(one, `${place}.${index}`, depth));
    if ('@nested' in value) return {};
    if ('@many' in value) {
      return Array.from({ length: depth === 0 ? items : 2 }, () => make(value['@many'], `${place}[]`, depth + 1));
    }
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, make(one, `${place}.${name}`, depth)]));
  };
  return { value: make(template, '', 0), marks };
}
