/** Letters and digits in a row that are compared. */
const LENGTH = 24;
/** Of this many neighbouring fingerprints one is kept, so that a common text of 39 letters and digits is always found. */
const WINDOW = 16;
const MAX_TEXT = 64 * 1024;
/** Bytes of a fingerprint. */
const SIZE = 6;
const HIGH = 0x10000;
const [PRIME, OTHER_PRIME] = [16_777_619, 65_599];
/** What a letter that leaves a run has become. */
const [LEAVING, OTHER_LEAVING] = [power(PRIME), power(OTHER_PRIME)];
/** Addresses are compared whole, however short they are. */
const ADDRESS = /@|:\/\//;
const SEPARATORS = /[\s,;<>()[\]{}"'“”]+/;
const MIN_ADDRESS = 6;
const MAX_ADDRESS = 300;

/** A part of a text. */
interface Span {
  from: number;
  to: number;
}

/** A part of a text that repeats another text. */
export interface Repetition extends Span {
  /** Position of that text in the index. */
  source: number;
}

/**
 * Fingerprints by which a later text is recognized that repeats a part of these: of letters and digits in a row, chosen by
 * winnowing (Schleimer, Wilkerson, Aiken: "Winnowing: Local Algorithms for Document Fingerprinting", 2003), and of
 * addresses. Nothing of the texts can be read from them.
 *
 * @param max fingerprints, of the beginning
 * @returns 6 bytes each
 */
export function fingerprintsOf(texts: readonly string[], max: number): Buffer {
  const found = new Set<number>();
  for (const text of texts) {
    const part = text.slice(0, MAX_TEXT);
    for (const { from, to } of addressesIn(part)) add(found, hashOf(part.slice(from, to)), max);
    winnow(part, found, max);
    if (found.size >= max) break;
  }
  const bytes = Buffer.alloc(found.size * SIZE);
  let place = 0;
  for (const hash of found) place = bytes.writeUIntBE(hash, place, SIZE);
  return bytes;
}

/** Fingerprints of several texts by the position of their text; where texts are alike, of the first. */
export type FingerprintIndex = ReadonlyMap<number, number>;

export function fingerprintIndex(texts: readonly Buffer[]): FingerprintIndex {
  const index = new Map<number, number>();
  for (const [position, fingerprints] of texts.entries()) {
    for (let place = 0; place + SIZE <= fingerprints.length; place += SIZE) {
      const hash = fingerprints.readUIntBE(place, SIZE);
      if (!index.has(hash)) index.set(hash, position);
    }
  }
  return index;
}

/** The parts of a text that repeat an indexed one, in order, and the position of that one. */
export function repeated(text: string, index: FingerprintIndex): Repetition[] {
  if (index.size === 0) return [];
  const found: Repetition[] = [];
  const hashes = new RunHashes();
  const places: number[] = [];
  for (let place = 0; place < text.length; place += 1) {
    const letter = letterAt(text, place);
    if (letter === 0) continue;
    places.push(place);
    const source = index.get(hashes.next(letter));
    if (source !== undefined) found.push({ from: places.at(-LENGTH) as number, to: place + 1, source });
  }
  for (const { from, to } of addressesIn(text)) {
    const source = index.get(hashOf(text.slice(from, to)));
    if (source !== undefined) found.push({ from, to, source });
  }
  return joined(found.sort((one, other) => one.from - other.from));
}

function add(found: Set<number>, hash: number, max: number): void {
  if (found.size < max) found.add(hash);
}

/** The hash of each run of {@link LENGTH} letters and digits, from that of the run before. */
class RunHashes {
  /** The last ones, the oldest at {@link #place}. */
  readonly #codes = new Uint16Array(LENGTH);
  #place = 0;
  #count = 0;
  #low = 0;
  #high = 0;

  /** @returns of the run that ends with this letter; -1: there are not so many yet */
  next(letter: number): number {
    const gone = this.#codes[this.#place] as number;
    this.#codes[this.#place] = letter;
    this.#place = this.#place === LENGTH - 1 ? 0 : this.#place + 1;
    this.#count += 1;
    this.#low = (Math.imul(this.#low, PRIME) + letter - Math.imul(gone, LEAVING)) | 0;
    this.#high = (Math.imul(this.#high, OTHER_PRIME) + letter - Math.imul(gone, OTHER_LEAVING)) | 0;
    return this.#count < LENGTH ? -1 : combined(this.#low, this.#high);
  }
}

function power(prime: number): number {
  let product = 1;
  for (let step = 0; step < LENGTH; step += 1) product = Math.imul(product, prime);
  return product;
}

/** 48 bits, mixed so that winnowing chooses evenly. */
function combined(low: number, high: number): number {
  const mixed = Math.imul(low ^ (low >>> 15), 0x2c1b3c6d);
  return ((high >>> 16) & (HIGH - 1)) * 0x1_0000_0000 + ((mixed ^ (mixed >>> 13)) >>> 0);
}

function hashOf(address: string): number {
  const [low, high] = [...address.toLowerCase()].reduce(
    ([one, other], character) => {
      const code = character.codePointAt(0) ?? 0;
      return [(Math.imul(one, PRIME) + code) | 0, (Math.imul(other, OTHER_PRIME) + code) | 0];
    },
    [1, 1],
  );
  return combined(low, high);
}

/** The lower-case code of a letter or digit, 0 for others: white space, punctuation and invisible characters differ often. */
function letterAt(text: string, place: number): number {
  const code = text.charCodeAt(place);
  return code < 0x80 ? asciiLetter(code) : otherLetter(code);
}

function asciiLetter(code: number): number {
  if (code >= 0x41 && code <= 0x5a) return code + 0x20;
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) ? code : 0;
}

const LETTER = /[\p{L}\p{N}\p{Cs}]/u;

function otherLetter(code: number): number {
  const character = String.fromCharCode(code);
  return LETTER.test(character) ? character.toLowerCase().charCodeAt(0) : 0;
}

/** Adds the least hash of each window. Of a text, no more is kept than one window. */
function winnow(text: string, found: Set<number>, max: number): void {
  // Most texts of a result are ids, names and times.
  if (text.length < LENGTH) return;
  const hashes = new RunHashes();
  const window = new Array<number>(WINDOW).fill(0);
  let end = -1;
  let least = -1;
  for (let place = 0; place < text.length && found.size < max; place += 1) {
    const letter = letterAt(text, place);
    const hash = letter === 0 ? -1 : hashes.next(letter);
    if (hash === -1) continue;
    end += 1;
    window[end % WINDOW] = hash;
    const start = Math.max(0, end - WINDOW + 1);
    if (least < start) least = leastOf(window, start, end);
    else if (hash <= (window[least % WINDOW] as number)) least = end;
    if (end >= WINDOW - 1) add(found, window[least % WINDOW] as number, max);
  }
  // A text of less than a window.
  if (end >= 0) add(found, window[least % WINDOW] as number, max);
}

function leastOf(window: readonly number[], start: number, end: number): number {
  let least = start;
  for (let index = start; index <= end; index += 1)
    if ((window[index % WINDOW] as number) <= (window[least % WINDOW] as number)) least = index;
  return least;
}

function addressesIn(text: string): Span[] {
  const spans: Span[] = [];
  if (!ADDRESS.test(text)) return spans;
  let from = 0;
  for (const word of text.split(SEPARATORS)) {
    from = text.indexOf(word, from);
    const isAddress = word.length >= MIN_ADDRESS && word.length <= MAX_ADDRESS && ADDRESS.test(word);
    const trimmed = isAddress ? word.replace(/[.:!?]{1,10}$/, '') : '';
    if (trimmed !== '') spans.push({ from, to: from + trimmed.length });
    from += word.length;
  }
  return spans;
}

/** Parts whose distance is below a window's are one, since only some fingerprints of a text are kept. */
function joined(parts: readonly Repetition[]): Repetition[] {
  const result: Repetition[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last === undefined || part.from > last.to + WINDOW) result.push({ ...part });
    else last.to = Math.max(last.to, part.to);
  }
  return result;
}
