/** In a template: text that a stranger or the provider chose. */
export const TEXT = '@text';
/** The same as base64. */
export const BYTES = '@bytes';
/** A name that is different each time. */
export const NAME = '@name';
/** A list of many of these. */
export const many = (item: unknown) => ({ '@many': item });
/** A value nested in itself, between these. */
export const nested = (open: string, close: string) => ({ '@nested': [open, close] });

/** Just below the limit of parsing on the main thread, and just below the limit of a response. */
export const SIZES = [250_000, 11_500_000] as const;
const PIECE = 2_000;
/** Deeper groups are skipped, so these are the most expensive. */
const LEVELS = 20;

const RUNS = [
  ...[' ', '\t\n', '<p>a', '<a href="', 'a', '=?utf-8?q?', '- ', '"', "'", '[', '#/', '|', '0 ', '&amp;', '\\'],
  // Nested tables, comments, entities, combining marks, text that changes direction, halves of surrogate pairs, base64.
  ...['<table><tr><td>', '<!--', '&#x41;', '<', '\u0301', '\u202e', '\ud83d', 'QUFB\n'],
];
/** Long runs of text that may be slow for regular expressions. */
const everything = (size: number) => RUNS.map((run) => run.repeat(size / RUNS.length / run.length)).join('x');

export type Kind =
  | 'long texts'
  | 'blanks'
  | 'pieces'
  | 'items'
  | 'empty items'
  | 'nonsense'
  | 'depth'
  | 'breadth in depth'
  | 'depth beside it';

/** The harmless response of a template. */
export function usualResponse(template: unknown): string {
  return template === TEXT ? 'text' : fill(template, {});
}

/** Responses of one template with this number of bytes, made when requested, by what is large in them. */
export function hostileResponses(template: unknown, size: number): Map<Kind, () => string> {
  if (template === TEXT) return new Map([['long texts', () => everything(size)]]);
  const source = JSON.stringify(template);
  const { outer, inner } = listsOf(template);
  const texts = source.split(TEXT).length + source.split(BYTES).length - 2;
  const responses = new Map<Kind, () => string>([['depth beside it', () => besides(usualResponse(template), size)]]);
  const add = (kind: Kind, filling: (scale: number) => Filling) =>
    responses.set(kind, () => sized(size, (scale) => fill(template, filling(scale))));
  if (texts > 0) add('long texts', (scale) => ({ text: everything(1_000 * scale) }));
  if (texts > 0 && inner > 0) {
    add('blanks', (scale) => ({ text: ' '.repeat(PIECE), first: 'x', last: 'x\nx', innermost: 3 * scale }));
    add('pieces', (scale) => ({ text: everything(PIECE), innermost: scale }));
  }
  if (outer > 0) {
    add('items', (scale) => ({ outermost: scale }));
    add('empty items', (scale) => ({ item: '{}', outermost: 100 * scale }));
    add('nonsense', (scale) => ({ item: '1,"a",[],null', outermost: 100 * scale }));
  }
  if (source.includes('@nested')) {
    add('depth', (scale) => ({ levels: 100 * scale }));
    add('breadth in depth', (scale) => ({ levels: LEVELS, bottom: '{},'.repeat(100 * scale).slice(0, -1) }));
  }
  return responses;
}

/** The largest result of `make` that has at most `size` bytes. */
function sized(size: number, make: (scale: number) => string): string {
  const [small, larger] = [make(1).length, make(2).length];
  return make(Math.max(1, 1 + (size - small) / (larger - small)));
}

interface Filling {
  text?: string;
  /** In place of the first and the last item of an innermost list. */
  first?: string;
  last?: string;
  /** Number of items of outermost and of innermost lists. */
  outermost?: number;
  innermost?: number;
  /** In place of each item of an outermost list. */
  item?: string;
  levels?: number;
  bottom?: string;
}

/** The template's JSON, filled. */
function fill(
  template: unknown,
  { text = 'x', outermost = 1, innermost = 1, levels = 1, bottom = '', item, first, last }: Filling,
): string {
  let names = 0;
  const write = (value: unknown, words: string, depth: number): string => {
    if (value === TEXT) return JSON.stringify(words);
    if (value === BYTES) return JSON.stringify(Buffer.from(words).toString('base64url'));
    if (value === NAME) {
      names += 1;
      return `"Name/${names}"`;
    }
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    if (Array.isArray(value)) return `[${value.map((one) => write(one, words, depth)).join(',')}]`;
    if ('@nested' in value) {
      const [open, close] = value['@nested'] as [string, string];
      return `${open.repeat(levels)}${bottom}${close.repeat(levels)}`;
    }
    if (!('@many' in value)) {
      return `{${Object.entries(value)
        .map(([name, one]) => `${JSON.stringify(name)}:${write(one, words, depth)}`)
        .join(',')}}`;
    }
    const one = value['@many'];
    const isInnermost = !JSON.stringify(one).includes('@many');
    const times = Math.max(1, Math.floor((depth === 0 ? outermost : 1) * (isInnermost ? innermost : 1)));
    const items = depth === 0 && item !== undefined ? Array(times).fill(item) : written(one, words, depth, times);
    if (isInnermost && times > 2 && first !== undefined && last !== undefined) {
      items.splice(0, 1, write(one, first, depth + 1));
      items.splice(-1, 1, write(one, last, depth + 1));
    }
    return `[${items.join(',')}]`;
  };
  const written = (one: unknown, words: string, depth: number, times: number): string[] =>
    JSON.stringify(one).includes(NAME)
      ? Array.from({ length: times }, () => write(one, words, depth + 1))
      : Array(times).fill(write(one, words, depth + 1));
  return write(template, text, 0);
}

/** Number of outermost and of innermost lists of a template. */
function listsOf(template: unknown): { outer: number; inner: number } {
  if (typeof template !== 'object' || template === null) return { outer: 0, inner: 0 };
  const below = Object.values(template).map(listsOf);
  const sum = (which: 'outer' | 'inner') => below.reduce((total, one) => total + one[which], 0);
  return '@many' in template ? { outer: 1, inner: Math.max(1, sum('inner')) } : { outer: sum('outer'), inner: sum('inner') };
}

/** With deeply nested data that was not requested. */
function besides(json: string, size: number): string {
  const more = `"more":${'['.repeat(size / 2)}${']'.repeat(size / 2)}`;
  return json === '{}' ? `{${more}}` : `{${more},${json.slice(1)}`;
}
